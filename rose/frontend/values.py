"""Conversion of Python values to traced values.

`to_value` converts to a type that is known, as `plain` does for host values, and `infer` to the type that the
value shows. Either takes numbers, lists, arrays, structs, and traced values anywhere in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

from ..errors import Loc, NotLinear, TypeMismatch, here
from ..host.marshal import (
    Path,
    as_given,
    at_once,
    elements,
    fields,
    how_to_write,
    is_dict,
    is_listing,
    misfit,
    plain,
    spell,
)
from ..ir import CONST, Value, a_traced, as_number, current_builder, shown, types
from ..ir.forms import dict_form, form_of
from ..ir.numbers import complex_of, is_truth, of_objects
from ..ir.ops import iadd, real
from ..ir.sizes import Size, at_most, differ
from ..ir.types import Bool, Complex, Real, Tan, Tuple, Type, Unit, has_complex, is_complex
from .annotations import as_type
from .columns import Columns, length
from .operators import certain_index


def refuse_matrix(x: Any, loc: Loc | None) -> None:
    """A TypeMismatch if `x` is a matrix of NumPy: its `*` is another product than that of an array of ours."""
    if any([c.__name__ == "matrix" and c.__module__.startswith("numpy") for c in x.__class__.__mro__]):
        hint = "write np.asarray(m), whose * is elementwise, and @ for the product of matrices"
        raise TypeMismatch("an np.matrix is no array: its * is the product of matrices", loc or here(), hint)


def to_value(x: Any, t: Type, path: Path = (), loc: Loc | None = None) -> Value:
    """`x`, in any form that a user may give it, as a traced value of type `t`; `path` names it in errors."""
    x = as_given(x, loc)
    if x.__class__ is Value:
        return coerce(x, t, path, loc)
    b = current_builder()
    if t is Tan:
        if is_number(x) and as_number(x, loc or here()) == 0.0:
            return b.zero(Tan)
        raise NotLinear(
            f"{spell(path)} must be a tangent, got {shown(x)}",
            (loc or here()).into(path[1:]),
            "return a multiple of a tangent, or 0.0: a derivative rule is linear in its tangents",
        )
    if isinstance(t, types.Vec):
        if x.__class__ is Columns and isinstance(t.elem, Tuple):
            return rows(x, t, path, loc)
        refuse_matrix(x, loc)
        xs = elements(x, t, path, loc)
        if not t.linear and not t.stacked:  # of numbers of the host it is one literal, whatever is in it
            known = at_once(xs, t.elem)
            if known is not None or not any(map(is_traced, xs)):
                return b.const(plain(xs, t, path, loc) if known is None else known, t)
        return b.pack([to_value(y, t.elem, (*path, k), loc) for k, y in enumerate(xs)], t)
    if isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        return b.tuple([to_value(y, s, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)], t)
    return b.unit() if t is Unit and x is None else b.const(plain(x, t, path, loc), t)


def rows(x: Columns, t: types.Vec, path: Path, loc: Loc | None) -> Value:
    """The columns that a loop gave as the vector of tuples or structs that is asked for."""
    n = length(x)
    if n is None or differ(n, t.size):
        what = f"{spell(path)} must have {t.size!r} elements, and each column has {n!r}"
        raise TypeMismatch(what, (loc or here()).into(path[1:]), f"its type is {t!r}")
    return current_builder().vec(t.size, lambda i: to_value(x[i], t.elem, path, loc))


def coerce(v: Value, t: Type, path: Path, loc: Loc | None) -> Value:
    """The traced value `v` as a `t`: an index as a larger index or a Real, a zero as a tangent; else a TypeMismatch."""
    if v.type is t:
        return v
    if is_complex(t) and (v.type is Real or isinstance(v.type, types.Fin)):
        return current_builder().tuple([coerce(v, Real, path, loc), current_builder().const(0.0, Real)], Complex)
    if isinstance(t, types.Vec) and has_complex(t) and common_type(v.type, t) is t:
        return widened(v, t)
    if v.type is Real and isinstance(t, types.Fin) and (v := certain_index(v)).type is t:
        return v
    if isinstance(v.type, types.Fin):
        if isinstance(t, types.Fin) and at_most(v.type.size + 1, t.size):
            return iadd(v, current_builder().const(0, types.Fin(t.size - v.type.size + 1)))
        if t is Real:
            return real(v)
    if t is Tan and v.op is CONST and v.type is Real and v.attr == 0.0:
        return current_builder().zero(Tan)
    if t is Tan and v.type is Real:
        raise NotLinear(
            f"{spell(path)} must be a tangent, got {a_traced(v)}",
            (loc or here()).into(path[1:]),
            "multiply each term by a tangent: a derivative rule is linear in its tangents",
        )
    if v.type is Tan and t is Real:
        hint = "declare the type Tan: in a derivative rule a tangent is not a Real; or call rose.jvp outside of a rule"
        raise misfit(path, t, v, hint, loc)
    raise misfit(path, t, v, how_to_write(v.type, t), loc)


def wider(s: Type, t: Type) -> Type | None:
    """The type of numbers that values of both types can have: a larger index, a Real or a Complex; None otherwise."""
    if isinstance(s, types.Fin) and isinstance(t, types.Fin):
        return t if at_most(s.size, t.size) else s
    if Complex in (s, t) and all([x is Complex or x is Real or isinstance(x, types.Fin) for x in (s, t)]):
        return Complex
    return Real if Real in (s, t) and (isinstance(s, types.Fin) or isinstance(t, types.Fin)) else None


def widest(ts: Sequence[Type]) -> Type:
    """The widest of these types; the first of them, if they are neither numbers nor indices."""
    found = ts[0]
    for t in ts[1:]:
        found = wider(found, t) or found
    return found


def common_type(s: Type, t: Type, wider: Callable[[Type, Type], Type | None] = wider) -> Type | None:
    """The type that values of both types can have, each part of it the `wider` one; None if there is none."""
    if s is t:
        return s
    if isinstance(s, types.Vec) and isinstance(t, types.Vec) and not differ(s.size, t.size):
        elem = common_type(s.elem, t.elem, wider)
        return None if elem is None else types.Vec(s.size, elem)
    if (found := wider(s, t)) is not None:
        return found
    if isinstance(s, Tuple) and isinstance(t, Tuple) and s.form is t.form and len(s.items) == len(t.items):
        items = [common_type(a, b, wider) for a, b in zip(s.items, t.items, strict=True)]
        return None if None in items else s.of(tuple([x for x in items if x is not None]))
    return None


def widened(v: Value, t: Type) -> Value:
    """A value as one of such a type."""
    b = current_builder()
    if v.type is t:
        return v
    if isinstance(t, Tuple) and t is not Complex:
        return b.tuple([widened(b.get(v, k), s) for k, s in enumerate(t.items)], t)
    if isinstance(t, types.Vec):
        return b.vec(t.size, lambda i: widened(b.index(v, i), t.elem))  # pyright: ignore[reportArgumentType]
    return coerce(v, t, (), None)


def is_traced(x: Any) -> bool:
    """True if `x` is a traced value, or holds one."""
    if x.__class__ is float or x.__class__ is int:
        return False
    if of_objects(x):
        return is_traced(x.tolist())
    if is_listing(x) or is_dict(x):
        return any(map(is_traced, x.values() if is_dict(x) else x))
    f = form_of(x.__class__)
    return x.__class__ is Value or hasattr(x.__class__, "as_value") or bool(f and any(map(is_traced, f.read(x))))


def is_number(x: Any) -> bool:
    """True for a host number, of Python or NumPy, and for a size."""
    if isinstance(x, (int, float, Size)):
        return True
    return x.__class__ is not Value and getattr(x, "shape", None) == () and not of_objects(x)


def infer(x: Any, loc: Loc | None = None, declared: Type | None = None) -> Value:
    """`x` as a traced value of the type that it shows: a list is a vector, a tuple is a tuple.

    A number is an index if `declared`, the type of its field, is one.
    """
    x = as_given(x, loc)
    if x.__class__ is Value:
        return x
    b = current_builder()
    if x is None:
        return b.unit()
    if hasattr(x, "tolist") and getattr(x, "shape", ()) != ():
        refuse_matrix(x, loc)
        x = x.tolist()
    if (z := complex_of(x)) is not None:
        return b.lift(z)
    form = dict_form(list(x)) if is_dict(x) else form_of(x.__class__)
    if form is not None or issubclass(x.__class__, tuple):
        t = as_type(form.cls) if form is not None and not form.is_dict else None
        xs = form.read(x) if form is not None else x
        items = [
            infer(y, loc, s) for y, s in zip(xs, t.items if isinstance(t, Tuple) else [None] * len(xs), strict=True)
        ]
        return b.tuple(items, Tuple(tuple([v.type for v in items]), form))
    if is_listing(x):
        below = declared.elem if isinstance(declared, types.Vec) else None
        if (elem := _shown_at_once(x, below)) is not None:
            return to_value(x, types.Vec(len(x), elem), ("the list",), loc)
        items = [infer(y, loc, below) for y in x]
        common: Type | None = items[0].type if items else below or Real
        for v in items[1:]:
            common = common and common_type(common, v.type)
        if isinstance(common, types.Vec) and any([v.type is not common for v in items]):
            return b.pack([widened(v, common) for v in items], types.Vec(len(x), common))
        elem = common or widest([v.type for v in items])
        return to_value(x, types.Vec(len(items), elem), ("the list",), loc)
    if isinstance(declared, types.Fin) and not is_truth(x):
        return to_value(x, declared, ("an index",), loc)
    return b.lift(x) if is_truth(x) else b.const(as_number(x, loc or here()), Real)


def _shown_at_once(xs: Sequence[Any], declared: Type | None) -> Type | None:
    """The type that `infer` finds of each of many host values; None if they are unusual, or not all of one class."""
    classes = {*map(type, xs)}
    only = classes.pop() if len(classes) == 1 else None
    if isinstance(declared, types.Fin):
        return declared if only is int else None
    if only is float or only is int or classes == {int, float}:
        return Real
    if only is bool or only is None:
        return Bool if only is bool else None
    if only is list and (n := len(xs[0])) and {*map(len, xs)} == {n}:
        below = declared.elem if isinstance(declared, types.Vec) else None
        elem = _shown_at_once([*chain.from_iterable(xs)], below)
        return None if elem is None else types.Vec(n, elem)
    return _structs_shown_at_once(xs, only)


def _structs_shown_at_once(xs: Sequence[Any], cls: type) -> Type | None:
    """The type of many host values that are tuples, or structs of a class; None if they are unusual."""
    form = form_of(cls)
    if form is not None:
        rows, declared = map(form.read, xs), as_type(cls)
    elif cls is tuple and {*map(len, xs)} == {len(xs[0])}:
        rows, declared = iter(xs), None
    else:
        return None
    of = declared.items if isinstance(declared, Tuple) else [None] * len(xs[0])
    items = [_shown_at_once(column, t) for column, t in zip(zip(*rows, strict=True), of, strict=True)]
    return None if None in items else Tuple(tuple([t for t in items if t is not None]), form)

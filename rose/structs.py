"""Types as a user writes them, and the values of those types: from Python to the IR, and back.

A struct is a dataclass, a named tuple or a dict in the user's code and a tuple in the IR, whose `Form`
remembers the class and the names. Four directions:

    as_type    an annotation         -> a type
    to_value   what a user gives     -> a traced value of a type that is known
    infer      what a user gives     -> a traced value of the type that it shows
    plain      numbers from outside  -> nested tuples, checked; `present` gives them back as a user sees them
"""

from __future__ import annotations

import copyreg
import dataclasses
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, dataclass_transform, get_args, get_origin

from . import types
from .errors import Loc, NotLinear, OutOfRange, RoseError, TypeMismatch, here
from .ir import CONST, Value, a_traced, as_number, builder, shown
from .ops import host_index, iadd, real, view
from .types import Bool, Form, Real, Tan, Tuple, Type, Unit, map_leaves, tuple_of

C = TypeVar("C", bound=type)

LARGEST = 2**32  # no vector can have more elements: a WebAssembly memory has no more bytes


# annotations


class Vec:
    """The type of a vector: `Vec[n]` of n Reals, `Vec[n, T]` of n values of type T."""

    def __class_getitem__(cls, key: Any) -> types.Vec:
        n, elem = key if isinstance(key, tuple) else (key, Real)
        return types.Vec(_size(n, "Vec"), as_type(elem))


class Fin:
    """The type of an index: `Fin[n]` holds the integers 0, ..., n - 1."""

    def __class_getitem__(cls, n: Any) -> types.Fin:
        return types.Fin(_size(n, "Fin"))


def _size(n: Any, what: str) -> int:
    k = host_index(n)
    if k is None:
        raise TypeMismatch(f"the size of a {what} must be an integer, not {shown(n)}", here(), f"write {what}[3]")
    if not 0 <= k < LARGEST:
        raise OutOfRange(f"a {what} cannot have size {k}", here(), f"sizes go from 0 to {LARGEST - 1}")
    return k


@dataclasses.dataclass(slots=True)
class Dual:
    """A value `re` and its tangent `du`. As a type, `Dual[T]` is `T` with a `Dual` for each `Real`."""

    re: Any
    du: Any

    def __class_getitem__(cls, t: Any) -> Type:
        return dual(as_type(t))


DUAL = Form("Dual", ("re", "du"), lambda xs: Dual(*xs), Dual)


def dual(t: Type) -> Type:
    """`t` with a `Dual` in the place of each `Real` (and of each `Tan`, which counts as one)."""
    return map_leaves(t, lambda s: Tuple((Real, Tan), DUAL) if s is Real or s is Tan else s)


_structs: dict[type, Tuple] = {}
_forms: dict[type, Form] = {}
_dicts: dict[tuple[str, ...], Form] = {}


@dataclass_transform()
def struct(cls: C) -> C:
    """Make `cls` a dataclass whose annotations are types of Rose: a type for parameters and results.

    Its methods are ordinary Python, and run anew at each use, as macros do.
    """
    made = dataclasses.dataclass(cls)
    scope = sys._getframe(1).f_locals  # pyright: ignore[reportPrivateUsage]
    _structs[made] = _struct_type(made, scope)
    return made


def is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def form_of(cls: type) -> Form | None:
    """The form of the structs of a class; None if it is no class of structs."""
    if cls is Dual:
        return DUAL
    form = _forms.get(cls)
    if form is None and dataclasses.is_dataclass(cls):
        names = tuple(f.name for f in dataclasses.fields(cls) if f.init)
        form = _forms[cls] = Form(cls.__name__, names, lambda xs: cls(**dict(zip(names, xs, strict=True))), cls)
    elif form is None and is_named_tuple(cls):
        form = _forms[cls] = Form(cls.__name__, cls._fields, lambda xs: cls(*xs), cls)  # pyright: ignore
    return form


def dict_form(keys: Sequence[str]) -> Form:
    names = tuple(keys)
    form = _dicts.get(names)
    if form is None:
        form = _dicts[names] = Form("dict", names, lambda xs: dict(zip(names, xs, strict=True)))
    return form


def _reduced(f: Form) -> tuple[Any, ...]:
    return (dict_form, (f.fields,)) if f.is_dict else (form_of, (f.cls,))


copyreg.pickle(Form, _reduced)  # a form is found again by its class, or its keys: so types can be pickled


def _struct_type(cls: type, scope: dict[str, Any] | None = None) -> Tuple:
    form = form_of(cls)
    assert form is not None
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        hints.update(base.__dict__.get("__annotations__", {}))
    names = {**vars(sys.modules[cls.__module__]), **(scope or {})}
    items: list[Type] = []
    for field in form.fields:
        hint = getattr(hints[field], "__forward_arg__", hints[field])
        try:
            items.append(as_type(eval(hint, names) if isinstance(hint, str) else hint))
        except NameError as e:
            raise TypeMismatch(f"{cls.__name__}.{field}: {e}", here(), "define it before the struct") from None
    return Tuple(tuple(items), form)


def as_type(hint: Any) -> Type:
    """The type that an annotation stands for."""
    if isinstance(hint, Type):
        return hint
    if hint is None or hint is type(None):
        return Unit
    if hint is float or hint is bool:
        return Real if hint is float else Bool
    if hint is Dual:
        return dual(Real)
    if isinstance(hint, dict):
        return Tuple(tuple(as_type(t) for t in hint.values()), dict_form([str(k) for k in hint]))
    if get_origin(hint) is tuple:
        return tuple_of(*[as_type(t) for t in get_args(hint)])
    if isinstance(hint, type) and form_of(hint) is not None:
        if hint not in _structs:
            _structs[hint] = _struct_type(hint)
        return _structs[hint]
    what = "int" if hint is int else shown(hint)
    raise TypeMismatch(
        f"{what} is not a type that a traced value can have",
        here(),
        "the types are Real, Bool, Fin[n], Vec[n, T], None, tuple[...], dataclasses, named tuples, "
        "and a dict of names to types",
    )


# from Python to the IR

Path = tuple[str | int, ...]


def spell(path: Path) -> str:
    """`("line", "b", 3)` as `line.b[3]`."""
    head, *rest = path or ("the value",)
    return str(head) + "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in rest)


def _wrong(path: Path, t: Type, x: Any, hint: str, loc: Loc | None) -> RoseError:
    what = a_traced(x) if isinstance(x, Value) else shown(x)
    return TypeMismatch(f"{spell(path)} must be a {t!r}, got {what}", loc or here(), hint)


def to_value(x: Any, t: Type, path: Path = (), loc: Loc | None = None) -> Value:
    """`x`, in any way a user may give it, as a traced value of type `t`; `path` names it in errors."""
    x = as_given(x)
    if x.__class__ is Value:
        return _coerce(x, t, path, loc)
    b = builder()
    if t is Tan:
        if is_number(x) and as_number(x, loc or here()) == 0.0:
            return b.zero(Tan)
        raise NotLinear(
            f"{spell(path)} must be a tangent, got {shown(x)}",
            loc or here(),
            "a derivative rule is linear in its tangents: besides them, only the number 0 is a tangent",
        )
    if isinstance(t, types.Vec):
        xs = elements(x, t, path, loc)
        if _holds_numbers(t) and not any(map(is_traced, xs)):
            return b.const(plain(xs, t, path, loc), t)
        return b.pack([to_value(y, t.elem, (*path, k), loc) for k, y in enumerate(xs)], t)
    if isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        return b.tuple([to_value(y, s, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)], t)
    return b.unit() if t is Unit and x is None else b.const(plain(x, t, path, loc), t)


def as_given(x: Any) -> Any:
    """`x`, or the traced value that stands behind it, for the objects that stand for one."""
    return x.as_value() if hasattr(type(x), "as_value") else x


def _coerce(v: Value, t: Type, path: Path, loc: Loc | None) -> Value:
    if v.type is t:
        return v
    if isinstance(v.type, types.Fin):
        if isinstance(t, types.Fin) and v.type.size < t.size:
            return iadd(v, builder().const(0, types.Fin(t.size - v.type.size + 1)))
        if t is Real:
            return real(v)
    if t is Tan and v.op is CONST and v.type is Real and v.attr == 0.0:
        return builder().zero(Tan)
    if t is Tan and v.type is Real:
        raise NotLinear(
            f"{spell(path)} must be a tangent, got {a_traced(v)}",
            loc or here(),
            "a derivative rule is linear in its tangents: each term has one of them as a factor",
        )
    if v.type is Tan and t is Real:
        hint = "a tangent is no number inside a derivative rule; declare the type Tan, or call rose.jvp outside a rule"
        raise _wrong(path, t, v, hint, loc)
    raise _wrong(path, t, v, "give a value of the type that is declared", loc)


def is_traced(x: Any) -> bool:
    """True if a traced value is in `x`, or in what it holds."""
    if isinstance(x, (list, tuple)):
        return any(map(is_traced, x))  # pyright: ignore[reportUnknownArgumentType]
    if x.__class__ is float or x.__class__ is int:
        return False
    form = form_of(type(x))
    return x.__class__ is Value or hasattr(type(x), "as_value") or (form is not None and any(map(is_traced, form.read(x))))


def is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) or getattr(x, "shape", None) == ()


def _holds_numbers(t: Type) -> bool:
    return _holds_numbers(t.elem) if isinstance(t, types.Vec) else t is Real or t is Bool or isinstance(t, types.Fin)


def elements(x: Any, t: types.Vec, path: Path, loc: Loc | None) -> Sequence[Any]:
    """The elements of a list, tuple or array, of which there must be the right number."""
    if hasattr(x, "tolist") and hasattr(x, "shape"):
        x = x.tolist()
    if not isinstance(x, (list, tuple, range)) or is_named_tuple(type(x)):  # pyright: ignore
        hint = "a vector is given as a list, a tuple or an array; of a generator, write rose.vec(...)"
        raise _wrong(path, t, x, hint, loc)
    if len(x) != t.size:  # pyright: ignore[reportUnknownArgumentType]
        raise TypeMismatch(
            f"{spell(path)} must have {t.size} elements, got {len(x)}",  # pyright: ignore[reportUnknownArgumentType]
            loc or here(),
            f"its type is {t!r}",
        )
    return x  # pyright: ignore[reportUnknownVariableType]


def fields(x: Any, t: Tuple, path: Path, loc: Loc | None) -> tuple[list[Any], Sequence[str | int]]:
    """The fields of a struct, and their names: from an object of its class, a dict, or a tuple."""
    names: Sequence[str | int] = t.form.fields if t.form is not None else range(len(t.items))
    if isinstance(x, dict) and t.form is not None:
        if wrong := [k for k in (*x, *names) if k not in x or k not in names]:
            has = "is missing" if wrong[0] in names else "has the unknown"
            hint = f"its fields are {', '.join(map(str, names))}"
            raise TypeMismatch(f"{spell(path)} {has} field {wrong[0]!r}", loc or here(), hint)
        return [x[k] for k in names], names
    form = form_of(type(x))
    if form is not None and form is t.form:
        return form.read(x), names
    if isinstance(x, (list, tuple)) and form is None and len(x) == len(names):  # pyright: ignore[reportUnknownArgumentType]
        return list(x), names  # pyright: ignore[reportUnknownArgumentType]
    kind = "an object of its class, a dict" if t.form is not None else "a tuple"
    raise _wrong(path, t, x, f"give {kind}, or a list of its {len(names)} items in order", loc)


def infer(x: Any, loc: Loc | None = None) -> Value:
    """`x` as a traced value of the type that it shows: a list is a vector, a tuple is a tuple."""
    x = as_given(x)
    if x.__class__ is Value:
        return x
    b = builder()
    if x is None:
        return b.unit()
    if hasattr(x, "tolist") and getattr(x, "shape", ()) != ():
        x = x.tolist()
    form = dict_form(x) if isinstance(x, dict) else form_of(type(x))  # pyright: ignore[reportUnknownArgumentType]
    if form is not None or isinstance(x, tuple):
        items = [infer(y, loc) for y in (x if form is None else form.read(x))]
        return b.tuple(items, Tuple(tuple([v.type for v in items]), form))
    if isinstance(x, list):
        items = [infer(y, loc) for y in x]  # pyright: ignore[reportUnknownVariableType]
        elem = items[0].type if items else Real
        return to_value(x, types.Vec(len(items), elem), (), loc)
    return b.lift(x)


# from outside, and back


def plain(x: Any, t: Type, path: Path = (), loc: Loc | None = None) -> Any:
    """Numbers as Python has them, checked against a type: nested tuples of floats, bools and ints."""
    if t is Real or t is Tan:
        if x.__class__ is float:
            return x
        try:
            return as_number(x, loc or here())
        except TypeMismatch as e:
            raise _wrong(path, t, x, e.hint, loc) from None
    if t is Unit and x is None:
        return None
    if t is Bool and (isinstance(x, bool) or getattr(getattr(x, "dtype", None), "kind", "") == "b"):
        return bool(x)
    if isinstance(t, types.Fin):
        k = host_index(x)
        if k is None:
            raise _wrong(path, t, x, "an index is given as an integer", loc)
        if not 0 <= k < t.size:
            hint = f"it goes from 0 to {t.size - 1}" if t.size else "there is no such index"
            raise OutOfRange(f"{spell(path)} is out of range: {k}", loc or here(), hint)
        return k
    if isinstance(t, types.Vec):
        return tuple([plain(y, t.elem, (*path, k), loc) for k, y in enumerate(elements(x, t, path, loc))])
    if isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        return tuple([plain(y, s, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)])
    raise _wrong(path, t, x, "give a value of the type that is declared", loc)


def present(x: Any, t: Type) -> Any:
    """What `plain` made, as a user sees it: lists for vectors, and the user's own classes."""
    if isinstance(t, types.Vec):
        return [present(y, t.elem) for y in x]
    if isinstance(t, Tuple):
        items = [present(y, s) for y, s in zip(x, t.items, strict=True)]
        return t.form.make(items) if t.form is not None else tuple(items)
    return x


# duals of any shape: a primal value and a tangent value, side by side


class DualVec:
    """A vector of duals, kept as a vector of primals and one of tangents."""

    def __init__(self, re: Value, du: Value) -> None:
        self.re, self.du = re, du

    def __getitem__(self, i: Any) -> Any:
        k = host_index(i)
        t = self.re.type
        assert isinstance(t, types.Vec)
        if k is not None and not -t.size <= k < t.size:
            raise OutOfRange(f"index {k} is out of range for a vector of {t.size}", here(), "see its type")
        b = builder()
        j = i if k is None else k % t.size
        return view_dual(b.index(self.re, j), b.index(self.du, j))

    def __len__(self) -> int:
        assert isinstance(self.re.type, types.Vec)
        return self.re.type.size

    def as_value(self) -> Value:
        return join_dual(self.re, self.du)


def view_dual(re: Value, du: Value) -> Any:
    """A primal and its tangent as a derivative rule sees them: a `Dual` for each `Real`."""
    t = re.type
    if t is Real:
        return Dual(re, du)
    if not t.real:
        return view(re)
    if isinstance(t, types.Vec):
        return DualVec(re, du)
    assert isinstance(t, Tuple)
    b = builder()
    items = [view_dual(b.get(re, k), b.get(du, k)) for k in range(len(t.items))]
    return t.form.make(items) if t.form is not None else tuple(items)


def join_dual(re: Value, du: Value) -> Value:
    """One value of type `Dual[T]`, from a primal and a tangent."""
    b, t = builder(), re.type
    if t is Real:
        return b.tuple([re, du], Tuple((Real, du.type), DUAL))
    if not t.real:
        return re
    if isinstance(t, types.Vec):
        return b.loop(t.size, lambda i: ([], [join_dual(b.index(re, i), b.index(du, i))]))[1][0]
    assert isinstance(t, Tuple)
    items = [join_dual(b.get(re, k), b.get(du, k)) for k in range(len(t.items))]
    return b.tuple(items, Tuple(tuple([x.type for x in items]), t.form))


def split_dual(x: Any, t: Type, tan: Callable[[Type], Type], path: Path = (), loc: Loc | None = None) -> list[Value]:
    """The primal (of type `t`) and the tangent (of type `tan(t)`) of what a user gives as a `Dual[t]`."""
    b = builder()
    if isinstance(x, DualVec):
        return [_coerce(x.re, t, path, loc), _coerce(x.du, tan(t), path, loc)]
    if not t.real:
        return [to_value(x, t, path, loc), b.zero(tan(t))]
    if t is Real:
        if isinstance(x, Value) and isinstance(x.type, Tuple) and x.type.form is DUAL:
            x = Dual(b.get(x, 0), b.get(x, 1))
        if not isinstance(x, Dual):
            raise _wrong(path, dual(t), x, "write rose.Dual(value, tangent)", loc)
        return [to_value(x.re, Real, (*path, "re"), loc), to_value(x.du, tan(Real), (*path, "du"), loc)]
    if isinstance(x, Value) and isinstance(t, types.Vec) and isinstance(x.type, types.Vec):
        return b.loop(t.size, lambda i: ([], split_dual(b.index(x, i), t.elem, tan, path, loc)))[1]
    if isinstance(t, types.Vec):
        pairs = [split_dual(y, t.elem, tan, (*path, k), loc) for k, y in enumerate(elements(x, t, path, loc))]
        made = types.Vec(t.size, t.elem), types.Vec(t.size, tan(t.elem))
        return [b.pack([p[k] for p in pairs], s) for k, s in enumerate(made)]
    assert isinstance(t, Tuple)
    if isinstance(x, Value):
        x = view(x)
    xs, names = fields(x, t, path, loc)
    pairs = [split_dual(y, s, tan, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)]
    whole = tan(t)
    assert isinstance(whole, Tuple)
    return [b.tuple([p[0] for p in pairs], t), b.tuple([p[1] for p in pairs], whole)]


def mentions_tangent(x: Any) -> bool:
    """True if a traced tangent is in `x`, or in what it holds."""
    if isinstance(x, Value):
        return x.type.linear
    if isinstance(x, DualVec):
        return x.du.type.linear
    if isinstance(x, (list, tuple)):
        return any(map(mentions_tangent, x))  # pyright: ignore[reportUnknownArgumentType]
    form = form_of(type(x))
    return form is not None and any(map(mentions_tangent, form.read(x)))



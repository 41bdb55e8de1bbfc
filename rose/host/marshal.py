"""Plain Python values in and out of traced functions and modules, and what is wrong with an argument."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import chain
from typing import Any, TypeGuard, cast

from ..errors import Loc, OutOfRange, RoseError, TypeMismatch, here
from ..ir import CONST, INDEX, Value, a_traced, as_number, current_builder, is_tracing, shown, types
from ..ir.forms import COMPLEX, DUAL, form_of, is_named_tuple
from ..ir.numbers import as_single, complex_of, digits, is_truth, of_objects
from ..ir.sizes import differ
from ..ir.tracing import has_ended
from ..ir.types import Bool, Real, Single, Tan, Tuple, Type, Unit, double, is_complex
from ..ir.value import escaped, host_index

Path = tuple[str | int, ...]


def spell(path: Path) -> str:
    """`("line", "b", 3)` as `line.b[3]`, and `("the sum", "b", 3)` as `b[3] of the sum`."""
    head, *rest = path or ("the value",)
    part = "".join([f"[{k}]" if isinstance(k, int) else f".{k}" for k in rest])
    return f"{part.removeprefix('.')} of {head}" if part and " " in str(head) else f"{head}{part}"


def misfit(path: Path, t: Type, x: Any, hint: str, loc: Loc | None) -> RoseError:
    what = a_traced(x) if isinstance(x, Value) else shown(x)
    return TypeMismatch(f"{spell(path)} must be a {t!r}, got {what}", (loc or here()).into(path[1:]), hint)


def as_given(x: Any, loc: Loc | None = None) -> Any:
    """`x`, or the traced value that stands behind it, for the objects that stand for one.

    This is the one door for arrays of objects, which NumPy makes of traced values: they become lists, as users write.
    """
    if x.__class__ in _PLAIN:
        return x
    if of_objects(x):
        shape: tuple[int, ...] = x.shape
        if 0 in shape[:-1]:  # which lists do not tell
            return current_builder().zero(reduce(lambda t, n: types.Vec(n, t), reversed(shape), cast("Type", Real)))
        return _whole(x.tolist())
    return x.as_value(loc) if hasattr(x.__class__, "as_value") else x


_PLAIN = {Value, float, int, bool, list, tuple}


def _whole(x: Any) -> Any:
    """The content of an array of objects: nested lists, with a traced vector in the place of a list of its elements."""
    if x.__class__ is not list:
        return x
    items: list[Any] = [*map(_whole, x)]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    read = [y.args for y in items if y.__class__ is Value and y.op is INDEX and y.args[1].op is CONST]
    if not items or len(read) < len(items) or differ(read[0][0].type.size, len(items)):
        return items
    return read[0][0] if all([v is read[0][0] and i.attr == k for k, (v, i) in enumerate(read)]) else items


def how_to_write(have: Type | None, want: Type) -> str:
    """The hint for coming from one type to another (None: from a Python value)."""
    if isinstance(want, Tuple):
        return f"give {_items(want)}"
    if isinstance(want, types.Vec):
        if isinstance(have, types.Vec) and have.elem is not want.elem:
            return f"its elements are of type {have.elem!r}, not {want.elem!r}"
        if isinstance(have, types.Vec):
            return f"v[:{want.size}] has {want.size} elements" if have.size > want.size else "both must be of one size"
        return f"a list of {want.size} items makes one"
    if isinstance(want, types.Fin):
        wraps = "; i % n is below n" if isinstance(have, types.Fin) else ""
        return f"an index from 0 to {want.size - 1} comes from rose.range, or is an integer{wraps}"
    if want is Unit:
        return "None as a type is for what has no value: write the type in its place"
    if want is Bool:
        return "a Bool is a comparison, such as x > 0.0" if have is not None else "a Bool is True or False"
    if want is Real and have is Bool:
        return "rose.select(condition, 1.0, 0.0) makes a number of a condition"
    if want is Real and have is not None and is_complex(have):
        return "take its .real, its .imag or its abs"
    if want is Real and isinstance(have, (types.Vec, Tuple)):
        return "name an element, or take the rose.sum" if isinstance(have, types.Vec) else "name one of its items"
    return "give a value of the type that is declared"


def _items(t: Tuple) -> str:
    """The ways to give a struct or a tuple."""
    if t.form is DUAL:
        return "rose.Dual(value, tangent)"
    if t.form is not None and t.form.is_dict:
        return f"a dict with the keys {', '.join(t.form.fields)}"
    kind = f"a {t.form.name}, a dict" if t.form is not None else "a tuple"
    return f"{kind}, or a list of its {len(t.items)} items in order"


def is_dict(x: Any) -> TypeGuard[dict[Any, Any]]:
    return isinstance(x, dict)


def is_listing(x: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(x, (list, tuple))


def elements(x: Any, t: types.Vec, path: Path, loc: Loc | None) -> Sequence[Any]:
    """The elements of a list, tuple or array, of which there must be the right number."""
    if hasattr(x, "tolist") and hasattr(x, "shape"):
        x = [*x] if _record_names(x) and x.shape else _of_kind(x, t).tolist()
    elif isinstance(t.elem, Tuple) and (columns := table_columns(x, t.elem)) is not None:
        x = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    if not isinstance(x, (list, tuple, range)) or is_named_tuple(type(x)):  # pyright: ignore
        hint = "a vector is given as a list, a tuple or an array" + "; rose.vec(...) makes one" * is_tracing()
        if t.size == 4 and t.elem is types.Fin(2**16) and host_index(x) is not None:  # as a key is
            hint = f"make a key of the seed: rose.random.key({host_index(x)})"
        raise misfit(path, t, x, hint, loc)
    if differ(len(x), t.size):  # pyright: ignore[reportUnknownArgumentType]
        for y in x if is_tracing() else ():  # pyright: ignore[reportUnknownVariableType]
            if isinstance(y, Value):
                current_builder().reach(y)  # a list over rose.range has one item, which is not to be used: say that
        what = f"{spell(path)} must have {t.size} elements, got {len(x)}"  # pyright: ignore[reportUnknownArgumentType]
        raise TypeMismatch(what, (loc or here()).into(path[1:]), f"its type is {t!r}")
    return x  # pyright: ignore[reportUnknownVariableType]


def _of_kind(x: Any, t: Type) -> Any:
    """An array, or a column of a table, of conditions as one of numbers, where they are meant; and of 0 and 1 back."""
    while isinstance(t, types.Vec):
        t = t.elem
    kind = getattr(getattr(x, "dtype", None), "kind", "")
    if kind == "b" and t in (Real, Tan, Single):
        return x.astype(float)
    if kind in ("i", "u") and t is Bool and bool(((x == 0) | (x == 1)).all()):
        return x.astype(bool)
    return x


def table_columns(x: Any, t: Tuple) -> dict[str, Any] | None:
    """The columns of a table that belong to the fields of a struct; None if `x` is no table.

    Tables are data frames (pandas, polars), which have their names as `columns`, and those of Arrow: `column_names`.
    """
    if is_listing(x) or t.form is None or not hasattr(x, "columns") or not hasattr(x, "__getitem__"):
        return None
    present = {*getattr(x, "column_names", x.columns)}
    return {k: x[k] for k in t.form.fields if k in present}


def _record_names(x: Any) -> Sequence[str] | None:
    """The names of the fields of a record of NumPy, or of an array of them; None of all else."""
    return getattr(getattr(x, "dtype", None), "names", None)


def fields(x: Any, t: Tuple, path: Path, loc: Loc | None) -> tuple[list[Any], Sequence[str | int]]:
    """The fields of a struct, and their names: from an object of its class, a dict, or a tuple."""
    names = t.names
    if x.__class__ is dict and t.form is not None and len(x) == len(names) and all([k in x for k in names]):
        return [x[k] for k in names], names
    form = form_of(x.__class__)
    if t.form is COMPLEX:
        return _parts(x, t, path, loc), names
    if form is not None and form is t.form:  # first: to ask a Dual for what it has not makes an error with its hint
        return form.read(x), names
    if (columns := _record_names(x)) and x.shape == ():
        x = {k: x[k] for k in t.form.fields if k in columns} if t.form is not None else [x[k] for k in columns]
    if form is None and (table := table_columns(x, t)) is not None:  # a struct of vectors
        x = table
    if is_dict(x) and t.form is not None:
        if wrong := [k for k in (*x, *names) if k not in x or k not in names]:
            has = "is missing" if wrong[0] in names else "has the unknown"
            hint = f"its fields are {', '.join(map(str, names))}"
            raise TypeMismatch(f"{spell(path)} {has} field {wrong[0]!r}", (loc or here()).into(path[1:]), hint)
        return [x[k] for k in names], names
    items = x if form is None and is_listing(x) and len(x) == len(names) else t.form and t.form.other(x)
    if items is not None:
        return list(items), names
    raise misfit(path, t, x, f"give {_items(t)}", loc)


def _parts(x: Any, t: Tuple, path: Path, loc: Loc | None) -> list[Any]:
    """The real and the imaginary part of a number."""
    if (z := complex_of(x)) is not None:
        return [z.real, z.imag]
    if x.__class__ is tuple and len(x) == 2:  # as plain values have it
        return [*x]
    try:
        return [as_number(x, loc or here()), 0.0]
    except TypeMismatch:
        raise misfit(path, t, x, "a Complex is written as a number, such as 1.0 or 2j", loc) from None


def plain(x: Any, t: Type, path: Path = (), loc: Loc | None = None) -> Any:
    """Numbers as Python has them, checked against a type: nested tuples of floats, bools and ints."""
    if x.__class__ is Value:
        if has_ended(x):
            raise escaped(x, loc or here())
        hint = "a compiled function takes numbers: in an @fn function, call the @fn function that was compiled"
        raise misfit(path, t, x, hint, loc)
    if t is Real or t is Tan or t is Single:
        if x.__class__ is float and t is not Single:
            return x
        try:
            return as_single(x, loc or here()) if t is Single else as_number(x, loc or here())
        except TypeMismatch as e:
            several = isinstance(x, (list, tuple)) or getattr(x, "shape", ()) != ()
            many = "give one number: f.map(xs), or rose.vmap(f)(xs), is f of each of many; Vec[n] is a type of several"
            if is_tracing():
                many = "give one number: Vec[n] and tuple[...] are the types of several"
            hint = many if several else e.hint
            raise misfit(path, t, x, hint, loc) from None
    if t is Unit and x is None:
        return None
    if t is Bool and is_truth(x):
        return bool(x)
    if isinstance(t, types.Fin):
        k = host_index(x)
        if k is None:
            raise misfit(path, t, x, "an index is given as an integer", loc)
        if not 0 <= k < t.size:
            hint = f"it goes from 0 to {t.size - 1}" if t.size else "there is no such index"
            raise OutOfRange(f"{spell(path)} is out of range: {digits(k)}", (loc or here()).into(path[1:]), hint)
        return k
    if isinstance(t, types.Vec):
        xs = elements(x, t, path, loc)
        done = at_once(xs, t.elem)
        return tuple([plain(y, t.elem, (*path, k), loc) for k, y in enumerate(xs)]) if done is None else done
    if isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        return tuple([plain(y, s, (*path, k), loc) for y, s, k in zip(xs, t.items, names, strict=True)])
    raise misfit(path, t, x, how_to_write(None, t), loc)


def at_once(xs: Sequence[Any], t: Type) -> tuple[Any, ...] | None:
    """`plain` of each of many values, column by column; None if one is unusual, or wrong: `plain` says which."""
    classes = {*map(type, xs)}
    if isinstance(t, types.Vec):
        return _rows_at_once(xs, t) if classes <= _LISTS and _of_length(xs, t.size) else None
    if isinstance(t, Tuple):
        return _structs_at_once(xs, t)
    if isinstance(t, types.Fin):
        inside = t.size.__class__ is int and classes <= {int} and (not xs or (min(xs) >= 0 and max(xs) < t.size))
        return tuple(xs) if inside else None
    return tuple(xs) if t in _USUAL and classes <= {_USUAL[t]} else None


_LISTS: set[type] = {list, tuple}
_USUAL: dict[Type, type] = {Real: float, Bool: bool, Unit: type(None)}


def _of_length(xs: Sequence[Any], n: Any) -> bool:
    return n.__class__ is int and {*map(len, xs)} <= {n}


def _rows_at_once(xs: Sequence[Any], t: types.Vec) -> tuple[Any, ...] | None:
    flat = at_once([*chain.from_iterable(xs)], t.elem)
    return None if flat is None else tuple([flat[k * t.size : (k + 1) * t.size] for k in range(len(xs))])


def _structs_at_once(xs: Sequence[Any], t: Tuple) -> tuple[Any, ...] | None:
    rows = rows_at_once(xs, t)
    if rows is None:
        return None
    given = zip(*rows, strict=True) if rows else [()] * len(t.items)
    columns = [at_once(column, s) for column, s in zip(given, t.items, strict=True)]
    if None in columns:
        return None
    return tuple(zip(*columns, strict=True)) if columns else ((),) * len(rows)  # pyright: ignore


def rows_at_once(xs: Sequence[Any], t: Tuple) -> Sequence[Sequence[Any]] | None:
    """The fields of each of many structs, if all are of one class, in few calls; None if one is unusual, or wrong."""
    form, n, classes = t.form, len(t.items), {*map(type, xs)}
    if form is not None and form.get is not None and classes == {form.cls}:
        return [*map(form.get, xs)]
    if classes <= _LISTS and form is not COMPLEX:
        return xs if _of_length(xs, n) else None
    if form is not None and classes == {dict} and _of_length(xs, n):
        rows = [[x[k] for k in form.fields if k in x] for x in xs]
        return rows if _of_length(rows, n) else None
    return None


def answer(x: Any, t: Type, path: Path, loc: Loc | None = None) -> Any:
    """The result of an opaque function as a host value: rounded, where it is to have 32 bits, also a NumPy number."""
    wide = double(t)
    return plain(x, t, path, loc) if wide is t else plain(plain(x, wide, path, loc), t, path, loc)


def present(x: Any, t: Type) -> Any:
    """A host value as a user sees it: lists for vectors, and the user's own classes."""
    if isinstance(t, types.Vec):
        return [present(y, t.elem) for y in x]
    if isinstance(t, Tuple):
        return t.make([present(y, s) for y, s in zip(x, t.items, strict=True)])
    return x

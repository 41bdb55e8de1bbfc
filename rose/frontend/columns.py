"""Columns: what a field or an item is in all elements of a vector of structs or tuples, as a vector.

A loop that makes a tuple in each iteration, `rose.scan` or `rose.vmap`, gives a tuple of vectors, its `Columns`: they
are unpacked, and read as one row by an index of an element. A vector of structs, `points`, has the column `points.x`;
one of tuples `pairs[:, 0]`. Each is a map that only moves elements, which fusion puts wherever it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from ..errors import Loc, NoField, OutOfRange, TypeMismatch, edge, here, is_looped, subscript, unpacks_each
from ..ir import Value, current_builder
from ..ir.forms import dict_form, form_of
from ..ir.types import Tuple, Type, as_vec, struct_in
from ..ir.value import host_index
from .operators import is_array, view


class Columns(tuple[Any, ...]):
    """The tuples that a loop makes, one in each iteration, as a tuple of vectors."""

    __slots__ = ()

    @edge
    def __getitem__(self, key: Any) -> Any:
        """A column by its place; a row by an index that is traced; rows by an array of them; `outs[i, 0]`, an item."""
        if key.__class__ is tuple and key:
            of = self[key[-1]]
            return _row(of, key[:-1]) if key[:-1] else of
        if isinstance(key, Value) or is_array(key):
            row = [_row(x, key) for x in items(self)]
            return Columns(row) if is_array(key) else tuple(row)
        if key.__class__ is slice:
            hint = "write outs[0][1:] for a part of a column, and outs[0], outs[1] or a, b = outs for the columns"
            raise TypeMismatch(f"a tuple of {len(self)} columns has no slices", here().narrow(subscript), hint)
        k = host_index(key)
        if k is not None and not -len(self) <= k < len(self):
            what = f"a tuple of {len(self)} columns has no column {k}"
            hint = f"write outs[0][{k}] for an item of the first column: rose.scan and rose.vmap give columns"
            raise OutOfRange(what, here().narrow(subscript), hint)
        return super().__getitem__(key if k is None else k)

    @edge
    def _refuse(self, *_: Any, **__: Any) -> Any:
        hint = "write a, b = outs, and compute with each of them"
        raise TypeMismatch(f"a tuple of {len(self)} columns is no array", here(), hint)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __neg__ = __abs__ = _refuse
    __array__ = __array_ufunc__ = __array_function__ = _refuse

    @edge
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NoField(f"a tuple of {len(self)} columns has no {name}", here(), f"name a column: outs[0].{name}")

    @edge
    def __iter__(self) -> Iterator[Any]:
        return iterated(self, here()) if is_looped(here()) else items(self)


def iterated(x: Any, loc: Loc) -> Iterator[Any]:
    """The items of a loop at `loc`. It takes columns one by one, and one that unpacks each is taken for rows."""
    if x.__class__ is not Columns:
        return iter(x)
    if unpacks_each(loc):
        hint = "write a, b = outs for the columns; for i in rose.range(n) reads the rows, as a[i], b[i]"
        raise TypeMismatch("the columns that rose.scan and rose.vmap give are taken for rows", loc, hint)
    return items(x)


def items(x: Columns) -> Iterator[Any]:
    """The columns, one by one."""
    return tuple[Any, ...].__iter__(x)


def gathered(t: Type, made: Iterator[Value]) -> Any:
    """The view of a loop, in whose iterations a `t` is made, by the vectors of its items."""
    if is_plain(t):
        return Columns([gathered(s, made) for s in t.items])
    return next(made)


def joined_columns(v: Value, t: Type) -> Any:
    """The view of a `v` that has an array in the place of each item, of tuples and of structs."""
    if is_plain(t):
        return Columns([joined_columns(current_builder().get(v, k), s) for k, s in enumerate(t.items)])
    return view(v)


def scattered(v: Value) -> list[Value]:
    """The items of a tuple, and of the tuples in it: of each there will be a vector."""
    if not is_plain(v.type):
        return [v]
    return [x for k in range(len(v.type.items)) for x in scattered(current_builder().get(v, k))]


def is_plain(t: Type) -> TypeGuard[Tuple]:
    """True for a tuple that is no struct."""
    return isinstance(t, Tuple) and t.form is None


def parted(v: Value) -> list[Value]:
    """The columns of a vector of tuples, in the order of `scattered`."""
    t = as_vec(v.type).elem
    if not is_plain(t):
        return [v]
    return [x for k in range(len(t.items)) for x in parted(column(v, k))]


def length(x: Any) -> Any:
    """How many rows columns have; None if there is no vector among them."""
    if isinstance(x, Value):
        return as_vec(x.type).size
    return next((n for n in map(length, _parts(x)) if n is not None), None)


def _parts(x: Any) -> list[Any]:
    """The columns in a tuple or a struct of them."""
    form = form_of(x.__class__) or dict_form(list(x) if x.__class__ is dict else ())
    return [*items(x)] if isinstance(x, Columns) else form.read(x)


def _row(x: Any, key: Any) -> Any:
    """The row at an index of a column, or of a struct of columns."""
    if isinstance(x, (Value, Columns)):
        return x[key]
    form = form_of(x.__class__) or dict_form(list(x))
    return form.make([_row(c, key) for c in form.read(x)])


def column(v: Value, k: int) -> Value:
    """The array of the `k`-th field of each struct in an array."""
    b = current_builder()
    if isinstance(v.type, Tuple):
        return b.get(v, k)
    return b.vec(as_vec(v.type).size, lambda i: column(b.index(v, i), k))


def named_column(v: Value, name: str) -> Any:
    """The column of that name of an array of structs, which have it."""
    t = struct_in(v.type)
    assert t is not None and t.form is not None
    return view(column(v, t.form.fields.index(name)))


def item_of(t: Tuple, key: Any) -> int:
    """The place of an item of a tuple, or of a struct, as it is written in the index of an array of them."""
    if t.form is not None and key.__class__ is str and key in t.form.fields:
        return t.form.fields.index(key)
    k = host_index(key)
    if t.form is not None and not issubclass(t.form.cls, tuple):
        hint = f"write v.{t.form.fields[0]}" if t.form.fields else "leave it out"
        raise TypeMismatch(f"the fields of a {t!r} have names, and no places", here().narrow(subscript), hint)
    if k is None or not -len(t.items) <= k < len(t.items):
        hint = f"write an integer from 0 to {len(t.items) - 1}" if t.items else "leave it out: it has no items"
        kind = TypeMismatch if k is None else OutOfRange
        raise kind(f"there is no such item of a {t!r}", here().narrow(subscript), hint)
    return k % len(t.items)


def how_to_unpack(t: Tuple) -> str:
    """The hint for a vector of tuples, or named ones, that is spread over names."""
    few = ", ".join(_columns_of(t, 1)[:3])
    return f"write {few} for the columns, and v[0], v[1] for the elements"


def how_to_compute(v: Value) -> str:
    """The hint for an array of structs or tuples with which an array of numbers is computed."""
    t = struct_in(v.type)
    columns = [] if t is None else _columns_of(t, v.type.depth - t.depth)
    return f"compute with a column of it: {columns[0]}" if columns else "leave it out: they have no items"


def _columns_of(t: Tuple, axes: int) -> list[str]:
    """How the columns of an array of structs are written."""
    if t.form is None:
        return [f"v[{':, ' * axes}{k}]" for k in range(len(t.items))]
    return [f'v["{k}"]' if t.form.is_dict else f"v.{k}" for k in t.form.fields]

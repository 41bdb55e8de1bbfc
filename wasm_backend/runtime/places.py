"""Places of values in the linear memory of a module: they are written from a user's arguments, and read as results.

`put` is the fast path for the usual arguments; all others go through `rose.host.marshal.plain`, which alone decides
what is accepted, and how the rest is refused. A number has a cell, and vectors are arrays (`arrays.py`): a function of
numbers and of structs of them runs without NumPy, and sooner.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

from rose.errors import Loc, RoseError, TypeMismatch, here
from rose.host.marshal import Path, fields, plain, rows_at_once, spell, table_columns
from rose.ir import shown
from rose.ir.sizes import number as number_of
from rose.ir.types import Fin, Real, Tuple, Type, as_tuple, double, is_complex

from ..abi.layout import Kind, Plan, packing, plan, size
from .numbers import LARGEST_SINGLE, Shape, is_array, is_exact, nothing, numbers_of

if TYPE_CHECKING:
    from .arrays import Array, Leaf, Pairs

Place: TypeAlias = "Cell | Leaf | Struct"

_USUAL: dict[str, type] = {"real": float, "bool": bool}


def _arrays():
    """The places that need NumPy."""
    from . import arrays

    return arrays


class Cell:
    """One number, truth or index in memory, or what takes no bytes."""

    shape: Shape = ()
    is_vector = False
    seen = staticmethod(nothing)

    def __init__(self, p: Plan, kind: Kind, at: int, memory: Any) -> None:
        self.plan, self.kind, self.at, self.memory = p, kind, at, memory
        self.limit = p.elem.size if isinstance(p.elem, Fin) else 0
        self.usual = _USUAL.get(kind.name)  # the class of numbers that need no check
        self.cell: memoryview[Any] | None = None
        if kind.bytes:
            self.cell = memoryview(memory).cast("B")[at : at + kind.bytes].cast(kind.format)  # pyright: ignore

    def read(self) -> Any:
        return None if self.cell is None else self.cell[0]

    peek = read

    def leaves(self) -> list[Any]:
        return [self]

    @property
    def view(self) -> Any:
        """The number as an array."""
        return _arrays().one(self.kind.dtype, self.memory, self.at)

    def takes(self, out: Any) -> bool:
        """False: a number is returned, and not written to an `out`."""
        return False

    def columns_of(self, out: Any) -> Pairs | None:
        return None

    def put(self, x: Any) -> bool:
        """Write `x`; False if it cannot be written, or if it takes `plain` to decide."""
        if self.cell is None:
            return x is None
        if x.__class__ is self.usual or self._fits(x):
            self.cell[0] = x
            return True
        return False

    def _fits(self, x: Any) -> bool:
        match self.kind.name:
            case "real":
                return isinstance(x, float) or (x.__class__ is int and is_exact(x))
            case "single":
                return x.__class__ is float and not LARGEST_SINGLE < abs(x) < inf
            case "index":
                return x.__class__ is int and 0 <= x < number_of(self.limit)
            case _:
                return False


class Pair(Cell):
    """One complex number in memory."""

    def __init__(self, p: Plan, kind: Kind, at: int, memory: Any) -> None:
        super().__init__(p, kind._replace(bytes=0), at, memory)
        self.kind, codec = kind, struct.Struct("=" + kind.format)
        self.pack, self.unpack = partial(codec.pack_into, memory, at), partial(codec.unpack_from, memory, at)

    def read(self) -> Any:
        return complex(*self.unpack())

    peek = read

    def put(self, x: Any) -> bool:
        if x.__class__ is not complex and x.__class__ is not float and x.__class__ is not tuple:
            return False
        re, im = x if x.__class__ is tuple else (x.real, x.imag)
        if self.kind.name != "complex" and any([LARGEST_SINGLE < abs(y) < inf for y in (re, im)]):
            return False
        self.pack(re, im)
        return True


class Struct:
    """A struct or tuple in memory, or a vector of them (a struct of arrays): each field is a place."""

    def __init__(self, p: Plan, t: Tuple, at: int, memory: Any, lead: Shape, strides: Shape) -> None:
        self.plan, self.type, self.at, self.memory = p, t, at, memory
        self.lead, self.strides = lead, strides = lead + numbers_of(p.dims), strides + numbers_of(p.strides)
        self.is_vector = bool(lead)
        each = zip(p.items, numbers_of(p.at), strict=True)
        self.items = items = [place_of(x, at + k, memory, lead, strides) for x, k in each]
        self.make = t.make
        self.cls = t.form.cls if t.form is not None and t.form.get is not None and not lead else None
        self.get: Any = t.form.get if t.form is not None else None
        self.usual: tuple[type, ...] | None = None  # the classes of its numbers, if they are written all at once
        usual = tuple([x.usual for x in items if isinstance(x, Cell) and x.usual is not None])
        if usual and len(usual) == len(items):
            codec = struct.Struct("=" + packing(t))
            self.usual, self.pack = usual, partial(codec.pack_into, memory, at)
            self.unpack = partial(codec.unpack_from, memory, at)

    def read(self) -> Any:
        columns = self.unpack() if self.usual is not None else [x.read() for x in self.items]
        return _rows(self.make, columns, self.lead) if self.lead else self.make(columns)

    def peek(self) -> Any:
        """A struct of views; the view of a vector of structs is an array of records."""
        if self.lead:
            if (view := _arrays().records(self.plan, self.lead, self.memory, self.at, self.strides)) is not None:
                return view
        return _rows(self.make, [x.peek() for x in self.items], self.lead)

    def leaves(self) -> list[Any]:
        return [leaf for x in self.items for leaf in x.leaves()]

    seen = staticmethod(nothing)

    def takes(self, out: Any) -> bool:
        """False: an `out` is looked at column by column."""
        return False

    def columns_of(self, out: Any) -> Pairs | None:
        """The arrays to write and what is written into each, if `out` is an array of such records; else None."""
        if not is_array(out):
            return None
        if (columns := _arrays().array_columns(self.type, out, self.lead)) is None:
            return None
        parts = [x.columns_of(column) for x, column in zip(self.items, columns, strict=True)]
        return None if None in parts else [pair for pairs in parts for pair in pairs or ()]

    def put(self, x: Any) -> bool:
        columns = self.get(x) if x.__class__ is self.cls else _columns(self.type, x, self.lead)
        if columns is None:
            return False
        if self.usual is not None and (*map(type, columns),) == self.usual:
            self.pack(*columns)
            return True
        for item, column in zip(self.items, columns, strict=True):
            if not item.put(column):
                return False
        return True


def place_of(p: Plan, at: int, memory: Any, lead: Shape = (), strides: Shape = ()) -> Place:
    """The place of a value at an address. A type without bytes needs no memory."""
    if p.kind is None:
        return Struct(p, as_tuple(p.elem), at, memory, lead, strides)
    if not lead and not p.dims and is_complex(p.elem):
        return Pair(p, p.kind, at, memory)
    if not lead and not p.dims:
        return Cell(p, p.kind, at, memory)
    return _arrays().Leaf(p, p.kind, at, memory, lead, strides)


def filled(x: Any, t: Type, path: Path) -> Place:
    """A place of its own with `x` in it; a `RoseError` that names its `path` if it does not fit."""
    place = place_of(plan(t), 0, bytearray(number_of(size(t))))
    fill(place, x, path)
    return place


def _rows(make: Callable[[Sequence[Any]], Any], columns: Sequence[Any], lead: Shape) -> Any:
    """The list of structs, from the columns of their fields."""
    if not lead:
        return make(columns)
    rows = zip(*columns, strict=True) if columns else [()] * lead[0]
    return [_rows(make, row, lead[1:]) for row in rows]


def _columns(t: Tuple, x: Any, lead: Shape) -> Sequence[Any] | None:
    """The columns of the fields, from an array or a list of structs; None if `x` is neither, or unusual."""
    form = t.form
    if not lead:
        if form is not None and x.__class__ is form.cls and form.get is not None:
            return form.get(x)
        try:
            return fields(x, t, (), None)[0]
        except RoseError:
            return None
    if is_array(x):
        return _arrays().array_columns(t, x, lead)
    if (table := table_columns(x, t)) is not None:
        return _arrays().arrays(table.values()) if len(lead) == 1 and len(table) == len(t.items) else None
    if x.__class__ not in (list, tuple) or len(x) != lead[0]:
        return None
    rows = rows_at_once(x, t) if len(lead) == 1 else None
    if rows is None and (rows := _each(t, x, lead[1:])) is None:
        return None
    return list(zip(*rows, strict=True)) if rows else [() for _ in t.items]  # pyright: ignore


def _each(t: Tuple, xs: Sequence[Any], lead: Shape) -> Sequence[Any] | None:
    """`_columns` of each of several; None from the first on for which it is: an error takes long to make."""
    rows: list[Sequence[Any]] = []
    for x in xs:
        if (row := _columns(t, x, lead)) is None:
            return None
        rows.append(row)
    return rows


def fill(place: Place, x: Any, path: Path, loc: Loc | None = None) -> None:
    """Write `x` to a place; a `RoseError` that names its `path` if it does not fit."""
    if place.put(x):
        return
    t, dims = place.plan.type, numbers_of(place.plan.dims)
    if is_array(x) and x.shape != dims and not isinstance(place, Struct):
        what = f"{spell(path)} must have the shape {dims}, got {x.shape}"
        each = (
            ": f.map(xs), or rose.vmap(f)(xs), is f of each of many" if x.shape[1:] == dims and len(path) == 1 else ""
        )
        raise TypeMismatch(what, loc or here(), f"give an array of the shape {dims}{each}")
    done = place.put(narrow(x, t, path, loc))
    assert done, f"{path}: a {t!r} that cannot be written"


def copied(x: Any, t: Type) -> Any:
    """A plain value as a compiled function would return it: with NumPy arrays for vectors."""
    return filled(x, t, ("the result",)).read()


def number(x: Any, t: Type, path: Path) -> Any:
    """A scalar argument of an unusual class, converted; a `RoseError` if it does not fit."""
    if t is Real and (isinstance(x, float) or (x.__class__ is int and is_exact(x))):
        return float(x)
    return narrow(x, t, path)


def narrow(x: Any, t: Type, path: Path, loc: Loc | None = None) -> Any:
    """`plain`, but in single precision NumPy's numbers of more than 32 bits are refused. Python's are rounded."""
    made = plain(x, t, path, loc)
    if double(t) is not t and sys.modules.get("numpy") is not None:
        _arrays().refuse_wide(x, t, path, loc)
    return made


def destination(place: Place | None, t: Type, out: Any, view: bool) -> Callable[[], Any]:
    """The function that reads a result from its place without a new copy: into `out`, or as views of the memory."""
    if out is None:
        return place.peek if place is not None else lambda: None  # a number is returned without it
    if view or place is None or not place.is_vector:
        hint = "leave out `out`, which takes a vector of numbers or of structs, and not together with `view`"
        raise TypeMismatch(f"out cannot be given here: the result is a {t!r}", here(), hint)
    pairs = place.columns_of(out)
    if pairs is not None:
        return partial(_into, out, pairs)
    raise _cannot_take(place, out)


def _cannot_take(place: Place, out: Any) -> TypeMismatch:
    """The error of an `out` that is not as the result is."""
    got = shown(out)
    if is_array(out):
        got = f"{'one' if out.flags.writeable else 'a read-only one'} of shape {out.shape} of {out.dtype}"
    if isinstance(place, Struct):
        what = f"out must be an array of {place.type!r} of shape {place.lead}, got {got}"
        return TypeMismatch(what, here(), "give one like f(x, view=True).copy()")
    assert not isinstance(place, Cell)
    shape, dtype = place.shape, place.result_dtype
    what = f"out must be an array of shape {shape} of {dtype}, got {got}"
    return TypeMismatch(what, here(), f"make one with np.empty({shape}, np.{dtype})")


def _into(out: Array, pairs: Pairs) -> Array:
    for column, view in pairs:
        column[...] = view
    return out

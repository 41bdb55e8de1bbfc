"""Marshalling: values in the linear memory of a module, written from a user's arguments and read as results.

The bytes of a place are a NumPy array, so that a vector of numbers is copied in one go, whatever its strides. `put` is
the fast path for the usual arguments; all others go through `rose.host.marshal.plain`, which alone decides what is
accepted, and how the rest is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from types import NoneType
from typing import Any, TypeGuard, cast
from weakref import ref

import numpy as np

from rose.errors import Loc, RoseError, TypeMismatch, here
from rose.host.marshal import Path, elements, fields, plain, rows_at_once, spell, table_columns
from rose.ir import Value, shown
from rose.ir.numbers import WHOLE
from rose.ir.sizes import Size
from rose.ir.sizes import number as number_of
from rose.ir.types import Fin, Real, Single, Tuple, Type, Unit, Vec, as_tuple, double

from ..abi.layout import Kind, Plan, packing, plan, size

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
Shape = tuple[int, ...]
Pairs = list[tuple[Array, Array]]

LARGEST_SINGLE = float(np.finfo(np.float32).max)

_INTS: set[type] = {int, *[np.dtype(c).type for c in np.typecodes["AllInteger"]]}
_REALS: set[type] = {float, *_INTS, *[np.dtype(c).type for c in np.typecodes["Float"]]}
_FLOATS: set[type] = _REALS - _INTS
_SINGLES: set[type] = {float, np.float32, np.float16}
# by the kind of the scalars in memory, the kinds of dtypes and the classes of numbers that can be written there
_ACCEPTED: dict[str, tuple[str, set[type]]] = {
    "real": ("iufb", _REALS), "single": ("fb", _SINGLES), "index": ("iu", _INTS), "bool": ("biu", {bool, np.bool_}),
    "unit": ("", {NoneType}),
}  # fmt: skip
_USUAL: dict[str, type] = {"real": float, "bool": bool}


def is_array(x: Any) -> TypeGuard[Array]:
    return isinstance(x, np.ndarray)


def _result_dtype(dtype: DType) -> DType:
    """The dtype of a result: signed for indices, so that a user can subtract them."""
    return np.dtype("i8") if dtype.kind == "u" else dtype


def _nothing() -> None: ...


class Leaf:
    """Numbers, booleans or indices in memory: one, or a vector of them, or a vector of vectors.

    Its `lead` is the shape of the vectors of structs around it: in a vector of three points, the first
    coordinates are a leaf of lead (3,), whose numbers are not adjacent.
    """

    def __init__(self, p: Plan, kind: Kind, at: int, memory: Any, lead: Shape, strides: Shape) -> None:
        self.plan, dims, t = p, numbers_of(p.dims), p.elem
        self.shape, self.depth, self.is_vector = lead + dims, len(lead), bool(dims) and t is not Unit
        self.limit, self.single = t.size if isinstance(t, Fin) else None, t is Single
        self.dtype = dtype = np.dtype(kind.dtype)
        self.result_dtype = _result_dtype(dtype)
        self.kinds, self.classes = _ACCEPTED[kind.name]
        self.usual = None if self.shape else _USUAL.get(kind.name)  # the class of numbers that need no check
        strides += numbers_of(p.strides)
        if t is Unit:
            self.view: Array = np.broadcast_to(np.array(None), self.shape)
        elif 0 in self.shape:
            self.view = np.empty(self.shape, dtype)
        else:
            self.view = np.ndarray(self.shape, dtype, memory, at, strides)
        self.fixed = self.view.view()  # read-only, and so are views of it
        self.fixed.flags.writeable = False
        self.seen: Callable[[], Any] = _nothing
        self.pack: Callable[..., None] | None = None  # writes the numbers of lists, twice as fast as NumPy
        if t is Real and self.shape and 0 not in self.shape and self.view.flags.c_contiguous:
            self.pack = partial(struct.Struct(f"{self.view.size}d").pack_into, memory, at)
        self.cell: memoryview[Any] | None = None  # of one number: twice as fast as an array
        if not self.shape and t is not Unit:
            self.cell = memoryview(memory).cast("B")[at : at + dtype.itemsize].cast(dtype.char)  # pyright: ignore

    def read(self) -> Any:
        """A copy of the value: a Python number, or arrays."""
        if self.cell is not None:
            return self.cell[0]
        if not self.is_vector:
            return self.view.tolist()
        copy = self.view.copy() if self.limit is None else self.view.astype(self.result_dtype)
        return _nested(copy, self.depth) if self.depth else copy

    def peek(self) -> Any:
        """The value, with a read-only view of the memory in the place of each array."""
        if not self.is_vector:
            return self.view.tolist()
        return _nested(self.fixed.view(), self.depth) if self.depth else self.fixed.view()

    def leaves(self) -> list[Leaf]:
        return [self]

    def takes(self, out: Any) -> bool:
        """True if `out` is an array to which the view can be copied as it is; it is the one that was `seen` last."""
        usual = out.__class__ is np.ndarray and out.dtype is self.result_dtype and out.shape == self.shape
        fits = usual and self.is_vector and out.flags.writeable
        if fits:
            self.seen = ref(out)
        return fits

    def columns_of(self, out: Any) -> Pairs | None:
        """The array to write and what is written into it, if `out` is as a result would be; else None."""
        same = is_array(out) and out.dtype in (self.result_dtype, self.dtype) and out.shape == self.shape
        return [(out, self.view)] if same and out.flags.writeable else None

    def put(self, x: Any) -> bool:
        """Write `x`; False if it cannot be written, or if it takes `plain` to decide."""
        if x.__class__ is self.usual and self.cell is not None:
            self.cell[0] = x
            return True
        view = self.view
        if x.__class__ is np.ndarray and x.dtype is self.dtype and x.shape == self.shape and self.limit is None:
            view[...] = x
            return True
        if self.shape and x.__class__ not in _KNOWN and not is_array(x) and hasattr(x, "__array__"):
            x = np.asarray(x)
        numbers = self._listed(x) if self.pack is not None else None
        if numbers is None and not self._fits(x, self.shape):
            return False
        try:
            if self.pack is not None and numbers is not None:
                self.pack(*numbers)
                return True
            if self.limit is not None:
                x = np.asarray(x)
                if x.size and (x.dtype.kind not in "iu" or int(x.min()) < 0 or int(x.max()) >= self.limit):
                    return False
            if self.single and not is_array(x):
                x = np.asarray(x, "f8")
                if ((np.abs(x) > LARGEST_SINGLE) & (np.abs(x) < np.inf)).any():
                    return False
            if self.dtype.kind != "O" and view.size:
                view[...] = x
        except (OverflowError, struct.error):
            return False
        return True

    def _listed(self, x: Any) -> Any:
        """The numbers of a list or of nested lists, flattened; None if there is anything else in it."""
        if x.__class__ not in _SEQUENCES or len(x) != self.shape[0]:
            return None
        rows = cast("list[Any]", x)
        for n in self.shape[1:]:
            if not _LISTS.issuperset(map(type, rows)) or {*map(len, rows)} != {n}:
                return None
            rows = [*chain.from_iterable(rows)]
        return rows if self._takes(rows) else None

    def _takes(self, xs: Sequence[Any]) -> bool:
        """True if NumPy would convert these items as we do, to the same numbers."""
        classes = {*map(type, xs)}
        return classes <= self.classes and (self.dtype.kind != "f" or classes <= _FLOATS or all(map(_is_exact, xs)))

    def _keeps(self, x: Array) -> bool:
        """True if the numbers of an array are the same in memory; truths count as 1.0 and 0.0, and these as truths."""
        kind, to = x.dtype.kind, self.dtype.kind
        if kind == to or not x.size:
            return True
        if kind in "iu" and to == "b":
            return int(x.min()) >= 0 and int(x.max()) <= 1
        if kind == "b":
            return to != "f" or x.shape != ()
        wide = kind in "iu" and to == "f" and not (-WHOLE <= int(x.min()) and int(x.max()) <= WHOLE)
        return not wide or all(map(_is_exact, x.ravel().tolist()))

    def _fits(self, x: Any, shape: Shape) -> bool:
        """True if `x` has this shape, and NumPy would convert its items as we do."""
        if is_array(x):
            if self.single and x.dtype.itemsize > 4:
                return False
            return x.shape == shape and x.dtype.kind in self.kinds and not hasattr(x, "mask") and self._keeps(x)
        if not shape:
            return self._takes((x,))
        if x.__class__ not in _SEQUENCES or len(x) != shape[0]:
            return False
        if len(shape) == 1:
            return self._takes(x)
        return all([self._fits(y, shape[1:]) for y in x])


def _is_exact(x: Any) -> bool:
    """True for what is the same number as a float, a nan among them."""
    if x.__class__ not in _INTS or -WHOLE <= x <= WHOLE:
        return True
    return int(x).bit_length() < 1024 and int(float(x)) == int(x)


_SEQUENCES = (list, tuple, range)
_LISTS = {*_SEQUENCES}
_KNOWN = (*_SEQUENCES, Value)  # not converted to arrays


class Struct:
    """A struct or tuple in memory, or a vector of them (a struct of arrays): each field is a place."""

    def __init__(self, p: Plan, t: Tuple, at: int, memory: Any, lead: Shape, strides: Shape) -> None:
        self.plan, self.type, self.at, self.memory = p, t, at, memory
        self.lead, self.strides = lead, strides = lead + numbers_of(p.dims), strides + numbers_of(p.strides)
        each = zip(p.items, numbers_of(p.at), strict=True)
        self.items = items = [place_of(x, at + k, memory, lead, strides) for x, k in each]
        self.make = t.make
        self.cls = t.form.cls if t.form is not None and t.form.get is not None and not lead else None
        self.get: Any = t.form.get if t.form is not None else None
        self.usual: tuple[type, ...] | None = None  # the classes of its numbers, if they are written all at once
        usual = tuple([x.usual for x in items if isinstance(x, Leaf) and x.usual is not None])
        if usual and len(usual) == len(items):
            codec = struct.Struct("=" + packing(t))
            self.usual, self.pack = usual, partial(codec.pack_into, memory, at)
            self.unpack = partial(codec.unpack_from, memory, at)

    def read(self) -> Any:
        columns = self.unpack() if self.usual is not None else [x.read() for x in self.items]
        return _rows(self.make, columns, self.lead) if self.lead else self.make(columns)

    def peek(self) -> Any:
        """A struct of views; the view of a vector of structs is an array of records."""
        if not self.lead or (record := _record(self.plan)) is None:
            return _rows(self.make, [x.peek() for x in self.items], self.lead)
        view = np.ndarray(self.lead, record, None if 0 in self.lead else self.memory, self.at, self.strides)
        view.flags.writeable = False
        return view.view(np.recarray)

    def leaves(self) -> list[Leaf]:
        return [leaf for x in self.items for leaf in x.leaves()]

    seen = staticmethod(_nothing)

    def takes(self, out: Any) -> bool:
        """False: an `out` is looked at column by column."""
        return False

    def columns_of(self, out: Any) -> Pairs | None:
        """The arrays to write and what is written into each, if `out` is an array of such records; else None."""
        columns = _array_columns(self.type, out, self.lead) if is_array(out) else None
        if columns is None:
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


Place = Leaf | Struct


def place_of(p: Plan, at: int, memory: Any, lead: Shape = (), strides: Shape = ()) -> Place:
    """The place of a value at an address. A type without bytes needs no memory."""
    if p.kind is not None:
        return Leaf(p, p.kind, at, memory, lead, strides)
    return Struct(p, as_tuple(p.elem), at, memory, lead, strides)


def filled(x: Any, t: Type, path: Path) -> Place:
    """A place of its own with `x` in it; a `RoseError` that names its `path` if it does not fit."""
    place = place_of(plan(t), 0, bytearray(number_of(size(t))))
    fill(place, x, path)
    return place


def numbers_of(sizes: Sequence[int | Size]) -> Shape:
    return tuple(map(number_of, sizes))


def _record(p: Plan) -> DType | None:
    """The dtype of one scalar or struct as it lies in memory; None where a part of it has no bytes."""
    if p.kind is not None:
        return np.dtype(p.kind.dtype) if p.kind.bytes else None
    dtypes = [_record(x) for x in p.items]
    if not dtypes or any([x is None for x in dtypes]):  # to which float64 is equal
        return None
    made: Any = {
        "names": [k if isinstance(k, str) else f"f{k}" for k in p.names],
        "formats": [(x, numbers_of(item.dims)) for x, item in zip(dtypes, p.items, strict=True)],
        "offsets": numbers_of(p.at),
        "itemsize": number_of(size(p.elem)),
    }
    return np.dtype(made)


def _nested(x: Array, depth: int) -> Any:
    """An array as lists of arrays, `depth` lists deep."""
    return x if depth == 0 else list(x) if depth == 1 else [_nested(y, depth - 1) for y in x]


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
        return _array_columns(t, x, lead)
    if (table := table_columns(x, t)) is not None:
        return (
            [np.asarray(column) for column in table.values()] if len(lead) == 1 and len(table) == len(t.items) else None
        )
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


def _array_columns(t: Tuple, x: Array, lead: Shape) -> Sequence[Array] | None:
    """The parts of an array that belong to the fields: those of its records by name, or those along its next axis."""
    d, names = len(lead), x.dtype.names
    if hasattr(x, "mask") or x.shape[:d] != lead:
        return None
    if names is None:
        return [*np.moveaxis(x, d, 0)] if x.ndim > d and x.shape[d] == len(t.items) else None
    wanted = names if t.form is None else t.form.fields
    fits = x.ndim == d and len(wanted) == len(t.items) and {*names} >= {*wanted}
    return [np.asarray(x[k]) for k in wanted] if fits else None


def fill(place: Place, x: Any, path: Path, loc: Loc | None = None) -> None:
    """Write `x` to a place; a `RoseError` that names its `path` if it does not fit."""
    if place.put(x):
        return
    t, dims = place.plan.type, numbers_of(place.plan.dims)
    if is_array(x) and x.shape != dims and isinstance(place, Leaf):
        what = f"{spell(path)} must have the shape {dims}, got {x.shape}"
        each = (
            ": f.map(xs), or rose.vmap(f)(xs), is f of each of many" if x.shape[1:] == dims and len(path) == 1 else ""
        )
        raise TypeMismatch(what, loc or here(), f"give an array of the shape {dims}{each}")
    done = place.put(_narrow(x, t, path, loc))
    assert done, f"{path}: a {t!r} that cannot be written"


def copied(x: Any, t: Type) -> Any:
    """A plain value as a compiled function would return it: with NumPy arrays for vectors."""
    return filled(x, t, ("the result",)).read()


def number(x: Any, t: Type, path: Path) -> Any:
    """A scalar argument of an unusual class, converted; a `RoseError` if it does not fit."""
    if t is Real and x.__class__ in _REALS and _is_exact(x):
        return float(x)
    return _narrow(x, t, path)


def _narrow(x: Any, t: Type, path: Path, loc: Loc | None = None) -> Any:
    """`plain`, but in single precision NumPy's numbers of more than 32 bits are refused. Python's are rounded."""
    made = plain(x, t, path, loc)
    if double(t) is not t:
        _refuse_wide(x, t, path, loc)
    return made


def _refuse_wide(x: Any, t: Type, path: Path, loc: Loc | None) -> None:
    array = np.asarray(x) if hasattr(x, "__array__") else None
    if array is not None and array.dtype.kind != "O":
        if double(t) is not t and (lost := _lost(array)) is not None:
            hint = "write x.astype(np.float32) to have it rounded"
            raise TypeMismatch(f"{spell(path)} {lost}", (loc or here()).into(path[1:]), hint)
    elif isinstance(t, Vec):
        for k, y in enumerate(elements(x, t, path, loc)):
            _refuse_wide(y, t.elem, (*path, k), loc)
    elif isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        for y, s, k in zip(xs, t.items, names, strict=True):
            _refuse_wide(y, s, (*path, k), loc)


def _lost(x: Array) -> str | None:
    """The reason why an array does not fit into single precision without loss; None if it does."""
    if x.dtype.names is not None:
        return next(filter(None, [_lost(x[k]) for k in x.dtype.names]), None)
    if x.dtype.kind == "f":
        return f"is of {x.dtype}, and the module computes in float32" if x.dtype.itemsize > 4 else None
    lost = [n for n in x.ravel().tolist() if int(np.float32(n)) != n] if x.dtype.kind in "iu" else []
    return f"{'has' if x.shape else 'is'} {lost[0]}, which float32 cannot hold" if lost else None


def destination(place: Place | None, t: Type, out: Any, view: bool) -> Callable[[], Any]:
    """The function that reads a result from its place without a new copy: into `out`, or as views of the memory."""
    if out is None:
        return place.peek if place is not None else lambda: None  # a number is returned without it
    if view or place is None or not (place.is_vector if isinstance(place, Leaf) else place.lead):
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
    if isinstance(place, Leaf):
        shape, dtype = place.shape, place.result_dtype
        what = f"out must be an array of shape {shape} of {dtype}, got {got}"
        return TypeMismatch(what, here(), f"make one with np.empty({shape}, np.{dtype})")
    what = f"out must be an array of {place.type!r} of shape {place.lead}, got {got}"
    return TypeMismatch(what, here(), "give one like f(x, view=True).copy()")


def _into(out: Array, pairs: Pairs) -> Array:
    for column, view in pairs:
        column[...] = view
    return out

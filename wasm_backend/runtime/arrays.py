"""Arrays in the linear memory of a module: numbers in vectors, which NumPy copies in one go, whatever their strides.

What a vector is written from, and read as, `places.py` says; here are the places that need NumPy.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from types import NoneType
from typing import Any, cast
from weakref import ref

import numpy as np

from rose.errors import Loc, TypeMismatch, here
from rose.host.marshal import Path, elements, fields, spell
from rose.ir import Value
from rose.ir.numbers import WHOLE
from rose.ir.sizes import number as number_of
from rose.ir.types import Fin, Real, Tuple, Type, Unit, Vec, double

from ..abi.layout import Kind, Plan, size
from .numbers import LARGEST_SINGLE, Array, Shape, is_array, is_exact, nothing, numbers_of

DType = np.dtype[Any]
Pairs = list[tuple[Array, Array]]

_INTS: set[type] = {int, *[np.dtype(c).type for c in np.typecodes["AllInteger"]]}
_REALS: set[type] = {float, *_INTS, *[np.dtype(c).type for c in np.typecodes["Float"]]}
_FLOATS: set[type] = _REALS - _INTS
_COMPLEXES: set[type] = _REALS | {complex, *[np.dtype(c).type for c in np.typecodes["Complex"]]}
_SINGLES: set[type] = {float, np.float32, np.float16}
# by the kind of the scalars in memory, the kinds of dtypes and the classes of numbers that can be written there
_ACCEPTED: dict[str, tuple[str, set[type]]] = {
    "real": ("iufb", _REALS), "single": ("fb", _SINGLES), "index": ("iu", _INTS), "bool": ("biu", {bool, np.bool_}),
    "unit": ("", {NoneType}), "complex": ("iufbc", _COMPLEXES),
    "complex_single": ("fbc", {*_SINGLES, complex, np.complex64}),
}  # fmt: skip


def _result_dtype(dtype: DType) -> DType:
    """The dtype of a result: signed for indices, so that a user can subtract them."""
    return np.dtype("i8") if dtype.kind == "u" else dtype


class Leaf:
    """Numbers, booleans or indices in memory: a vector of them, or a vector of vectors.

    Its `lead` is the shape of the vectors of structs around it: in a vector of three points, the first
    coordinates are a leaf of lead (3,), whose numbers are not adjacent.
    """

    def __init__(self, p: Plan, kind: Kind, at: int, memory: Any, lead: Shape, strides: Shape) -> None:
        self.plan, dims, t = p, numbers_of(p.dims), p.elem
        self.shape, self.depth, self.is_vector = lead + dims, len(lead), bool(dims) and t is not Unit
        self.limit, self.single = t.size if isinstance(t, Fin) else None, kind.name in ("single", "complex_single")
        self.dtype = dtype = np.dtype(kind.dtype)
        self.result_dtype = _result_dtype(dtype)
        self.kinds, self.classes = _ACCEPTED[kind.name]
        strides += numbers_of(p.strides)
        if t is Unit:
            self.view: Array = np.broadcast_to(np.array(None), self.shape)
        elif 0 in self.shape:
            self.view = np.empty(self.shape, dtype)
        else:
            self.view = np.ndarray(self.shape, dtype, memory, at, strides)
        self.fixed = self.view.view()  # read-only, and so are views of it
        self.fixed.flags.writeable = False
        self.seen: Callable[[], Any] = nothing
        self.pack: Callable[..., None] | None = None  # writes the numbers of lists, twice as fast as NumPy
        if t is Real and 0 not in self.shape and self.view.flags.c_contiguous:
            self.pack = partial(struct.Struct(f"{self.view.size}d").pack_into, memory, at)

    def read(self) -> Any:
        """A copy of the value: a Python number, or arrays."""
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
        view = self.view
        if x.__class__ is np.ndarray and x.dtype is self.dtype and x.shape == self.shape and self.limit is None:
            view[...] = x
            return True
        if x.__class__ not in _KNOWN and not is_array(x) and hasattr(x, "__array__"):
            x = np.asarray(x)
        if self.dtype.kind == "c" and x.__class__ is tuple:
            x = _pairs(x, self.shape)
            x = x.tolist() if self.single and is_array(x) else x  # numbers of Python's are rounded
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
                x = np.asarray(x, "c16" if self.dtype.kind == "c" else "f8")
                parts = np.abs(x.view("f8"))
                if ((parts > LARGEST_SINGLE) & (parts < np.inf)).any():
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
        return classes <= self.classes and (
            self.dtype.kind not in "fc" or classes <= _FLOATS or all(map(_is_exact, xs))
        )

    def _keeps(self, x: Array) -> bool:
        """True if the numbers of an array are the same in memory; truths count as 1.0 and 0.0, and these as truths."""
        kind, to = x.dtype.kind, self.dtype.kind
        if kind == to or not x.size:
            return True
        if kind in "iu" and to == "b":
            return int(x.min()) >= 0 and int(x.max()) <= 1
        if kind == "b":
            return to not in "fc" or x.shape != ()
        wide = kind in "iu" and to in "fc" and not (-WHOLE <= int(x.min()) and int(x.max()) <= WHOLE)
        return not wide or all(map(_is_exact, x.ravel().tolist()))

    def _fits(self, x: Any, shape: Shape) -> bool:
        """True if `x` has this shape, and NumPy would convert its items as we do."""
        if is_array(x):
            if self.single and _is_wide(x.dtype):
                return False
            return x.shape == shape and x.dtype.kind in self.kinds and not hasattr(x, "mask") and self._keeps(x)
        if x.__class__ not in _SEQUENCES or len(x) != shape[0]:
            return False
        if len(shape) == 1:
            return self._takes(x)
        return all([self._fits(y, shape[1:]) for y in x])


def _is_wide(dtype: DType) -> bool:
    """True if the numbers of an array, or their parts, have more than 32 bits."""
    return dtype.itemsize > (8 if dtype.kind == "c" else 4)


def _is_exact(x: Any) -> bool:
    """True for what is the same number as a float, a nan among them."""
    return x.__class__ not in _INTS or is_exact(int(x))


def _pairs(x: Any, shape: Shape) -> Any:
    """Complex numbers of plain values, which have each as a tuple of its parts, as an array; else what it is."""
    first = x
    for _ in shape:
        first = first[0] if first.__class__ is tuple and first else None
    parts = np.array(x, "f8") if first.__class__ is tuple else None
    return x if parts is None or parts.shape != (*shape, 2) else parts.view("c16")[..., 0]


_SEQUENCES = (list, tuple, range)
_LISTS = {*_SEQUENCES}
_KNOWN = (*_SEQUENCES, Value)  # not converted to arrays


def arrays(columns: Iterable[Any]) -> list[Array]:
    return [np.asarray(column) for column in columns]


def one(dtype: str, memory: Any, at: int) -> Array:
    """A number in memory as an array of no axes."""
    return np.ndarray((), dtype, memory, at)


def records(p: Plan, lead: Shape, memory: Any, at: int, strides: Shape) -> Any:
    """The read-only view of a vector of structs, as an array of records; None where a part of them has no bytes."""
    if (record := _record(p)) is None:
        return None
    view = np.ndarray(lead, record, None if 0 in lead else memory, at, strides)
    view.flags.writeable = False
    return view.view(np.recarray)


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


def array_columns(t: Tuple, x: Array, lead: Shape) -> Sequence[Array] | None:
    """The parts of an array that belong to the fields: those of its records by name, or those along its next axis."""
    d, names = len(lead), x.dtype.names
    if hasattr(x, "mask") or x.shape[:d] != lead:
        return None
    if names is None:
        return [*np.moveaxis(x, d, 0)] if x.ndim > d and x.shape[d] == len(t.items) else None
    wanted = names if t.form is None else t.form.fields
    fits = x.ndim == d and len(wanted) == len(t.items) and {*names} >= {*wanted}
    return [np.asarray(x[k]) for k in wanted] if fits else None


def refuse_wide(x: Any, t: Type, path: Path, loc: Loc | None) -> None:
    array = np.asarray(x) if hasattr(x, "__array__") else None
    if array is not None and array.dtype.kind != "O":
        if double(t) is not t and (lost := _lost(array)) is not None:
            kind = "complex64" if array.dtype.kind == "c" else "float32"
            hint = f"write x.astype(np.{kind}) to have it rounded"
            raise TypeMismatch(f"{spell(path)} {lost}", (loc or here()).into(path[1:]), hint)
    elif isinstance(t, Vec):
        for k, y in enumerate(elements(x, t, path, loc)):
            refuse_wide(y, t.elem, (*path, k), loc)
    elif isinstance(t, Tuple):
        xs, names = fields(x, t, path, loc)
        for y, s, k in zip(xs, t.items, names, strict=True):
            refuse_wide(y, s, (*path, k), loc)


def _lost(x: Array) -> str | None:
    """The reason why an array does not fit into single precision without loss; None if it does."""
    if x.dtype.names is not None:
        return next(filter(None, [_lost(x[k]) for k in x.dtype.names]), None)
    if x.dtype.kind in "fc":
        return f"is of {x.dtype}, and the module computes in float32" if _is_wide(x.dtype) else None
    lost = [n for n in x.ravel().tolist() if int(np.float32(n)) != n] if x.dtype.kind in "iu" else []
    return f"{'has' if x.shape else 'is'} {lost[0]}, which float32 cannot hold" if lost else None

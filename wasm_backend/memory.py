"""Values in the memory of a module: written from what a user gives, and read as a user sees them.

Where a value lies, the bytes are NumPy's: vectors of numbers are copied in one go, whatever their strides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

import numpy as np

from rose.errors import Loc, RoseError, TypeMismatch, here
from rose.structs import Path, fields, plain, spell
from rose.types import Bool, Fin, Real, Tan, Tuple, Type, Unit, Vec

from .layout import offsets, size

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

_INTS: set[type] = {int, *[np.dtype(c).type for c in np.typecodes["AllInteger"]]}
_REALS: set[type] = {float, *_INTS, *[np.dtype(c).type for c in np.typecodes["Float"]]}
_DTYPES = {Real: np.dtype("f8"), Tan: np.dtype("f8"), Bool: np.dtype("?"), Unit: np.dtype("O")}
_KINDS = {"f": "iuf", "u": "iu", "b": "b", "O": ""}  # kind of dtype in memory -> kinds that it takes
_CLASSES: dict[str, set[type]] = {"f": _REALS, "u": _INTS, "b": {bool, np.bool_}, "O": {NoneType}}


class Leaf:
    """Numbers, booleans or indices in memory: one, or a vector of them, or a vector of vectors.

    The `lead` is the shape of the vectors of structs around it: in a vector of three points, the first
    coordinates are a leaf of lead (3,), whose numbers are not next to one another.
    """

    def __init__(self, t: Type, at: int, memory: Any, lead: Shape, dims: Shape, strides: Shape) -> None:
        self.shape, self.lead, self.is_vector = lead + dims, len(lead), bool(dims)
        self.limit = t.size if isinstance(t, Fin) else None
        dtype = _DTYPES.get(t, np.dtype("u4"))
        self.kinds, self.classes = _KINDS[dtype.kind], _CLASSES[dtype.kind]
        self.given = np.dtype(np.int64) if dtype.kind == "u" else dtype
        if t is Unit:
            self.view: Array = np.broadcast_to(np.array(None), self.shape)
        elif 0 in self.shape:
            self.view = np.empty(self.shape, dtype)
        else:
            self.view = np.ndarray(self.shape, dtype, memory, at, strides)

    def read(self, copy: bool = True) -> Any:
        """What is there: numbers of Python, or arrays; where not `copy`, read-only views of the memory."""
        view = self.view
        if not self.is_vector or view.dtype.kind == "O":
            return view.tolist()
        if copy:
            return _nested(view.copy() if view.dtype is self.given else view.astype(self.given), self.lead)
        view = view.view()
        view.flags.writeable = False
        return _nested(view, self.lead)

    def put(self, x: Any) -> bool:
        """Write `x`; False if it cannot be, or if only `plain` can tell."""
        view = self.view
        if x.__class__ is np.ndarray and x.dtype is view.dtype and x.shape == self.shape and self.limit is None:
            view[...] = x
            return True
        if self.shape and not isinstance(x, (list, tuple, np.ndarray)) and hasattr(type(x), "__array__"):
            x = np.asarray(x)
        if not self._fits(x, self.shape):
            return False
        try:
            if self.limit is not None:
                x = np.asarray(x)
                if x.size and (x.dtype.kind not in "iu" or x.min() < 0 or int(x.max()) >= self.limit):
                    return False
            if view.dtype.kind != "O":
                view[...] = x
        except OverflowError:
            return False
        return True

    def _fits(self, x: Any, shape: Shape) -> bool:
        """True if NumPy takes `x` to be of this shape, and we agree with what it takes its items for."""
        if isinstance(x, np.ndarray):
            return x.shape == shape and x.dtype.kind in self.kinds and not hasattr(x, "mask")
        if not shape:
            return x.__class__ in self.classes
        if x.__class__ not in (list, tuple, range) or len(x) != shape[0]:
            return False
        if len(shape) == 1:
            return self.classes.issuperset(map(type, x))
        return all([self._fits(y, shape[1:]) for y in x])


class Struct:
    """A struct or tuple in memory, or a vector of them: each field is a place, of all of the structs at once."""

    def __init__(self, t: Tuple, lead: Shape, items: list[Leaf | Struct]) -> None:
        self.type, self.lead, self.items = t, lead, items

    def read(self, copy: bool = True) -> Any:
        columns = [x.read(copy) for x in self.items]
        return _rows(self.type.form.make if self.type.form is not None else tuple, columns, self.lead)

    def put(self, x: Any) -> bool:
        columns = _columns(self.type, x, self.lead)
        return columns is not None and all([p.put(c) for p, c in zip(self.items, columns, strict=True)])


def place_of(t: Type, at: int, memory: Any, lead: Shape = (), strides: Shape = ()) -> Leaf | Struct:
    """Where a `t` lies."""
    dims: Shape = ()
    while isinstance(t, Vec):
        dims, strides, t = (*dims, t.size), (*strides, size(t.elem)), t.elem
    if not isinstance(t, Tuple):
        return Leaf(t, at, memory, lead, dims, strides)
    lead = lead + dims
    return Struct(t, lead, [place_of(x, at + k, memory, lead, strides) for x, k in zip(t.items, offsets(t), strict=True)])


def _nested(x: Array, depth: int) -> Any:
    """An array as lists of arrays, `depth` lists deep."""
    return x if depth == 0 else list(x) if depth == 1 else [_nested(y, depth - 1) for y in x]


def _rows(make: Callable[[Sequence[Any]], Any], columns: Sequence[Any], lead: Shape) -> Any:
    """From lists of the first fields, of the second fields ... the list of structs."""
    if not lead:
        return make(columns)
    rows = zip(*columns, strict=True) if columns else [()] * lead[0]
    return [_rows(make, row, lead[1:]) for row in rows]


def _columns(t: Tuple, x: Any, lead: Shape) -> list[Any] | None:
    """From a list of structs, the list of the first fields, that of the second fields ...; None if it is no such list."""
    if not lead:
        try:
            return fields(x, t, (), None)[0]
        except RoseError:
            return None
    if x.__class__ not in (list, tuple) or len(x) != lead[0]:
        return None
    rows = [_columns(t, y, lead[1:]) for y in x]
    if any([row is None for row in rows]):
        return None
    return [list(c) for c in zip(*rows, strict=True)] if rows else [[] for _ in t.items]  # pyright: ignore


def fill(put: Callable[[Any], bool], x: Any, t: Type, path: Path, loc: Loc | None = None) -> None:
    """Write `x`, which `put` alone did not take: perhaps it does after `plain`, which else says what is wrong."""
    dims, _ = shape_of(t)
    if isinstance(x, np.ndarray) and not isinstance(shape_of(t)[1], Tuple) and x.shape != dims:
        what = f"{spell(path)} must have the shape {dims}, got {x.shape}"
        raise TypeMismatch(what, loc or here(), f"its type is {t!r}")
    done = put(plain(x, t, path, loc))
    assert done, f"{path} is a {t!r} that cannot be written"


def shape_of(t: Type) -> tuple[Shape, Type]:
    """The shape of nested vectors, and the type of what they hold."""
    if not isinstance(t, Vec):
        return (), t
    dims, elem = shape_of(t.elem)
    return (t.size, *dims), elem

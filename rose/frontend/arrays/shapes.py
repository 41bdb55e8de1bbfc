"""The shape of an array: the sizes of its axes. What a user may give as an array; shapes that are broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import Loc, TypeMismatch, here
from ...host.marshal import as_given
from ...ir import Value
from ...ir.sizes import differ
from ...ir.types import Bool, Real, Type, Vec
from ..values import infer, to_value

Shape = tuple[int, ...]  # an item may be a `Size`, as in the types


def shape_of(t: Type) -> Shape:
    """The sizes of the axes of a type, the outermost first; () of what is no vector."""
    sizes: list[int] = []
    while isinstance(t, Vec):
        sizes.append(t.size)
        t = t.elem
    return tuple(sizes)


def leaf_of(t: Type) -> Type:
    """The type within all axes."""
    while isinstance(t, Vec):
        t = t.elem
    return t


def array_type(shape: Sequence[int], leaf: Type) -> Type:
    """The type of an array of that shape."""
    for n in reversed(shape):
        leaf = Vec(n, leaf)
    return leaf


def as_array(x: Any, loc: Loc | None = None) -> Value:
    """A traced value, a list or an array of NumPy's as a traced value; of host numbers it is one literal."""
    x = as_given(x, loc)
    if x.__class__ is Value:
        return x
    if (kind := getattr(getattr(x, "dtype", None), "kind", "")) and kind in "biuf":  # its shape may have zeros in it
        return to_value(x, array_type(x.shape, Bool if kind == "b" else Real), ("the array",), loc)
    return infer(x, loc)


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape of what is computed of arrays of these shapes, by NumPy's rule; a TypeMismatch if they do not fit.

    Shapes are aligned at their ends. Of each axis all have one size, or 1, or lack it.
    """
    rank = max(map(len, shapes), default=0)
    out: list[int] = []
    for back in range(rank, 0, -1):
        sizes = [s[-back] for s in shapes if len(s) >= back]
        wide = [n for n in sizes if differ(n, 1)] or sizes[:1]
        if any([differ(n, wide[0]) for n in wide]):
            raise _misfit(shapes, back)
        out.append(wide[0])
    return tuple(out)


def _misfit(shapes: Sequence[Shape], back: int) -> TypeMismatch:
    """The error of shapes that differ in an axis, counted from the last."""
    sizes = list(dict.fromkeys([s[-back] for s in shapes if len(s) >= back and differ(s[-back], 1)]))
    said = " and ".join([spelled(s) for s in dict.fromkeys(shapes) if s])
    what = f"arrays of the shapes {said} do not broadcast: axis -{back} has {sizes[0]!r} and {sizes[1]!r} elements"
    return TypeMismatch(what, here(), "let both have one size in each axis, or 1: x[:, None] has a new axis of 1")


def spelled(shape: Shape) -> str:
    """A shape as text."""
    return f"({', '.join(map(repr, shape))}{',' if len(shape) == 1 else ''})"

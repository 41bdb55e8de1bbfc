"""The shape of an array: the sizes of its axes. What a user may give as an array; shapes that are broadcast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import Loc, OutOfRange, TypeMismatch, here
from ...host.marshal import as_given
from ...ir import Value, a_traced, shown
from ...ir.numbers import digits
from ...ir.sizes import LARGEST, Size, differ, open_size
from ...ir.types import Bool, Complex, Real, Tan, Type, Vec, is_complex, once
from ...ir.value import host_index
from ..values import infer, to_value

Shape = tuple[int | Size, ...]
ShapeLike = int | Size | Sequence[int | Size]  # what a user gives for one


@once
def shape_of(t: Type) -> Shape:
    """The sizes of the axes of a type, the outermost first; () of what is no vector."""
    sizes: list[int | Size] = []
    while isinstance(t, Vec):
        sizes.append(t.size)
        t = t.elem
    return tuple(sizes)


@once
def leaf_of(t: Type) -> Type:
    """The type within all axes."""
    while isinstance(t, Vec):
        t = t.elem
    return t


def sum_type(*vs: Value) -> Type:
    """The type of sums of products of elements of these arrays: Real, Tan, or a complex number of such."""
    leaves = [leaf_of(v.type) for v in vs]
    part = Tan if any([t.linear for t in leaves]) else Real
    return Complex.of((part, part)) if any(map(is_complex, leaves)) else part


def array_type(shape: Sequence[int | Size], leaf: Type) -> Type:
    """The type of an array of that shape."""
    for n in reversed(shape):
        leaf = Vec(n, leaf)
    return leaf


def as_array(x: Any, loc: Loc | None = None) -> Value:
    """A traced value, a list or an array of NumPy's as a traced value; of host numbers it is one literal."""
    x = as_given(x, loc)
    if x.__class__ is Value:
        return x
    if len(getattr(x, "shape", ())) == 2 and hasattr(x, "to_numpy"):  # a table
        x = x.to_numpy()
    if (kind := getattr(getattr(x, "dtype", None), "kind", "")) and kind in "biufc":  # its shape may have zeros in it
        leaf = Bool if kind == "b" else Complex if kind == "c" else Real
        return to_value(x, array_type(x.shape, leaf), ("the array",), loc)
    return infer(x, loc)


def same(one: Shape, other: Shape) -> bool:
    """True if two shapes are certainly the same."""
    return len(one) == len(other) and not any(map(differ, one, other))


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape of what is computed of arrays of these shapes, by NumPy's rule; a TypeMismatch if they do not fit.

    Shapes are aligned at their ends. Of each axis all have one size, or 1, or lack it.
    """
    rank = max(map(len, shapes), default=0)
    out: list[int | Size] = []
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


def is_several(x: Any) -> bool:
    """True for a tuple or a list, where a user may also give one thing."""
    return isinstance(x, (tuple, list))


def items_of(x: Any) -> list[Any]:
    """The items of a tuple or a list; anything else is the only one."""
    return list(x) if is_several(x) else [x]


def shape_given(x: ShapeLike, name: str) -> Shape:
    """The shape that a user gives: a size, or several. `name` is the function that takes it."""
    return tuple([size_given(n, name) for n in items_of(x)])


def size_given(x: Any, name: str) -> int | Size:
    """The size of an axis, as a user gives it."""
    if (size := open_size(x)) is not None:
        return size
    n = host_index(x)
    if n is None:
        what = a_traced(x) if isinstance(x, Value) else shown(x)
        hint = "write a number, a rose.dim, or a tuple of them: the size of an array is known before it is made"
        raise TypeMismatch(f"{name} takes integers as sizes, not {what}", here(), hint)
    if not 0 <= n < LARGEST:
        raise OutOfRange(f"{name} cannot make an axis of {digits(n)} elements", here(), "write a size of 0 or more")
    return n


def axis_given(k: Any, rank: int, name: str = "the array") -> int:
    """The axis `k` of `rank` ones, counted from the end if it is below zero; an OutOfRange if `name` has it not."""
    at, loc = host_index(k), here().into(["axis"])
    if at is None:
        what = a_traced(k) if isinstance(k, Value) else shown(k)
        raise TypeMismatch(f"an axis is an integer, not {what}", loc, "write 0 for the first axis, -1 for the last")
    if not -rank <= at < rank:
        what = f"there is no axis {digits(at)}: {name} has {rank} {'axis' if rank == 1 else 'axes'}"
        raise OutOfRange(what, loc, f"write an axis from {-rank} to {rank - 1}" if rank else "leave out the axis")
    return at % rank


def axes_given(axes: Any, rank: int) -> tuple[int, ...]:
    """Several different axes, or one."""
    out = [axis_given(k, rank) for k in items_of(axes)]
    if len(set(out)) < len(out):
        raise TypeMismatch(f"the axes {shown(axes)} name one twice", here().into(["axis"]), "name each axis once")
    return tuple(out)

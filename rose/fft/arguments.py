"""The arguments of transforms, checked: arrays, the sizes and axes along which they go, and the scale of the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import OutOfRange, TypeMismatch, here
from ..frontend.arrays.kinds import of_kind
from ..frontend.arrays.products import numbers
from ..frontend.arrays.shapes import as_array, axes_given, axis_given, items_of, leaf_of, shape_of
from ..frontend.arrays.shaping import moved
from ..frontend.index_expressions import literal
from ..frontend.language import loops
from ..frontend.language.select import select
from ..frontend.operators import as_real, view
from ..frontend.typed import ArrayLike
from ..ir import Value, a_traced, current_builder, ops, shown
from ..ir.sizes import Size, at_most, differ, open_size
from ..ir.types import Bool, Fin, Vec, is_complex
from ..ir.value import host_index
from .rows import at, rows

NORMS = ("backward", "ortho", "forward")
SizeLike = int | None


def given(x: ArrayLike, name: str) -> Value:
    """The array that `rose.fft.<name>` is given: of numbers, with one axis at least."""
    v = as_array(x)
    leaf = leaf_of(v.type)
    v = of_kind(v, "f") if leaf is Bool or isinstance(leaf, Fin) else numbers(v, f"rose.fft.{name}")
    if not shape_of(v.type):
        what = f"rose.fft.{name} transforms arrays along an axis, and {a_traced(v)} has none"
        raise TypeMismatch(what, here(), "give it a vector, Vec[n], or an array of more axes")
    return v


def of_complex(v: Value) -> bool:
    """True for an array of complex numbers."""
    return is_complex(leaf_of(v.type))


def reals(x: ArrayLike, name: str, instead: str) -> Value:
    """The array that `rose.fft.<name>` is given, of real numbers."""
    v = given(x, name)
    if of_complex(v):
        what = f"rose.fft.{name} takes Reals, and {a_traced(v)} has complex numbers"
        raise TypeMismatch(what, here(), instead)
    return v


def count(n: Any, name: str, least: int = 1) -> int:
    """The size of a transform, an integer that is known."""
    if isinstance(n, Size):
        what = f"rose.fft.{name} of {n!r} numbers: how they are transformed depends on the factors of their number"
        raise TypeMismatch(what, here(), "give the size before it is compiled: f.at(n=64), or rose.compile(f, n=64)")
    k = host_index(n)
    if k is None:
        what = a_traced(n) if isinstance(n, Value) else shown(n)
        raise TypeMismatch(f"rose.fft.{name} takes an integer as its size, not {what}", here(), "write n=64")
    if k < least:
        what = f"rose.fft.{name} transforms {least} number{'s' * (least > 1)} at least, not {k}"
        raise OutOfRange(what, here(), f"give an axis of {least} or more")
    return k


def any_count(n: Any, name: str) -> int | Size:
    """The size of a transform, which may be known only when it runs."""
    return size if (size := open_size(n)) is not None else count(n, name)


def along(v: Value, n: Any, axis: Any, f: Callable[[Value], Any], name: str, least: int | None = None) -> Any:
    """`f` of the array, whose rows lie along an axis, cut to `n` numbers or with zeros behind them.

    With the least size that there may be, the size must be known.
    """
    rank = len(shape_of(v.type))
    k = axis_given(axis, rank)
    n = shape_of(v.type)[k] if n is None else n
    n = any_count(n, name) if least is None else count(n, name, least)
    return moved(f(resized(moved(v, k, rank - 1), n)), rank - 1, k)


def resized(v: Value, n: int | Size) -> Value:
    """Rows of `n` numbers: the first ones, or zeros behind them."""
    size = shape_of(v.type)[-1]
    if not differ(size, n):
        return v
    cut = at_most(n, size)

    def row(x: Value) -> Value:
        t = x.type
        assert isinstance(t, Vec)
        if not differ(size, 0):
            return current_builder().zero(Vec(n, t.elem))
        zero = current_builder().zero(t.elem)
        return loops.vec(x[j] if cut else select(j < literal(size), at(x, j), zero) for j in loops.range(n))

    return rows(v, row)


def scale_of(n: int | Size, norm: str | None, name: str, *, inverse: bool) -> float | Value:
    """The number by which the sums of a transform are multiplied."""
    norm = "backward" if norm is None else norm
    if not isinstance(norm, str) or norm not in NORMS:  # pyright: ignore[reportUnnecessaryIsInstance]
        what = f"rose.fft.{name} has no norm {shown(norm)}"
        raise TypeMismatch(what, here(), f"write one of {', '.join(NORMS)}")
    if norm != "ortho" and (norm == "backward") is not inverse:
        return 1.0
    if isinstance(n, Size):
        count = as_real(view(literal(n)))
        return 1.0 / (ops.sqrt(count) if norm == "ortho" else count)
    return 1.0 / (math.sqrt(n) if norm == "ortho" else n)


def axes_of(v: Value, s: Sequence[SizeLike] | None, axes: Any, name: str) -> list[tuple[int, Any]]:
    """The axes of a transform along several, each with the size that is asked for."""
    rank = len(shape_of(v.type))
    sizes = None if s is None else items_of(s)
    if axes is None:
        axes = range(rank) if sizes is None else range(rank - len(sizes), rank)
        if axes and axes[0] < 0:
            what = f"rose.fft.{name} is given {len(axes)} sizes, and {a_traced(v)} has {rank} axes"
            raise TypeMismatch(what, here(), "give a size for each axis at most")
        axes = tuple(axes)
    along = axes_given(axes, rank)
    sizes = [None] * len(along) if sizes is None else sizes
    if len(sizes) != len(along):
        what = f"rose.fft.{name} is given {len(sizes)} sizes for {len(along)} axes"
        raise TypeMismatch(what, here(), "give a size for each of the axes")
    if not along:
        raise TypeMismatch(f"rose.fft.{name} is given no axes", here(), "name one axis at least")
    return [(k, None if n is None or host_index(n) == -1 else n) for k, n in zip(along, sizes, strict=True)]

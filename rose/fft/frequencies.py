"""The frequencies of a transform, and the order in which zero is in their middle, by NumPy's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..frontend.arguments import lenient
from ..frontend.arrays.shapes import as_array, axes_given, shape_of
from ..frontend.arrays.shaping import roll
from ..frontend.language import loops
from ..frontend.language.select import select
from ..frontend.operators import as_real
from ..frontend.typed import Array, ArrayLike
from ..ir import Value
from ..ir.sizes import quotient, times
from .arguments import count


@lenient
def fftfreq(n: int, d: float | Value = 1.0) -> Array:
    """The frequency of each number of `fft`, of samples that are `d` apart: of the later half it is negative."""
    n = count(n, "fftfreq")
    by = 1.0 / (n * d)
    return loops.vec(by * select(k < (n + 1) // 2, as_real(k), as_real(k) - n) for k in loops.range(n))


@lenient
def rfftfreq(n: int, d: float | Value = 1.0) -> Array:
    """The frequency of each number of `rfft`, of `n` samples that are `d` apart."""
    n = count(n, "rfftfreq")
    by = 1.0 / (n * d)
    return loops.vec(by * as_real(k) for k in loops.range(n // 2 + 1))


@lenient
def fftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """The array with the number of frequency zero in the middle, along all axes or some."""
    return _shifted(as_array(x), axes, 1)


@lenient
def ifftshift(x: ArrayLike, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of `fftshift`, which differs from it where there is an odd number along an axis."""
    return _shifted(as_array(x), axes, -1)


def _shifted(v: Value, axes: Any, sign: int) -> Any:
    shape = shape_of(v.type)
    along = axes_given(tuple(range(len(shape))) if axes is None else axes, len(shape))
    return roll(v, [times(sign, quotient(shape[k], 2)) for k in along], along)

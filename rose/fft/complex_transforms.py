"""The discrete Fourier transform of each row of complex numbers, and its inverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..frontend.language import loops
from ..ir import Value
from ..ir.sizes import Size
from ..ir.types import Type
from .any_size import of_any_size
from .convolutions import by_convolution
from .linear import Linear
from .plans import convolution
from .roots import roots
from .rows import Rows, at, rows, size
from .stages import steps


def _of_rows(n: int | Size) -> Rows:
    """What transforms a row of `n` numbers, with tables that are made here."""
    if isinstance(n, Size):
        return of_any_size(n)
    if (m := convolution(n)) is not None:
        return by_convolution(n, m)
    w = roots(n)()
    return lambda row: steps(n)(row, w)


def backwards(x: Value, scale: float | Value) -> Any:
    """Each row times a number, and its numbers from the second on in reverse order."""
    n = size(x.type)
    turned: Callable[[Value], Any] = lambda row: loops.vec(times(at(row, n - k), scale) for k in loops.range(n))
    return rows(x, turned)


def times(x: Value, scale: float | Value) -> Any:
    """The product, of which nothing is made where it is the number itself."""
    return x if isinstance(scale, float) and scale == 1.0 else x * scale


def inverse(x: Value, scale: float | Value) -> Any:
    """The transform with the other sign of the angles, times a number."""
    return backwards(dft(x), scale)


def _itself(t: Type) -> Type:
    return t


# transposed, the matrix of the transform is its conjugate, which makes the same numbers backwards
dft = Linear("fft", _itself, lambda x: rows(x, _of_rows(size(x.type))), lambda y, _: backwards(dft(y), 1.0))

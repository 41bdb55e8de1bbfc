"""The discrete Fourier transform along the last axis of an array of complex numbers, and its inverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..frontend.language import loops
from ..ir import Value, current_builder
from ..ir.types import Type, Vec
from .convolutions import Rows, by_convolution
from .linear import Linear
from .plans import convolution
from .roots import roots
from .stages import steps


def rows(v: Value, f: Rows) -> Any:
    """The array of `f(row)` for each row, which lies along the last axis."""
    t = v.type
    if not isinstance(t, Vec) or not isinstance(t.elem, Vec):
        return f(v)
    b = current_builder()
    return b.vec(t.size, lambda i: rows(b.index(v, i), f))


def of_rows(n: int) -> Rows:
    """What transforms a row of `n` numbers, with tables that are made here."""
    if (m := convolution(n)) is not None:
        return by_convolution(n, m)
    w = roots(n)()
    return lambda row: steps(n)(row, w)


def _same(t: Type) -> Type:
    return t


def size(t: Type) -> int:
    """The size of the last axis."""
    while isinstance(t, Vec) and isinstance(t.elem, Vec):
        t = t.elem
    assert isinstance(t, Vec) and isinstance(t.size, int)
    return t.size


def backwards(x: Value, scale: float) -> Any:
    """Each row times a number, and its numbers from the second on in reverse order."""
    n = size(x.type)
    turned: Callable[[Value], Any] = lambda row: loops.vec(_times(row[(n - k) % n], scale) for k in loops.range(n))
    return rows(x, turned)


def _times(z: Value, scale: float) -> Any:
    return z if scale == 1.0 else z * scale


def _transform(x: Value) -> Any:
    return rows(x, of_rows(size(x.type)))


# transposed, the matrix of the transform is its conjugate, which makes the same numbers backwards
dft = Linear("fft", _same, _transform, lambda y, _: backwards(dft(y), 1.0))


def inverse(x: Value, scale: float) -> Any:
    """The transform with the other sign of the angles, times a number."""
    return backwards(dft(x), scale)

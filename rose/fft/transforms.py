"""The discrete Fourier transform along an axis, by NumPy's names: of complex and of real numbers, and the inverses."""

from __future__ import annotations

from typing import Any

from ..frontend.arguments import lenient
from ..frontend.arrays.shapes import axis_given, shape_of
from ..frontend.language import loops
from ..frontend.typed import Array, ArrayLike
from ..ir import Value
from ..ir.sizes import minus, plus, quotient, times
from .arguments import along, any_count, given, of_complex, reals, scale_of
from .complex_transforms import dft, inverse
from .real_transforms import from_half, hermitian, to_half
from .rows import rows, size

_OF_COMPLEX = "write rose.fft.fft for the transform of complex numbers"


@lenient
def fft(x: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The discrete Fourier transform along an axis: number `k` is the sum of `x[j] * exp(-2j * pi * j * k / n)`.

    The axis is cut to `n` numbers, or has zeros behind its own. The result is complex, of the same shape, and
    multiplied by 1 with the norm "backward", by `1 / sqrt(n)` with "ortho", and by `1 / n` with "forward".
    """
    return along(given(x, "fft"), n, axis, lambda v: transformed(v, norm, "fft"), "fft")


@lenient
def ifft(x: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The inverse of `fft` with the same norm: number `j` is the sum of `x[k] * exp(2j * pi * j * k / n)`, over `n`."""
    return along(given(x, "ifft"), n, axis, lambda v: inverted(v, norm, "ifft"), "ifft")


@lenient
def rfft(x: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The first `n // 2 + 1` numbers of the transform of Reals along an axis: the others are their conjugates."""
    return along(reals(x, "rfft", _OF_COMPLEX), n, axis, lambda v: half(v, norm, "rfft"), "rfft")


@lenient
def irfft(x: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The inverse of `rfft`: `n` Reals, by default `2 * (m - 1)` of `m` numbers.

    As NumPy's, it takes the first number as real, and with an even `n` the last one.
    """
    return whole(given(x, "irfft"), n, axis, norm, "irfft")


@lenient
def hfft(x: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The transform, `n` Reals, of Hermitian numbers of which the first `n // 2 + 1` are given."""
    return whole(_conjugate(given(x, "hfft")), n, axis, _turned(norm), "hfft")


@lenient
def ihfft(x: ArrayLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Array:
    """The inverse of `hfft`: the first `n // 2 + 1` numbers of the inverse transform of Reals."""
    v = reals(x, "ihfft", "write rose.fft.ifft for the transform of complex numbers")
    return _conjugate(along(v, n, axis, lambda v: half(v, _turned(norm), "ihfft"), "ihfft"))


# of rows


def transformed(v: Value, norm: str | None, name: str) -> Any:
    """The transform of each row, times the number of its norm."""
    n = size(v.type)
    by = scale_of(n, norm, name, inverse=False)
    if of_complex(v):
        return scaled(dft(v), by)
    return hermitian(to_half(v), n, conjugate=False, scale=by)


def inverted(v: Value, norm: str | None, name: str) -> Any:
    """The inverse transform of each row, times the number of its norm."""
    n = size(v.type)
    by = scale_of(n, norm, name, inverse=True)
    if of_complex(v):
        return inverse(v, by)
    return hermitian(to_half(v), n, conjugate=True, scale=by)


def half(v: Value, norm: str | None, name: str) -> Any:
    """The first half of the transform of each real row, times the number of its norm."""
    return scaled(to_half(v), scale_of(size(v.type), norm, name, inverse=False))


def whole(v: Value, n: int | None, axis: int, norm: str | None, name: str) -> Any:
    """The `n` Reals along an axis of which `v` has the first half of the transform."""
    held = any_count(shape_of(v.type)[axis_given(axis, len(shape_of(v.type)))], name)
    wanted = any_count(times(2, minus(held, 1)) if n is None else n, name)
    by = scale_of(wanted, norm, name, inverse=True)
    v = v if of_complex(v) else v + 0j
    return along(v, plus(quotient(wanted, 2), 1), axis, lambda v: scaled(from_half(v, wanted), by), name)


def scaled(v: Value, by: float | Value) -> Value:
    """Rows of numbers, each times one."""
    if isinstance(by, float) and by == 1.0:
        return v
    return rows(v, lambda row: loops.vec(row[k] * by for k in loops.range(size(v.type))))


def _conjugate(v: Value) -> Value:
    return v.conj() if of_complex(v) else v


_TURNED: dict[str | None, str] = {None: "forward", "backward": "forward", "forward": "backward"}


def _turned(norm: str | None) -> str | None:
    """The norm of the opposite direction; what is none is left to be refused."""
    return _TURNED.get(norm, norm)

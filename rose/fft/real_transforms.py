"""The transform of each row of real numbers, which is half of one of complex numbers; its inverse.

Of `n` real numbers the transform is Hermitian: `X[n - k]` is the conjugate of `X[k]`, so that `n // 2 + 1` of them say
all. With an even `n`, numbers at even and at odd places are the real and imaginary parts of `n // 2` complex numbers;
Sorensen, Jones, Heideman and Burrus, Real-valued fast Fourier transform algorithms (1987).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from ..frontend.complex.parts import made
from ..frontend.index_expressions import literal
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..ir import Value, current_builder
from ..ir.sizes import Size, plus, quotient
from ..ir.types import Complex, Real, Type, Vec
from .complex_transforms import dft, inverse, times
from .linear import Linear
from .roots import roots
from .rows import at, of_size, placed, rows, size


def hermitian(half: Value, n: int | Size, *, conjugate: bool, scale: float | Value = 1.0) -> Any:
    """Rows of all `n` numbers of which some of the first are given; or their conjugates. Each times a number."""
    m = plus(quotient(n, 2), 1)
    end = literal(m) if isinstance(m, Size) else m

    def whole(row: Value) -> Any:
        def item(k: Value) -> Any:
            near, far = at(row, k), at(row, n - k)
            z = select(k < end, near.conj(), far) if conjugate else select(k < end, near, far.conj())
            return times(z, scale)

        return loops.vec(item(k) for k in loops.range(n))

    return rows(half, whole)


def _to_half(x: Value) -> Any:
    """The first `n // 2 + 1` numbers of the transform of each row."""
    n = size(x.type)
    m = quotient(n, 2)
    if isinstance(n, Size) or isinstance(m, Size) or n % 2:
        there = dft(rows(x, lambda row: loops.vec(made(row[j], 0.0) for j in loops.range(n))))
        return rows(there, lambda row: loops.vec(at(row, k) for k in loops.range(plus(m, 1))))
    w = roots(n, m // 2 + 1)()
    there = dft(rows(x, lambda row: loops.vec(made(row[2 * j], row[2 * j + 1]) for j in loops.range(m))))

    def parted(k: Value, row: Value) -> Pair:
        """Number `k`, and `m - k`: of sums and differences that are the same but for conjugates."""
        z, other = at(row, k), at(row, m - k).conj()
        even, odd = 0.5 * (z + other), 0.5 * (z - other)
        turned = w[k] * made(odd.imag, -odd.real)
        return even + turned, (even - turned).conj()

    return rows(there, partial(_in_pairs, parted, m, m + 1))


def _from_half(half: Value, n: int | Size) -> Any:
    """The sums of the numbers with positive angles, `n` of each row, of which the first `n // 2 + 1` are given."""
    m = quotient(n, 2)
    if isinstance(n, Size) or isinstance(m, Size) or n % 2:  # of what is imaginary in the ends, no part is real
        there = inverse(hermitian(half, n, conjugate=False), 1.0)
        return rows(there, lambda row: loops.vec(row[j].real for j in loops.range(n)))
    half = rows(half, lambda row: loops.vec(_end(row[k], _is_end(k, n)) for k in loops.range(m + 1)))
    w = roots(n, m // 2 + 1)()

    def joined(k: Value, row: Value) -> Pair:
        z, other = row[k], row[m - k].conj()
        even, odd = z + other, (z - other) * w[k].conj()
        return made(even.real - odd.imag, even.imag + odd.real), made(even.real + odd.imag, odd.real - even.imag)

    def parts(row: Value) -> Any:
        return loops.vec(select(j % 2 == 0, row[j // 2].real, row[j // 2].imag) for j in loops.range(n))

    return rows(inverse(rows(half, partial(_in_pairs, joined, m, m)), 1.0), parts)


Pair = tuple[Value, Value]


def _in_pairs(pair: Callable[[Value, Value], Pair], m: int, size: int, row: Value) -> Any:
    """The row of so many numbers that is made in pairs: at `k`, and at `m - k`."""

    def step(k: Value, y: Value) -> Any:
        for i, z in zip((k, m - k), pair(k, row), strict=True):
            y = placed(y, i, z)
        return y

    return control.scan(step, current_builder().zero(Vec(size, Complex)), m // 2 + 1)


def _end(z: Value, is_end: Any) -> Any:
    """A number of a Hermitian row: that which is its own conjugate is real."""
    return made(z.real, select(is_end, 0.0 * z.imag, z.imag))


def _is_end(k: Value, n: int | Size) -> Any:
    """Whether a number of a Hermitian row is its own conjugate."""
    return (k == 0) | (2 * k == (literal(n) if isinstance(n, Size) else n))


def _weighted(half: Value, n: int | Size, scale: float) -> Any:
    """The numbers times `scale`, but those that are their own conjugates, which are once among all `n`."""

    def weighted(row: Value) -> Any:
        count = plus(quotient(n, 2), 1)
        return loops.vec(row[k] * select(_is_end(k, n), 1.0, scale) for k in loops.range(count))

    return rows(half, weighted)


def _half_of(t: Type) -> Type:
    return of_size(t, plus(quotient(size(t), 2), 1), Complex)


to_half = Linear("rfft", _half_of, _to_half, lambda y, t: from_half(_weighted(y, size(t), 0.5), size(t)))


@cache
def _inverse(n: int | Size) -> Linear:
    result: Callable[[Type], Type] = lambda t: of_size(t, n, Real)
    return Linear("irfft", result, lambda half: _from_half(half, n), lambda y, _: _weighted(to_half(y), n, 2.0))


def from_half(half: Value, n: int | Size) -> Value:
    """The inverse of `n` times `to_half`."""
    return _inverse(n)(half)

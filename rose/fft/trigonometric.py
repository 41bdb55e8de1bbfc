"""The discrete cosine and sine transforms of types 1 to 4, by SciPy's names.

Type 2 is the transform of real numbers, those at even places first and the others backwards behind them: Makhoul, A
fast cosine transform in one and two dimensions (1980). Type 3 is its transpose, type 1 the transform of what is
mirrored, and type 4 one of half as many complex numbers. Sines are cosines of what is turned round, or has signs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arguments import lenient
from ..frontend.complex.arrays import of_parts
from ..frontend.complex.parts import made
from ..frontend.language import loops
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, shown
from ..ir.types import Type
from ..ir.value import host_index
from .arguments import along, given, of_complex, scale_of
from .complex_transforms import dft
from .linear import Linear
from .real_transforms import from_half, to_half
from .roots import roots
from .rows import at, chosen, place, rows, size


@lenient
def dct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Array:
    """The discrete cosine transform along an axis, of type 1 to 4.

    Number `k` of type 2 is twice the sum of `x[j] * cos(pi * k * (2 * j + 1) / (2 * n))`. The norm is that of `fft`, of
    as many numbers as the transform has with what it mirrors: `2 * n`, or `2 * (n - 1)` of type 1. With "ortho", or
    with `orthogonalize`, the matrix is made orthogonal.
    """
    return _transform(x, "dct", _type(type, "dct"), n, axis, norm, orthogonalize, inverse=False)


@lenient
def idct(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Array:
    """The inverse of `dct` of the same type and norm."""
    return _transform(x, "idct", _INVERSE[_type(type, "idct")], n, axis, norm, orthogonalize, inverse=True)


@lenient
def dst(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Array:
    """The discrete sine transform along an axis, of type 1 to 4.

    Number `k` of type 2 is twice the sum of `x[j] * sin(pi * (k + 1) * (2 * j + 1) / (2 * n))`. Norms are as of `dct`;
    type 1 has `2 * (n + 1)` numbers with what it mirrors.
    """
    return _transform(x, "dst", _type(type, "dst"), n, axis, norm, orthogonalize, inverse=False)


@lenient
def idst(
    x: ArrayLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    *,
    orthogonalize: bool | None = None,
) -> Array:
    """The inverse of `dst` of the same type and norm."""
    return _transform(x, "idst", _INVERSE[_type(type, "idst")], n, axis, norm, orthogonalize, inverse=True)


_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_ROOT = math.sqrt(2.0)

Numbers = Callable[[Value, Value], Any]  # from a row and a place to the number there


def _type(type: object, name: str) -> int:
    k = host_index(type)
    if k not in _INVERSE:
        raise TypeMismatch(f"rose.fft.{name} has no type {shown(type)}", here(), "write a type from 1 to 4")
    return k


def _transform(
    x: ArrayLike,
    name: str,
    type: int,
    n: int | None,
    axis: int,
    norm: str | None,
    orthogonalize: bool | None,
    *,
    inverse: bool,
) -> Any:
    v, kind = given(x, name), name[-3:]
    own = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    f = _OF[kind, type]

    def of_rows(v: Value) -> Any:
        count = size(v.type)
        logical = 2 * count if type > 1 else 2 * count - 2 if kind == "dct" else 2 * count + 2
        by = scale_of(logical, norm, name, inverse=inverse)
        before, after = _weights(kind, type, count) if own else (_EVEN, _EVEN)
        return _weighted(f(_weighted(v, *before, 1.0)), *after, by)

    of: Callable[[Value], Any] = lambda v: along(v, n, axis, of_rows, name, 2 if (kind, type) == ("dct", 1) else 1)
    return of_parts(of(v.real), of(v.imag)) if of_complex(v) else of(v)


Ends = tuple[float, float]  # the numbers by which the first and the last of a row are multiplied

_EVEN: Ends = (1.0, 1.0)


def _weights(kind: str, type: int, n: int) -> tuple[Ends, Ends]:
    """What makes a transform orthogonal, but for its scale: before it and after."""
    if type == 1:
        return ((_ROOT, _ROOT), (1.0 / _ROOT, 1.0 / _ROOT)) if kind == "dct" else (_EVEN, _EVEN)
    if type == 4:
        return _EVEN, _EVEN
    weight = 1.0 / _ROOT if type == 2 else _ROOT
    ends = (weight, 1.0) if kind == "dct" else (1.0, weight)
    return (_EVEN, ends) if type == 2 else (ends, _EVEN)


def _weighted(v: Value, first: float, last: float, by: float | Value) -> Value:
    """Rows times a number, and their ends times others."""
    if first == last == 1.0 and isinstance(by, float) and by == 1.0:
        return v
    n = size(v.type)
    if n == 1:
        return _each(v, lambda x, j: x[j] * (first * last * by))
    ends: Callable[[Value], Any] = lambda j: select(j == 0, first * by, select(j == n - 1, last * by, by))
    return _each(v, lambda x, j: x[j] * ends(j))


def _each(v: Value, item: Numbers, n: int | None = None) -> Any:
    """Rows of `n` numbers, of rows."""
    return rows(v, lambda x: loops.vec(item(x, j) for j in loops.range(size(v.type) if n is None else n)))


# types 2 and 3


def _second(v: Value) -> Any:
    """The cosine transform of type 2 of each row."""
    n = size(v.type)
    there = to_half(_each(v, lambda x, j: chosen(2 * j < n, x, 2 * j, 2 * (n - j) - 1)))
    w = roots(4 * n, n)()

    def item(z: Value, k: Value) -> Any:
        own = select(k <= n // 2, at(z, k), at(z, n - k).conj())
        return 2.0 * (own.real * w[k].real - own.imag * w[k].imag)

    return _each(there, item, n)


def _third(v: Value) -> Any:
    """The cosine transform of type 3 of each row."""
    n = size(v.type)
    w = roots(4 * n, n)()

    def item(x: Value, k: Value) -> Any:
        z = made(x[k], select(k == 0, 0.0 * x[k], -x[(n - k) % n]))
        return z * w[k].conj()

    there = from_half(_each(v, item, n // 2 + 1), n)
    return _each(there, lambda x, j: chosen(j % 2 == 0, x, j // 2, n - 1 - j // 2))


def _itself(t: Type) -> Type:
    return t


# the matrix of type 3 is the transpose of that of type 2, but for its first column, which is half of it
second = Linear("dct", _itself, _second, lambda y, _: third(_weighted(y, 2.0, 1.0, 1.0)))
third = Linear("idct", _itself, _third, lambda y, _: _halved(second(y)))


def _halved(v: Value) -> Value:
    return _weighted(v, 0.5, 1.0, 1.0)


# types 1 and 4


def _first(v: Value) -> Any:
    """The cosine transform of type 1 of each row: the transform of it and what is between its ends, backwards."""
    n = size(v.type)
    m = 2 * n - 2
    return _each(to_half(_each(v, lambda x, j: chosen(j < n, x, j, m - j), m)), lambda z, k: z[k].real)


def _first_of_sines(v: Value) -> Any:
    """The sine transform of type 1 of each row: the transform of it and its negative backwards, with zeros between."""
    n = size(v.type)
    m = 2 * n + 2

    def item(x: Value, j: Value) -> Any:
        ahead = (j >= 1) & (j <= n)
        back = j > n + 1
        near = chosen(back, x, m - 1 - j, j + n - 1)
        return select(ahead, near, select(back, -near, 0.0 * near))

    return _each(to_half(_each(v, item, m)), lambda z, k: -z[k + 1].imag, n)


def _fourth(v: Value) -> Any:
    """The cosine transform of type 4 of each row: of an even number, one of half as many complex numbers."""
    n = size(v.type)
    w = roots(16 * n, 8 * n)()
    if n % 2:  # the angle pi * (2 * j + 1) * (2 * k + 1) / (4 * n) is that of j * k, and those of j and of k
        there = dft(_each(v, lambda x, j: select(j < n, x[j % n], 0.0 * x[j % n]) * w[4 * j % (8 * n)], 2 * n))
        return _each(there, lambda z, k: 2.0 * _real(z[k], w[4 * k + 2]), n)
    m = n // 2
    there = dft(_each(v, lambda x, j: made(x[2 * j], x[n - 1 - 2 * j]) * w[8 * j + 2], m))

    def item(z: Value, k: Value) -> Any:
        near, far = k // 2, place((n - 1) // 2 - k // 2, m)
        return select(k % 2 == 0, 2.0 * _real(z[near], w[8 * near]), -2.0 * _imaginary(z[far], w[8 * far]))

    return _each(there, item, n)


def _real(x: Value, y: Value) -> Any:
    """The real part of the product of two complex numbers."""
    return x.real * y.real - x.imag * y.imag


def _imaginary(x: Value, y: Value) -> Any:
    """The imaginary part of the product of two complex numbers."""
    return x.real * y.imag + x.imag * y.real


# sines


def _backwards(v: Value) -> Any:
    n = size(v.type)
    return _each(v, lambda x, j: x[n - 1 - j])


def _signs(v: Value) -> Any:
    """Rows whose numbers at odd places are negative."""
    return _each(v, lambda x, j: select(j % 2 == 0, x[j], -x[j]))


_OF: dict[tuple[str, int], Callable[[Value], Any]] = {
    ("dct", 1): _first, ("dct", 2): second, ("dct", 3): third, ("dct", 4): _fourth,
    ("dst", 1): _first_of_sines,
    ("dst", 2): lambda v: _backwards(second(_signs(v))),
    ("dst", 3): lambda v: _signs(third(_backwards(v))),
    ("dst", 4): lambda v: _signs(_fourth(_backwards(v))),
}  # fmt: skip

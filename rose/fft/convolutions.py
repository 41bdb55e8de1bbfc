"""The transform of a size with a large prime factor, as a convolution of a friendlier one.

As `2 j k == j * j + k * k - (k - j) ** 2`, the transform is a convolution with the *chirp* `exp(1j * pi * j * j / n)`,
between two products with its conjugate: Bluestein, A linear filtering approach to the computation of discrete Fourier
transform (1970). The convolution is circular, of a size that stages do well.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..frontend.function import AnyFn, make
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.values import to_value
from ..ir import Value
from ..ir.types import Complex, Fin, Vec
from .roots import roots
from .rows import Rows, at, place
from .stages import steps


@cache
def chirp(n: int) -> AnyFn:
    """The function without parameters that makes `exp(-1j * pi * j * j / n)` for each `j` below `n`."""

    def body() -> Any:
        w = roots(2 * n)()

        def item(j: Value, square: Value) -> Any:
            """`square` is `j * j`, without multiples of `2 * n`."""
            return to_value((square + 2 * j + 1) % (2 * n), Fin(2 * n)), w[square]

        return control.scan(item, to_value(0, Fin(2 * n)), n)[1]

    return make(body, [], Vec(n, Complex), "chirp", [])


@cache
def spectrum(n: int, m: int) -> AnyFn:
    """The function from the chirp, and `m` roots of unity, to the transform of its conjugate, over `m`."""

    def body(c: Value, w: Value) -> Any:
        def item(j: Value) -> Any:
            back = place(m - j, m)
            z = select(j < n, at(c, j), select(back < n, at(c, back), 0j))
            return z.conj() * (1.0 / m)

        return steps(m)(loops.vec(item(j) for j in loops.range(m)), w)

    return make(body, [Vec(n, Complex), roots(m).result], Vec(m, Complex), "spectrum", ["chirp", "w"])


@cache
def convolved(n: int, m: int) -> AnyFn:
    """The function from `n` complex numbers, the chirp, its spectrum and `m` roots of unity to the transform."""

    def body(x: Value, c: Value, spectrum: Value, w: Value) -> Any:
        def padded(j: Value) -> Any:
            return select(j < n, at(x, j) * at(c, j), 0j)

        there = steps(m)(loops.vec(padded(j) for j in loops.range(m)), w)
        product = loops.vec(there[j] * spectrum[j] for j in loops.range(m))
        back = steps(m)(product, w)  # of which the inverse is the transform, backwards
        return loops.vec(back[(m - k) % m] * c[k] for k in loops.range(n))

    types = [Vec(n, Complex), Vec(n, Complex), Vec(m, Complex), roots(m).result]
    return make(body, types, Vec(n, Complex), "dft", ["x", "chirp", "spectrum", "w"])


def by_convolution(n: int, m: int) -> Rows:
    """What transforms a row of `n` numbers, with tables that are made here."""
    c, w = chirp(n)(), roots(m)()
    there = spectrum(n, m)(c, w)
    return lambda row: convolved(n, m)(row, c, there, w)

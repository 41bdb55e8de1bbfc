"""Roots of unity as a table that a module makes: of two short ones, whose sizes are about the root of its own.

With `i = k * side + a` a root is `w ** (k * side)` times `w ** a`. The short tables have the former and `w ** a - 1`,
which is small, so that `x + x * (w ** a - 1)` is rounded about as the root itself would be: to three quarters of an ulp
of one. They are found by integers, of which nothing depends on the machine.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..frontend.complex.parts import made
from ..frontend.function import AnyFn, make
from ..frontend.language import control
from ..frontend.operators import view
from ..ir import Value, current_builder
from ..ir.numbers import Numbers
from ..ir.types import Complex, Real, Vec
from .rows import placed

BITS, KEPT = 224, 160  # of numbers of a fixed point: what is computed, and what is right
ONE = 1 << BITS
PI = 0x3243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89 >> (256 - BITS)

ALL = 64  # roots that are data, all of them: 1 kB

Fixed = tuple[int, int]  # a complex number of a fixed point


def powers(n: int, step: int, count: int) -> list[Fixed]:
    """`exp(-2j * pi * step * k / n)` for each `k` below `count`, with `KEPT` bits."""
    w, z, out = _turned(n, step), (ONE, 0), list[Fixed]()
    for _ in range(count):
        out.append((_rounded(z[0]), _rounded(z[1])))
        z = (z[0] * w[0] - z[1] * w[1]) >> BITS, (z[0] * w[1] + z[1] * w[0]) >> BITS
    return out


def _rounded(x: int) -> int:
    """With as many bits as are right: what is 0 is 0."""
    return (x + (1 << (BITS - KEPT - 1))) >> (BITS - KEPT)


def _turned(n: int, step: int) -> Fixed:
    """`exp(-2j * pi * step / n)`, by its power series."""
    angle, term, total = -2 * PI * (step % n) // n, ONE, [0, 0]
    k = 0
    while term:
        total[k % 2] += -term if k % 4 > 1 else term
        k += 1
        term = term * angle // (k << BITS) if term * angle > 0 else -(-term * angle // (k << BITS))
    return total[0], total[1]


def _numbers(z: list[Fixed], less: int = 0) -> Value:
    """A literal of the real and imaginary parts, less a whole number."""
    scale = 1 << KEPT
    parts = [x / scale for re, im in z for x in (re - less * scale, im)]
    return view(current_builder().const(Numbers(parts), Vec(len(parts), Real)))


def shape(count: int) -> tuple[int, int]:
    """How many numbers both short tables have, for so many roots. Of few roots, the first has all."""
    if count <= ALL:
        return count, 1
    side = 1 << (max(count - 1, 0).bit_length() + 1) // 2
    return -(-count // side), side


@cache
def roots(n: int, count: int | None = None) -> AnyFn:
    """The function without parameters that makes the table of `exp(-2j * pi * k / n)`.

    It has so many of them at least; without a count, all `n`.
    """
    steps, side = shape(n if count is None else count)
    table = Vec(steps * side, Complex)

    def body() -> Any:
        b = current_builder()
        coarse, fine = _numbers(powers(n, side, steps)), _numbers(powers(n, 1, side), 1)

        def several(k: Value, y: Value) -> Any:
            re, im = coarse[2 * k], coarse[2 * k + 1]

            def one(a: Value, y: Value) -> Any:
                p, q = fine[2 * a], fine[2 * a + 1]
                z = made(re + (re * p - im * q), im + (re * q + im * p))
                return placed(y, k * side + a, z)

            return control.scan(one, y, side)

        return control.scan(several, b.zero(table), steps)

    return make(body, [], table, "roots", [])

"""The discrete Fourier transform of a vector, in stages: Stockham's, which leave its numbers in order.

With `n = r * q`, a stage of radix `r` makes `r` numbers of each `r` that lie `q` apart. Cooley and Tukey, An algorithm
for the machine calculation of complex Fourier series (1965); in order by Stockham, as in Van Loan, Computational
frameworks for the fast Fourier transform (1992), section 1.7. All stages of one radix are one loop, so the code does
not grow with the size.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from ..frontend.complex.parts import made
from ..frontend.function import AnyFn, make
from ..frontend.language import control, loops
from ..frontend.values import to_value
from ..ir import Value, current_builder
from ..ir.ops import add, sub
from ..ir.types import Complex, Fin, Vec
from .plans import radices
from .roots import roots
from .rows import place, placed


@cache
def steps(n: int) -> AnyFn:
    """The function from `n` complex numbers and their roots of unity to the transform, of any radices."""

    def body(x: Value, w: Value) -> Any:
        state: Any = x, to_value(1, Fin(n + 1)), to_value(n, Fin(n + 1))
        for r in dict.fromkeys(radices(n)):
            state = control.scan(_stage(n, r, w), tuple(state[k] for k in range(3)), radices(n).count(r))
        return state[0]

    return make(body, [Vec(n, Complex), roots(n).result], Vec(n, Complex), "dft", ["x", "w"])


def _stage(n: int, r: int, w: Value) -> Callable[[Value, Value], Any]:
    """A stage of radix `r`: `before` is the product of the radices before it, and `after` the rest of `n`."""
    q = n // r

    def stage(_: Value, state: Value) -> Any:
        z, before, groups = state[0], state[1], state[2] // r
        if r in BUTTERFLIES:
            item = _written_out(n, r, z, before, w)
        else:
            item = _summed(n, r, z, before, w)

        def group(_: Value, state: Value) -> Any:
            y, first = state[0], state[1]
            y = control.scan(lambda c, y: item(y, place(first + c, q), first), y, loops.range(before))
            return y, place(first + before, q)

        y = control.scan(group, (current_builder().zero(z.type), to_value(0, Fin(q))), loops.range(groups))[0]
        return y, place(before * r, n + 1), to_value(groups, Fin(n + 1))

    return stage


Item = Callable[[Value, Value, Value], Value]


def _written_out(n: int, r: int, z: Value, before: Value, w: Value) -> Item:
    """What a butterfly of a small radix puts into a vector."""

    def item(y: Value, u: Value, first: Value) -> Value:
        out = BUTTERFLIES[r](*[z[u + j * (n // r)] for j in range(r)])
        at = u + (r - 1) * first
        for k, v in enumerate(out):
            y = placed(y, at + k * before, v * w[k * first] if k else v)
        return y

    return item


def _summed(n: int, r: int, z: Value, before: Value, w: Value) -> Item:
    """The same for any odd radix: numbers `k` and `r - k` are sums of the same products with cosines and with sines."""
    q, half = n // r, r // 2

    def item(y: Value, u: Value, first: Value) -> Value:
        at, start = u + (r - 1) * first, z[u]
        pairs = [
            loops.vec(f(z[u + (j + 1) * q], z[u + (r - 1 - j) * q]) for j in loops.range(half)) for f in (add, sub)
        ]

        def sums(k: Value) -> tuple[Value, Value]:
            def term(j: Value, state: Value) -> Any:
                even, odd, turn = state[0], state[1], to_value((state[2] + k * q) % n, Fin(n))
                return even + pairs[0][j] * w[turn].real, odd + pairs[1][j] * w[turn].imag, turn

            done = control.scan(term, (start, current_builder().zero(Complex), to_value(0, Fin(n))), half)
            return done[0], done[1]

        def each(j: Value, y: Value) -> Any:
            (even, odd), one, other = sums(j + 1), j + 1, place(r - 1 - j, r)
            turned = made(-odd.imag, odd.real)
            y = placed(y, at + one * before, (even + turned) * w[one * first])
            return placed(y, at + other * before, (even - turned) * w[other * first])

        whole = control.scan(lambda j, total: total + pairs[0][j], start, half)
        return control.scan(each, placed(y, at, whole), half)

    return item


# butterflies: the transforms of two to five numbers


def _turned(z: Value) -> Value:
    """`-1j * z`."""
    return made(z.imag, -z.real)


def _of_two(a: Value, b: Value) -> list[Value]:
    return [a + b, a - b]


def _of_three(a: Value, b: Value, c: Value) -> list[Value]:
    total, turned = b + c, _turned(b - c) * math.sqrt(0.75)
    rest = a - 0.5 * total
    return [a + total, rest + turned, rest - turned]


def _of_four(a: Value, b: Value, c: Value, d: Value) -> list[Value]:
    even, odd, rest, turned = a + c, b + d, a - c, _turned(b - d)
    return [even + odd, rest + turned, even - odd, rest - turned]


def _of_five(a: Value, b: Value, c: Value, d: Value, e: Value) -> list[Value]:
    outer, inner = b + e, c + d
    far, near = _turned(b - e), _turned(c - d)
    one, two = a + _C1 * outer + _C2 * inner, a + _C2 * outer + _C1 * inner
    first, second = _S1 * far + _S2 * near, _S2 * far - _S1 * near
    return [a + outer + inner, one + first, two + second, two - second, one - first]


# the cosines and sines of one and two fifths of a turn, by their roots
_C1, _C2 = (math.sqrt(5.0) - 1.0) / 4.0, -(math.sqrt(5.0) + 1.0) / 4.0
_S1, _S2 = math.sqrt((5.0 + math.sqrt(5.0)) / 8.0), math.sqrt((5.0 - math.sqrt(5.0)) / 8.0)

BUTTERFLIES: dict[int, Callable[..., list[Value]]] = {2: _of_two, 3: _of_three, 4: _of_four, 5: _of_five}

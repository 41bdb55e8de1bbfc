"""How a random number moves with a parameter of its distribution, with what was drawn kept.

Figurnov, Mohamed and Mnih, Implicit reparameterization gradients (2018): a number moves with a parameter so that the
distribution function at it stays what it is.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..frontend.annotations import Dual
from ..frontend.function import AnyFn, make
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..ir import Value, ops
from ..ir.types import Real

_LARGE = 1000.0  # shapes from here on have an asymptotic expansion
_MOST = 320  # terms of the series and of the continued fraction
_TERMS = 32  # of the series in `1 - y`, where ten deviations are 0.32


@cache
def of_shape() -> AnyFn:
    """The function from a shape, and a number of its gamma distribution, to this number, which moves with the shape."""

    def body(_: Value, x: Value) -> Value:
        return x

    f = make(body, [Real, Real], Real, "of_shape", ["a", "x"])

    @f.jvp
    def rule(a: Dual, x: Dual) -> Any:
        y = f(a.re, x.re)
        return Dual(y, select(y == 0.0, 0.0, _slope(a.re, y)) * a.du + x.du)

    return f


def _slope(a: Value, x: Value) -> Value:
    """`-(dP / da) / (dP / dx)`, where `P(a, x)` is the regularised lower incomplete gamma function.

    To 1e-13 of it, for numbers that are drawn: neither the series nor the continued fraction cancels where it is taken.
    """
    psi = ops.digamma(a + 1.0)
    n = within(
        ops.itrunc(32.0 + 9.0 * ops.sqrt(ops.min_(a, _LARGE))), _MOST
    )  # for all digits; of second derivatives too
    return control.cond(
        a < _LARGE,
        lambda: control.cond(
            x < a + 3.0, lambda: _by_series(a, x, psi, n), lambda: _by_fraction(a, x, psi - 1.0 / a, n)
        ),
        lambda: _of_large(a, x),
    )


def _by_series(a: Value, x: Value, psi: Value, n: Value) -> Value:
    """By the series of `P`, DLMF 8.11.4, and its derivative by `a`, in the form of Horner. `psi` is at `a + 1`."""

    def term(i: Value, s: tuple[Value, ...]) -> Any:
        of, slope = s
        to = a + (n - i)
        by = x / to
        return 1.0 + by * of, by * (slope - of / to)

    of, slope = control.scan(term, (1.0, 0.0), loops.range(n))
    return x / a * (of * (psi - ops.log(x)) - slope)


def _by_fraction(a: Value, x: Value, psi: Value, n: Value) -> Value:
    """By the continued fraction of `1 - P`, the even part of DLMF 8.9.2, and its derivative by `a`, from its end."""

    def term(i: Value, s: tuple[Value, ...]) -> Any:
        of, slope = s
        m = n - i
        by = m / of
        return x + 2.0 * m - 1.0 - a - by * (m - a), by - 1.0 + by * (m - a) * (slope / of)

    of, slope = control.scan(term, (x + 2.0 * n + 1.0 - a, -1.0), loops.range(n))
    return x / of * (ops.log(x) - psi - slope / of)


def _of_large(a: Value, x: Value) -> Value:
    """By powers of `1 / a`, whose factors are series in `1 - y`, where `y == x / a`.

    As a function of `y`, the slope `s` satisfies `s' / a + s * (1 / y - 1 - 1 / (a * y)) == digamma(a) - log(x)`: this
    gives the factor of each power from that of the one before, beginning with `y * log(y) / (y - 1)`.
    """
    y = x / a

    def term(i: Value, s: Value) -> Any:
        k = (_TERMS - 1.0) - i
        first, second = 1.0 / ((k + 2.0) * (k + 3.0)), (1.0 - k) / ((k + 3.0) * (k + 4.0) * (k + 5.0))
        third = (k + 1.0) * (k - 8.0) / ((k + 4.0) * (k + 5.0) * (k + 6.0) * (k + 7.0))
        return (1.0 - y) * s + 1.0 / (k + 1.0) + (first + (second + third / a) / a) / a

    return y * control.scan(term, 0.0, _TERMS)

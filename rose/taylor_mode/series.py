"""Power series whose coefficients are computed when they are first asked for, in order.

A coefficient is None where it is known to be zero: no code is made for it.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir import CONST, Value, current_builder
from ..ir.ops import add, div, mul, neg, select
from ..ir.ops import sub as minus
from ..ir.types import Real

Coefficient = Value | None


class Series:
    """The coefficients of a number: `further(k)` is that of order `k`; without, they are zero. So it is of a Bool."""

    __slots__ = ("_further", "_known")

    def __init__(self, first: Coefficient, further: Callable[[int], Coefficient] | None = None) -> None:
        self._known: list[Coefficient] = [first]
        self._further = further

    def __getitem__(self, k: int) -> Coefficient:
        if self._further is None:
            return self._known[0] if k == 0 else None
        while len(self._known) <= k:
            self._known.append(self._further(len(self._known)))
        return self._known[k]

    @property
    def is_constant(self) -> bool:
        """True if all coefficients but the first are known to be zero."""
        return self._further is None

    @property
    def first(self) -> Value:
        """The first coefficient, as a value."""
        return written(self._known[0])


def number(x: float) -> Value:
    return current_builder().const(x, Real)


def written(x: Coefficient) -> Value:
    """A coefficient, as a value where it is known to be zero."""
    return number(0.0) if x is None else x


def nonzero(x: Value) -> Coefficient:
    """None for a literal zero."""
    return None if x.op is CONST and x.attr == 0.0 else x


# numbers that may be known to be zero


def plus(x: Coefficient, y: Coefficient) -> Coefficient:
    return y if x is None else x if y is None else current_builder().emit(add, (x, y))


def times(x: Coefficient, y: Coefficient) -> Coefficient:
    return None if x is None or y is None else current_builder().emit(mul, (x, y))


def over(x: Coefficient, y: Value) -> Coefficient:
    return None if x is None else current_builder().emit(div, (x, y))


def less(x: Coefficient, y: Coefficient) -> Coefficient:
    if y is None:
        return x
    return current_builder().emit(neg, (y,)) if x is None else current_builder().emit(minus, (x, y))


# series


def linear(of: Callable[..., Coefficient], *xs: Series) -> Series:
    """The series whose coefficients are `of` those of the same order."""
    return Series(of(*[x[0] for x in xs]), lambda k: of(*[x[k] for x in xs]))


def product(x: Series, y: Series) -> Series:
    def of(k: int) -> Coefficient:
        return squares(x, k, 0) if x is y else _products(x, y, k)

    return Series(of(0), of)


def _products(x: Series, y: Series, k: int) -> Coefficient:
    if y.is_constant or x.is_constant:
        return times(x[k], y[0]) if y.is_constant else times(x[0], y[k])
    total = None
    for j in range(k + 1):
        total = plus(total, times(x[j], y[k - j]))
    return total


def squares(x: Series, k: int, begin: int) -> Coefficient:
    """Coefficient `k` of the square of `x`, less the terms that have a coefficient below `begin`.

    Each product of two different coefficients stands twice in the sum.
    """
    total = None
    for j in range(begin, (k + 1) // 2):
        total = plus(total, times(x[j], x[k - j]))
    total = plus(total, total)
    return plus(total, times(x[k // 2], x[k // 2])) if k % 2 == 0 and k // 2 >= begin else total


def quotient(x: Series, y: Series) -> Series:
    by = y.first

    def coefficient(k: int) -> Coefficient:
        rest = x[k]
        for j in range(1, k + 1):
            rest = less(rest, times(y[j], z[k - j]))
        return over(rest, by)

    z = Series(over(x[0], by), coefficient)
    return z


def choice(c: Series, x: Series, y: Series) -> Series:
    """One of two series, by a condition."""

    def of(x: Coefficient, y: Coefficient) -> Coefficient:
        return None if x is None and y is None else current_builder().emit(select, (c.first, written(x), written(y)))

    return linear(of, x, y)


def derivative_of(x: Series) -> Series:
    return Series(x[1], lambda k: times(number(k + 1.0), x[k + 1]))


def shifted(x: Series) -> Series:
    """The coefficients of `x` from the next one on."""
    return Series(x[1], lambda k: x[k + 1])


def integral(first: Value, slope: Callable[[int], Coefficient]) -> Series:
    """The series that begins with `first`, of which the derivative has the coefficients `slope(k)`."""

    def further(k: int) -> Coefficient:
        d = slope(k - 1)
        return None if d is None else over(d, number(float(k)))

    return Series(first, further)


def scaled(x: Series, by: Value) -> Series:
    return Series(times(x[0], by), lambda k: times(x[k], by))

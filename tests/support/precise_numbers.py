"""Numbers of 50 digits beside floats: what a program would give without rounding, on the path that floats take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath

DIGITS = 50


class Both:
    """A float, and the number that it stands for. Comparisons, and what is made of them, are those of the float."""

    __slots__ = ("high", "low")

    def __init__(self, low: float, high: Any) -> None:
        self.low, self.high = low, mpmath.mpf("nan") if isinstance(high, mpmath.mpc) else high

    def __add__(self, y: Any) -> Both:
        return Both(self.low + low(y), self.high + high(y))

    def __sub__(self, y: Any) -> Both:
        return Both(self.low - low(y), self.high - high(y))

    def __rsub__(self, x: Any) -> Both:
        return Both(low(x) - self.low, high(x) - self.high)

    def __mul__(self, y: Any) -> Both:
        return Both(self.low * low(y), self.high * high(y))

    def __truediv__(self, y: Any) -> Any:
        return dividing(self, y)

    def __rtruediv__(self, x: Any) -> Any:
        return dividing(x, self)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Both:
        return Both(-self.low, -self.high)

    def __abs__(self) -> Both:
        return self if math.copysign(1.0, self.low) > 0.0 else -self

    def __float__(self) -> float:
        return self.low

    def __lt__(self, y: Any) -> bool:
        return self.low < low(y)

    def __le__(self, y: Any) -> bool:
        return self.low <= low(y)

    def __gt__(self, y: Any) -> bool:
        return self.low > low(y)

    def __ge__(self, y: Any) -> bool:
        return self.low >= low(y)

    def __eq__(self, y: Any) -> bool:
        return self.low == low(y)

    __hash__ = None  # type: ignore[assignment]


def low(x: Any) -> float:
    return x.low if isinstance(x, Both) else x


def high(x: Any) -> Any:
    return x.high if isinstance(x, Both) else mpmath.mpf(x)


def precise(f: Callable[..., float], exact: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """`f` of floats, and of numbers with 50 digits; without `exact` it is what is left of a division."""

    def value(*xs: Any) -> Any:
        if not any([x.__class__ is Both for x in xs]):
            return f(*xs)
        lows, highs = [low(x) for x in xs], [high(x) for x in xs]
        made = f(*lows)
        if exact is None:
            return Both(made, highs[0] - highs[1] * round((lows[0] - made) / lows[1]))
        return Both(made, exact(*highs))

    return value


def dividing(x: Any, y: Any) -> Any:
    """A quotient, as IEEE 754 has it."""
    if x.__class__ is Both or y.__class__ is Both:
        above, below = high(x), high(y)
        return Both(dividing(low(x), low(y)), above / below if below else mpmath.mpf("nan"))
    return x / y if y else x * math.copysign(math.inf, y)


def lifted(x: float) -> Both:
    return Both(x, mpmath.mpf(x))

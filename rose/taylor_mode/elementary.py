# pyright: reportUnknownArgumentType=false
"""The rows with a recurrence of their own, where that takes fewer products than the derivative rule.

Each is given the first coefficient of its result, and the series of its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ..ir import Op, Value
from ..ir.ops import (
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    div,
    exp,
    expm1,
    hypot,
    log2,
    log10,
    mul,
    neg,
    select,
    sqrt,
    sub,
)
from .series import (
    Coefficient,
    Series,
    choice,
    derivative_of,
    integral,
    less,
    linear,
    number,
    over,
    plus,
    product,
    quotient,
    scaled,
    squares,
    times,
)


def exponential(z: Value, x: Series) -> Series:
    """From `z' = x' z`."""
    slope = derivative_of(x)
    e = integral(z, lambda k: d[k])
    d = product(slope, e)
    return e


def _root(z: Value, w: Series) -> Series:
    """From `z z = w`."""
    root = Series(z, lambda k: over(less(w[k], squares(root, k, 1)), z + z))
    return root


def _exponential_less_1(z: Value, x: Series) -> Series:
    e = exponential(exp(x.first), x)
    return Series(z, lambda k: e[k])


def _logarithm(base: float) -> Callable[[Value, Series], Series]:
    def of(z: Value, x: Series) -> Series:
        return integral(z, quotient(scaled(derivative_of(x), number(1.0 / math.log(base))), x).__getitem__)

    return of


def _inverse(slope: Callable[[Series], Series]) -> Callable[[Value, Series], Series]:
    """A function with the derivative `1 / slope(x)`."""
    return lambda z, x: integral(z, quotient(derivative_of(x), slope(x)).__getitem__)


def _opposite(of: Callable[[Value, Series], Series]) -> Callable[[Value, Series], Series]:
    def minus(z: Value, x: Series) -> Series:
        made = of(z, x)
        return Series(z, lambda k: _minus(made[k]))

    return minus


def _minus(x: Coefficient) -> Coefficient:
    return less(None, x)


def _square_and(first: Callable[[Value], Value]) -> Callable[[Series], Series]:
    """The square of `x` and a number: `first` gives the sum at one point, without cancellation."""

    def of(x: Series) -> Series:
        square = product(x, x)
        return Series(first(x.first), lambda k: square[k])

    return of


def _less_square(x: Series) -> Series:
    """`1 - x x`."""
    square = product(x, x)
    return Series((1.0 - x.first) * (1.0 + x.first), lambda k: _minus(square[k]))


def _root_of(square: Callable[[Series], Series], first: Callable[[Value], Value]) -> Callable[[Series], Series]:
    return lambda x: _root(first(x.first), square(x))


def _normal(by: Value, *xs: Series) -> list[Series]:
    """Each divided by the number `by`, so that no square overflows."""
    return [linear(lambda x: over(x, by), x) for x in xs]


def _length(z: Value, x: Series, y: Series) -> Series:
    """From `z z = x x + y y`, divided by the first coefficient of `z`. At (0, 0) nothing moves."""
    p, q = _normal(z, x, y)
    r = _root(number(1.0), linear(plus, product(p, p), product(q, q)))

    def of(k: int) -> Coefficient:
        c = times(r[k], z)
        return None if c is None else select(z == 0.0, number(0.0), c)

    return Series(z, of)


def _angle(z: Value, y: Series, x: Series) -> Series:
    """From `z' (x x + y y) = x y' - y x'`, of coordinates divided by the length."""
    p, q = _normal(hypot(x.first, y.first), x, y)
    across = linear(less, product(p, derivative_of(q)), product(q, derivative_of(p)))
    return integral(z, quotient(across, linear(plus, product(p, p), product(q, q))).__getitem__)


_AND_1 = _square_and(lambda x: 1.0 + x * x)
_LESS_1 = _square_and(lambda x: (x - 1.0) * (x + 1.0))
_arcsine = _inverse(_root_of(_less_square, lambda x: sqrt((1.0 - x) * (1.0 + x))))

RECURRENCES: dict[Op, Callable[..., Series]] = {
    neg: lambda z, x: linear(_minus, x),
    add: lambda z, x, y: linear(plus, x, y),
    sub: lambda z, x, y: linear(less, x, y),
    mul: lambda z, x, y: product(x, y),
    div: lambda z, x, y: quotient(x, y),
    select: lambda z, c, x, y: choice(c, x, y),
    sqrt: _root,
    exp: exponential,
    expm1: _exponential_less_1,
    log2: _logarithm(2.0),
    log10: _logarithm(10.0),
    asin: _arcsine,
    acos: _opposite(_arcsine),
    atan: _inverse(_AND_1),
    asinh: _inverse(_root_of(_AND_1, lambda x: hypot(x, number(1.0)))),
    acosh: _inverse(_root_of(_LESS_1, lambda x: sqrt(x - 1.0) * sqrt(x + 1.0))),
    atanh: _inverse(_less_square),
    hypot: _length,
    atan2: _angle,
}

"""The series of `pow(x, y)`.

By squaring, of a literal whole `y` of which that takes no more products than the recurrence of `x z' = y x' z`. That
recurrence cannot begin where `x` is 0: there another function is called. Of a `y` that moves, by `log` and `exp`.
"""

from __future__ import annotations

import math
from functools import cache

from ..errors import Loc
from ..ir import CONST, Func, Origin, Value, building, current_builder
from ..ir.callgraph import make_branch
from ..ir.ops import eq, log, pow_, real, select
from ..ir.types import Real, Vec
from .elementary import exponential
from .series import (
    Coefficient,
    Series,
    derivative_of,
    integral,
    nonzero,
    number,
    over,
    plus,
    product,
    quotient,
    times,
    written,
)


def power(z: Value, x: Series, y: Series, order: int) -> Series:
    """The series of `pow(x, y)`, up to an order."""
    if not y.is_constant:
        return _of_moving(z, x, y)
    exponent = y.first
    if exponent.op is CONST and exponent.attr == 0.0:
        return Series(z)
    if exponent.op is CONST and not (exponent.attr > 0.0 and exponent.attr.is_integer()):
        return _away_from_0(z, x, exponent)
    if exponent.op is CONST and _squaring_is_cheap(int(exponent.attr)):
        return _by_squaring(x, int(exponent.attr))
    return _by_branch(z, x, exponent, order)


def _by_rule(z: Value, x: Series, y: Series) -> Coefficient:
    """The first derivative, by the rule of the table, which is right where `x` is 0, too."""
    assert pow_.jvp is not None
    first, second = pow_.jvp
    assert first is not None and second is not None
    dx, dy = x[1], y[1]
    a = None if dx is None else first(dx, x.first, y.first, z)
    return plus(a, None if dy is None else second(dy, x.first, y.first, z))


def _of_moving(z: Value, x: Series, y: Series) -> Series:
    """`exp(y log(x))`; of an `x` that is 0 and stays it, nothing moves."""
    by_rule = _by_rule(z, x, y)
    base = Series(log(x.first)) if x.is_constant else integral(log(x.first), quotient(derivative_of(x), x).__getitem__)
    made, stays = exponential(z, product(y, base)), z == 0.0

    def of(k: int) -> Coefficient:
        c = by_rule if k == 1 else made[k]
        return select(stays, number(0.0), c) if x.is_constant and c is not None else c

    return Series(z, of)


def _away_from_0(z: Value, x: Series, y: Value) -> Series:
    """From `x z' = y x' z`; at 0, the derivatives of an order below `y` are 0."""
    by_rule = _by_rule(z, x, Series(y))

    def of(k: int) -> Coefficient:
        if k == 1:
            return by_rule
        c = _solved(x, y, made, k)
        if c is None or y.op is not CONST or k > y.attr:
            return c
        return select(x.first == 0.0, number(0.0), c)

    made = Series(z, of)
    return made


def _solved(x: Series, y: Value, z: Series, k: int) -> Coefficient:
    total = None
    for j in range(1, k + 1):
        factor = float(j) * y - float(k - j)
        total = plus(total, times(times(nonzero(factor), x[j]), z[k - j]))
    return over(total, float(k) * x.first)


def _squaring_is_cheap(n: int) -> bool:
    """True if the squares, each half of a product, and the products are at most the two of the recurrence."""
    return n.bit_length() - 1 + 2 * (n.bit_count() - 1) <= 5


def _by_squaring(x: Series, n: int) -> Series:
    out = None
    while n:
        if n & 1:
            out = x if out is None else product(out, x)
        n >>= 1
        x = product(x, x) if n else x
    assert out is not None
    return out


def _by_branch(z: Value, x: Series, y: Value, order: int) -> Series:
    """Of a `y` that may be whole: a call of the one or the other function, by whether `x` is 0."""
    b, made = current_builder(), list[Value]()

    def of(k: int) -> Coefficient:
        if not made:
            beside = b.pack([written(x[j]) for j in range(1, order + 1)], Vec(order, Real))
            made.append(b.call(_branch(order), [eq(x.first, 0.0), x.first, beside, y, z]))
        return b.index(made[0], k - 1)

    return Series(z, of)


@cache
def _branch(order: int) -> Func:
    """From the base, its further coefficients, the exponent and the value to the further coefficients of the power."""
    return make_branch("rose.power", _power_of_0(order), _power(order), origin=Origin("library"))


def _power(order: int) -> Func:
    with building("rose.power", Origin("library")) as b:
        x, y, z = _params(order)
        made = _away_from_0(z, x, y)
        return b.func(b.pack([written(made[k]) for k in range(1, order + 1)], Vec(order, Real)))


def _power_of_0(order: int) -> Func:
    """The powers of `x`, one after another: that of `y`, if it is whole. Else the orders above `y` are nan."""
    with building("rose.power_of_0", Origin("library")) as b:
        x, y, z = _params(order)
        orders = range(1, order + 1)
        below = [select((y > float(k)) | (y == 0.0), number(0.0), number(math.nan)) for k in orders]
        below[0] = written(_by_rule(z, x, Series(y)))

        def step(i: Value, *now: Value) -> tuple[list[Value], list[Value]]:
            last = Series(number(0.0), lambda k: now[k - 1])
            powers, found = product(last, x), real(i) + 2.0 == y
            there = [written(powers[k]) for k in orders]
            return [*there, *[select(found, p, r) for p, r in zip(there, now[order:], strict=True)]], []

        xs = [written(x[k]) for k in orders]
        first = [select(y == 1.0, p, r) for p, r in zip(xs, below, strict=True)]
        now, _ = b.loop(order - 1, step, [*xs, *first])
        return b.func(b.pack(now[order:], Vec(order, Real)))


def _params(order: int) -> tuple[Series, Value, Value]:
    b = current_builder()
    b.loc = Loc(power.__code__, -1)
    first, beside, y, z = b.param(Real, "x"), b.param(Vec(order, Real), "dx"), b.param(Real, "y"), b.param(Real, "z")
    return Series(first, lambda k: b.index(beside, k - 1)), y, z

"""SciPy's special functions that have SciPy's name alone: each is an expression of others, smooth wherever it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arrays.elementwise import each
from ..frontend.operators import as_real
from ..frontend.typed import Operand
from ..ir import OPS, Value, a_traced, current_builder, ops, shown
from ..ir import special_ops as rows
from ..ir.ops import select
from ..ir.value import host_index


def _of(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Reals, for each element of arrays."""

    def of_reals(*xs: Operand) -> Any:
        return f(*[as_real(current_builder().lift(x)) for x in xs])

    return lambda *xs: each(of_reals, *xs)


def _exprel(x: Value) -> Value:
    """`expm1(x) / x`: near 0 by its series, which has its derivatives."""
    series = current_builder().lift(0.0)
    for k in range(17, -1, -1):  # the rest is below 1e-17 where the series is taken
        series = series * x + 1.0 / math.factorial(k + 1)
    near = ops.abs_(x) < 1.0
    return select(near, series, select(x == math.inf, x, ops.expm1(x) / select(near, 1.0, x)))


def _boxcox(x: Value, power: Value) -> Value:
    log = ops.log(x)
    return select(x == 0.0, select(power > 0.0, -1.0 / power, -math.inf), log * _exprel(power * log))


def _cosm1(x: Value) -> Value:
    half = ops.sin(0.5 * x)
    return -2.0 * half * half


def _huber(delta: Value, r: Value) -> Value:
    size = ops.abs_(r)
    inside = select(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta))
    return select(delta < 0.0, math.inf, inside)


def _pseudo_huber(delta: Value, r: Value) -> Value:
    """`delta ** 2 * (sqrt(1 + (r / delta) ** 2) - 1)`, without the difference of near numbers."""
    return select(delta < 0.0, math.inf, select(delta == 0.0, 0.0, r * r / (1.0 + ops.hypot(1.0, r / delta))))


def _sine_of_half_turns(x: Value) -> Value:
    """`sin(pi * x)`, which is 0 at whole numbers."""
    whole = OPS["round"](x)
    return ops.sin(math.pi * (x - whole)) * (1.0 - 2.0 * ops.abs_(ops.fmod(whole, 2.0)))


def _rgamma(x: Value) -> Value:
    """The reciprocal of the gamma function, which has no poles: below 1/2 by reflection."""
    below = x < 0.5
    other = ops.gamma(1.0 - select(below, x, 0.0)) * _sine_of_half_turns(x) / math.pi
    return select(below, other, 1.0 / ops.gamma(select(below, 1.0, x)))


def _gammasgn(x: Value) -> Value:
    """The sign of the gamma function."""
    whole = ops.floor(x)
    sign = 1.0 - 2.0 * ops.abs_(ops.fmod(whole, 2.0))
    of_negative = select(x == whole, math.nan, sign)
    return select(x > 0.0, 1.0, select(x == 0.0, ops.copysign(1.0, x), of_negative))


def _loggamma(x: Value) -> Value:
    return select(x < 0.0, math.nan, ops.lgamma(select(x < 0.0, 1.0, x)))


def _binom(n: Value, k: Value) -> Value:
    none = (n < 0.0) & (n == ops.floor(n))
    return select(none, math.nan, 1.0 / ((select(none, 0.0, n) + 1.0) * rows.beta(n - k + 1.0, k + 1.0)))


def _chdtr(v: Value, x: Value) -> Value:
    return rows.gammainc(0.5 * v, 0.5 * x)


def _chdtrc(v: Value, x: Value) -> Value:
    return rows.gammaincc(0.5 * v, 0.5 * x)


Step = Callable[[float, Value, Value, Value], Value]  # the polynomial of degree k + 1, of x and those of k and k - 1


def _polynomial(name: str, first: Callable[[Value], Value], step: Step) -> Callable[..., Any]:
    """Orthogonal polynomials of a degree that Python knows, by their recurrence."""

    def of(n: int | Value, x: Operand) -> Any:
        degree = host_index(n)
        if degree is None or degree < 0:
            what = f"{name} of a traced value takes a degree that is known, from 0 on, not "
            raise TypeMismatch(what + (a_traced(n) if isinstance(n, Value) else shown(n)), here(), "write an integer")

        def at(x: Operand) -> Value:
            v = as_real(current_builder().lift(x))
            before, now = current_builder().lift(1.0) + 0.0 * v, first(v)
            for k in range(1, degree):
                before, now = now, step(float(k), v, now, before)
            return now if degree else before

        return each(at, x)

    return of


BY_SCIPYS_NAME: dict[str, Callable[..., Any]] = {
    "exprel": _of(_exprel), "boxcox": _of(_boxcox), "cosm1": _of(_cosm1), "huber": _of(_huber),
    "pseudo_huber": _of(_pseudo_huber), "rgamma": _of(_rgamma), "gammasgn": _of(_gammasgn),
    "loggamma": _of(_loggamma), "binom": _of(_binom), "chdtr": _of(_chdtr), "chdtrc": _of(_chdtrc),
    "eval_legendre": _polynomial(
        "eval_legendre", lambda x: x, lambda k, x, p, q: ((2.0 * k + 1.0) * x * p - k * q) / (k + 1.0)
    ),
    "eval_hermite": _polynomial("eval_hermite", lambda x: 2.0 * x, lambda k, x, p, q: 2.0 * (x * p - k * q)),
    "eval_hermitenorm": _polynomial("eval_hermitenorm", lambda x: x, lambda k, x, p, q: x * p - k * q),
    "eval_chebyt": _polynomial("eval_chebyt", lambda x: x, lambda k, x, p, q: 2.0 * x * p - q),
    "eval_chebyu": _polynomial("eval_chebyu", lambda x: 2.0 * x, lambda k, x, p, q: 2.0 * x * p - q),
    "eval_laguerre": _polynomial(
        "eval_laguerre", lambda x: 1.0 - x, lambda k, x, p, q: ((2.0 * k + 1.0 - x) * p - k * q) / (k + 1.0)
    ),
}  # fmt: skip

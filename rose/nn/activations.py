"""Functions of each number, and `log_softmax`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..frontend.annotations import Dual
from ..frontend.arrays.elementwise import array_function, each
from ..frontend.arrays.products import numbers
from ..frontend.function import AnyFn, make
from ..frontend.language.control import scan
from ..frontend.language.select import constant, select
from ..frontend.language.vectors import logsumexp
from ..frontend.typed import Operand
from ..ir import Value
from ..ir.ops import abs_, erfc, exp, expm1, round_, sigmoid
from ..ir.types import Real, Vec


@array_function
def gelu(x: Operand) -> Any:
    """`x` times the probability that a normal number is below it: exact, for large negative `x` too."""
    return each(_gelu, x)


def _gelu(x: Value) -> Value:
    return 0.5 * x * erfc(x * -math.sqrt(0.5))


@array_function
def silu(x: Operand) -> Any:
    """`x * sigmoid(x)`, which is also called swish."""
    return each(_silu, x)


def _silu(x: Value) -> Value:
    return x * sigmoid(x)


@array_function
def softsign(x: Operand) -> Any:
    """`x / (1 + abs(x))`."""
    return each(_softsign, x)


def _softsign(x: Value) -> Value:
    return x / (1.0 + abs_(x))


@array_function
def elu(x: Operand, alpha: float | Value = 1.0) -> Any:
    """`x` above 0, and `alpha * (exp(x) - 1)` below: Clevert, Unterthiner and Hochreiter (ICLR 2016)."""

    def of_number(x: Value) -> Value:
        return select(x > 0.0, x, alpha * expm1(select(x > 0.0, 0.0, x)))

    return each(of_number, x)


@array_function
def leaky_relu(x: Operand, slope: float | Value = 0.01) -> Any:
    """`x` above 0, and `slope * x` below."""
    of_number: Callable[[Value], Value] = lambda x: select(x > 0.0, x, slope * x)
    return each(of_number, x)


@array_function
def dawsn(x: Operand) -> Any:
    """Dawson's function, `exp(-x**2)` times the integral of `exp(t**2)` from 0 to `x`: SciPy's and Owl's name."""
    return each(_dawson, x)


NEAR, FAR = 1.0, 10.0  # up to here by a power series, and from here on by an asymptotic one
STEP, TERMS = 0.25, 14  # of the sum between them, whose error is below exp(-(pi / (2 * STEP)) ** 2)


def _dawson(x: Value) -> Value:
    is_far = abs_(x) > FAR
    inner, outer = select(is_far, 1.0, x), select(is_far, x, FAR)
    u, series = 0.5 / (outer * outer), constant(Real, 1.0)
    for k in range(TERMS, 0, -1):
        series = 1.0 + (2 * k - 1) * u * series
    return select(is_far, series * 0.5 / outer, _dawson_within()(inner))


@cache
def _dawson_within() -> AnyFn:
    """Dawson's function up to `FAR`, whose derivative is `1 - 2 * x * dawsn(x)`: further out that would cancel."""

    def value(x: Value) -> Value:
        is_near = abs_(x) <= NEAR
        return select(is_near, _by_powers(select(is_near, x, 0.0)), _by_rybicki(x))

    f = make(value, [Real], Real, "dawsn", ["x"])

    @f.jvp
    def rule(x: Dual) -> Any:
        y = f(x.re)
        return Dual(y, (1.0 - 2.0 * x.re * y) * x.du)

    return f


def _by_powers(x: Value) -> Value:
    square, series = -2.0 * x * x, constant(Real, 1.0)
    for k in range(24, 0, -1):
        series = 1.0 + square * series / (2 * k + 1)
    return x * series


def _by_rybicki(x: Value) -> Value:
    """A sum of Gaussians; see Rybicki, Dawson's integral and the sampling theorem (1989)."""
    middle = round_(x * (0.5 / STEP)) * 2.0
    rest = x - middle * STEP
    shares = constant(Vec(TERMS, Real), [math.exp(-(((2 * k + 1) * STEP) ** 2)) for k in range(TERMS)])
    above, below = exp(2.0 * STEP * rest), exp(-2.0 * STEP * rest)

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        total, up, down = state
        odd = 2.0 * k + 1.0
        return total + shares[k] * (up / (middle + odd) + down / (middle - odd)), up * above**2, down * below**2

    total, _, _ = scan(step, (0.0, above, below), TERMS)
    return exp(-(rest * rest)) * total / math.sqrt(math.pi)


@array_function
def log_softmax(x: Operand, axis: int | Sequence[int] = -1) -> Any:
    """The logarithm of `softmax` along an axis, the last by default, without overflow."""
    v = numbers(x, "log_softmax")
    return v - logsumexp(v, axis, keepdims=True)

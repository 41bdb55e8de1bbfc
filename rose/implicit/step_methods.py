"""One step of a differential equation, with an estimate of its error: Dormand and Prince's method, and Rosenbrock's.

A step goes from `t` to `after`, from the state `y`, whose rate of change `k` is known; it gives the state after it, the
estimate, and the rate there. Its length is `after - t`, so that it moves with both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from ..differentiation.jacobians import jacfwd
from ..frontend.function import AnyFn
from ..frontend.language import loops
from ..frontend.language.select import select
from ..ir import Value
from ..ir.ops import sqrt
from ..ir.types import Real, Vec
from ..linalg.elimination import solution
from ..linalg.matrices import filled

Step = Callable[..., tuple[Any, Any, Any]]  # of t, after, y, k and the data


class Method(NamedTuple):
    """How steps are made of a right side in its plain form, and the root of an error as which the length goes.

    A power would bring its tables into each module, of six kilobytes; so near it, square roots do.
    """

    step: Callable[[AnyFn], Step]
    root: Callable[[Any], Any]


def _fourth(e: Value) -> Value:
    return sqrt(sqrt(e))


def _fifth(e: Value) -> Value:
    """To the power of 3 / 16."""
    eighth = sqrt(_fourth(e))
    return eighth * sqrt(eighth)


# Dormand and Prince, A family of embedded Runge-Kutta formulae (1980): order 5, with one of order 4 for the error
_TIMES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def _dormand_prince(rate: AnyFn) -> Step:
    def step(t: Value, after: Value, y: Value, k: Value, *data: object) -> tuple[Any, Any, Any]:
        h, z, ks = after - t, y, [k]
        for c, row in zip(_TIMES, _STAGES, strict=True):
            z = y + _combined(row, ks) * h
            ks.append(rate(after if c == 1.0 else t + c * h, z, *data))
        return z, _combined(_ERROR, ks) * h, ks[-1]

    return step


# Hairer and Wanner, Solving Ordinary Differential Equations II (1996), section IV.7, RODAS: order 4, with one of
# order 3 for the error; stable and damping however stiff the equation is
_DIAGONAL = 0.25
_R_TIMES = (0.0, 0.386, 0.21, 0.63, 1.0, 1.0)
_R_RATES = (0.25, -0.1043, 0.1035, -0.03620000000000023, 0.0, 0.0)  # what the rate's own change by time has part in
_R_STAGES = (
    (),
    (1.544,),
    (0.9466785280815826, 0.2557011698983284),
    (3.314825187068521, 2.896124015972201, 0.9986419139977817),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950),
    (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0),
)
_R_BEFORE = (
    (),
    (-5.6688,),
    (-2.430093356833875, -0.2063599157091915),
    (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
    (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
    (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
)


def _rosenbrock(rate: AnyFn) -> Step:
    slopes = jacfwd(rate, (0, 1))

    def step(t: Value, after: Value, y: Value, k: Value, *data: object) -> tuple[Any, Any, Any]:
        h, us = after - t, list[Any]()
        by_time, by_state = _parts(slopes(t, y, *data))
        for c, d, row, before in zip(_R_TIMES, _R_RATES, _R_STAGES, _R_BEFORE, strict=True):
            then = after if c == 1.0 else t + c * h
            right = (rate(then, _plus(y, row, us), *data) if us else k) * h
            if d:
                right = right + by_time * (d * h * h)
            us.append(_solved(by_state * h, _plus(right, before, us)))
        z = _plus(y, (*_R_STAGES[-1], 1.0), us)
        return z, us[-1], rate(after, z, *data)

    return step


def _parts(both: Value | tuple[Value, Value]) -> tuple[Any, Any]:
    """The derivatives of a rate by the time and by the state, from the pair, or the vector of the pairs."""
    if isinstance(both, Value) and isinstance(both.type, Vec):
        by_time, by_state = [loops.vec(both[i][k] for i in loops.range(both.shape[0])) for k in (0, 1)]
        return by_time, by_state
    return both[0], both[1]


def _solved(m: Value, right: Value) -> Value:
    """The solution `x` of `x / diagonal - m @ x == right`."""
    if m.type is Real:
        return right / (1.0 / _DIAGONAL - m)
    n = m.shape[0]
    return solution(filled(n, n, lambda i, j: select(i == j, 1.0 / _DIAGONAL, 0.0) - m[i][j]), right)


def _plus(y: Value, weights: Sequence[float], xs: Sequence[Any]) -> Value:
    return y + _combined(weights, xs) if xs else y


def _combined(weights: Sequence[float], xs: Sequence[Any]) -> Value:
    """The sum of numbers or vectors with these weights, those that are not 0."""
    return reduce(lambda a, b: a + b, [x * w for w, x in zip(weights, xs, strict=True) if w])


METHODS = {"dormand-prince": Method(_dormand_prince, _fifth), "rosenbrock": Method(_rosenbrock, _fourth)}

"""Principal square roots and logarithms of matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.duals import DualVec
from ..frontend.language import control
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, ops
from ..ir.sizes import differ
from .elimination import inv, slogdet, solution
from .lyapunov import ITERATIONS, NEAR, stable
from .matrices import batched, distance, filled, identity, square
from .primitives import primitive

LARGEST = 0.25  # the distance from the identity of a matrix whose logarithm these sums have to rounding
PLACES = (  # of Gauss's quadrature between 0 and 1
    0.025446043828620812, 0.12923440720030277, 0.2970774243113014, 0.5,
    0.7029225756886985, 0.8707655927996972, 0.9745539561713792,
)  # fmt: skip
WEIGHTS = (
    0.06474248308443532, 0.13985269574463816, 0.19091502525255938, 0.20897959183673434,
    0.19091502525255938, 0.13985269574463816, 0.06474248308443532,
)  # fmt: skip


@lenient
def sqrtm(a: ArrayLike) -> Array:
    """The principal square root of a square matrix, or of each of a batch: `x @ x == a`.

    Its eigenvalues have positive real parts. It exists where no eigenvalue of `a` is 0 or below; else the result is
    nan. By the product form of the iteration of Denman and Beavers, scaled by determinants: see Higham, Functions of
    Matrices (2008), chapter 6. The derivatives, of any order, solve `x @ dx + dx @ x == da`.
    """
    return batched(_sqrtm_of, [square(a, "sqrtm")], [2])


@lenient
def logm(a: ArrayLike) -> Array:
    """The principal logarithm of a square matrix, or of each of a batch: `expm(x) == a`.

    The imaginary parts of its eigenvalues are between -pi and pi. It exists where no eigenvalue of `a` is 0 or below;
    else the result is nan. By square roots until one is near the identity, and Gauss's quadrature of degree 7, which
    is Pade's approximation there: see Higham, Functions of Matrices (2008), chapter 11.
    """
    return batched(_logm, [square(a, "logm")], [2])


def _sqrtm_of(a: Value) -> Any:
    return _root(a) if differ(a.shape[0], 0) else a


@primitive("sqrtm")
def _root(a: Value) -> Any:
    n = a.shape[0]
    one = identity(n)

    def step(state: tuple[Value, ...]) -> Any:
        rest, x, count = state
        square = ops.exp(-slogdet(rest).logabsdet / n)
        by = inv(rest) / square
        return 0.5 * one + 0.25 * (rest * square + by), 0.5 * ops.sqrt(square) * (x + matmul(x, by)), count + 1.0

    far: Callable[[Any], Any] = lambda s: (distance(s[0]) > NEAR) & (s[2] < ITERATIONS)
    rest, x, _ = step(control.while_loop(far, step, (a, a, 0.0)))
    exists = distance(rest) <= NEAR
    return filled(n, n, lambda i, j: select(exists, x[i][j], math.nan))


@_root.jvp
def _(x: Value, a: DualVec) -> Any:
    return stable(x, x, a.du)


def _logm(a: Value) -> Any:
    n = a.shape[0]
    one = identity(n)
    nearer: Callable[[Any], Any] = lambda s: (_sqrtm_of(s[0]), 2.0 * s[1])
    far: Callable[[Any], Any] = lambda s: (distance(s[0]) > LARGEST) & (s[1] < 2.0**ITERATIONS)
    root, power = control.while_loop(far, nearer, (a, 1.0))
    x = root - one
    parts = [w * solution(one + t * x, x) for t, w in zip(PLACES, WEIGHTS, strict=True)]
    return power * sum(parts[1:], parts[0])

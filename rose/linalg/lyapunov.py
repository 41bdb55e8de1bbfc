"""Equations of Sylvester and Lyapunov: linear in a matrix that is multiplied on both sides.

Those of any matrices are a system of equations for all elements of the solution, by Kronecker's products. Where it is
known on which side the eigenvalues lie, as in the derivatives of square roots and of Riccati's equations, an iteration
that is linear in the right side needs only matrices of the same size: `stable` and `contracting`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import shape_of
from ..frontend.arrays.shaping import reshape, transpose
from ..frontend.language import control
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, ops
from .elimination import inv, slogdet, solution
from .matrices import batched, distance, filled, shaped, square

ITERATIONS = 60  # at most; some ten are enough for eigenvalues of many magnitudes
NEAR = 2.0**-30  # what another iteration squares, and with it what is left of the derivatives


@lenient
def solve_sylvester(a: ArrayLike, b: ArrayLike, q: ArrayLike) -> Array:
    """The solution `x` of `a @ x + x @ b == q`, for square matrices `a` and `b`, or for each of a batch.

    It exists where no eigenvalue of `a` is one of `-b`; else the result has infinities and nan, or what rounding makes
    of them. By elimination for all `k = m * n` elements of `x`, so for up to some 30 rows: with `k ** 2` numbers in
    memory, and in `k ** 3` operations. The derivatives, of any order, are by the same factors.
    """
    name, names = "solve_sylvester", "abq"
    left, right = square(a, name, 3, names=names), square(b, name, 3, k=1, names=names)
    m, n = shape_of(left.type)[-1], shape_of(right.type)[-1]
    return batched(_sylvester, [left, right, shaped(q, m, n, name, 2, 3, names=names)], [2, 2, 2])


@lenient
def solve_continuous_lyapunov(a: ArrayLike, q: ArrayLike) -> Array:
    """The solution `x` of `a @ x + x @ transpose(a) == q`, for square matrices, or for each of a batch.

    It exists where no two eigenvalues of `a` have the sum 0; else the result is as that of `solve_sylvester`, and so
    are time and memory.
    """
    of: Callable[[Any, Any], Any] = lambda a, q: _sylvester(a, transpose(a), q)
    return batched(of, _pair(a, q, "solve_continuous_lyapunov"), [2, 2])


solve_lyapunov = solve_continuous_lyapunov


@lenient
def solve_discrete_lyapunov(a: ArrayLike, q: ArrayLike) -> Array:
    """The solution `x` of `x == a @ x @ transpose(a) + q`, for square matrices, or for each of a batch.

    It exists where no two eigenvalues of `a` have the product 1; else the result is as that of `solve_sylvester`, and
    so are time and memory.
    """
    return batched(_stein, _pair(a, q, "solve_discrete_lyapunov"), [2, 2])


def _pair(a: ArrayLike, q: ArrayLike, name: str) -> list[Any]:
    m = square(a, name, 2, names="aq")
    n = shape_of(m.type)[-1]
    return [m, shaped(q, n, n, name, 1, 2, names="aq")]


def _sylvester(a: Value, b: Value, q: Value) -> Value:
    return _by_elements(lambda i, j, k, l: select(j == l, a[i][k], 0.0) + select(i == k, b[l][j], 0.0), q)


def _stein(a: Value, q: Value) -> Value:
    return _by_elements(lambda i, j, k, l: select((i == k) & (j == l), 1.0, 0.0) - a[i][k] * a[j][l], q)


def _by_elements(factor: Callable[[Value, Value, Value, Value], Value], q: Value) -> Value:
    """The matrix `x` for which the sum of `factor(i, j, k, l) * x[k, l]` is `q[i, j]`."""
    m, n = q.shape
    rows = filled(m, n, lambda i, j: filled(m, n, lambda k, l: factor(i, j, k, l)))
    return reshape(solution(reshape(rows, (m * n, m * n)), reshape(q, (m * n,))), (m, n))


# for eigenvalues on one side: linear in `c`, which may be a tangent


def stable(a: Value, b: Value, c: Value) -> Value:
    """The solution `x` of `a @ x + x @ b == c`, where the eigenvalues of both have positive real parts; else nan.

    By Newton's iteration for the sign of a matrix, scaled by determinants: see Roberts, Linear model reduction and
    solution of the algebraic Riccati equation by use of the sign function (1980).
    """

    def step(state: tuple[Value, ...]) -> Any:
        a, b, x, count = state
        size = slogdet(a).logabsdet + slogdet(b).logabsdet
        scale = ops.exp(-size / (a.shape[0] + b.shape[0]))
        left, right = inv(a), inv(b)
        moved: Any = matmul(matmul(left, x), right)
        half, other = 0.5 * scale, 0.5 / scale
        return half * a + other * left, half * b + other * right, half * x + other * moved, count + 1.0

    far: Callable[[Any], Any] = lambda s: (distance(s[0]) + distance(s[1]) > NEAR) & (s[3] < ITERATIONS)
    _, _, x, count = step(control.while_loop(far, step, (a, b, c, 0.0)))
    return select(count > ITERATIONS, math.nan, 0.5) * x


def contracting(a: Value, c: Value) -> Value:
    """The solution `x` of `x == a @ x @ transpose(a) + c`, where all eigenvalues of `a` are within the unit circle.

    Else it is nan. By doubling the number of terms of its series: see Smith, Matrix equation XA + BX = C (1968).
    """

    def step(state: tuple[Value, ...]) -> Any:
        a, x, count = state
        return matmul(a, a), x + matmul(matmul(a, x), transpose(a)), count + 1.0

    far: Callable[[Any], Any] = lambda s: (distance(s[0], 0.0) > NEAR) & (s[2] < ITERATIONS)
    _, x, count = step(control.while_loop(far, step, (a, c, 0.0)))
    return select(count > ITERATIONS, math.nan, 1.0) * x

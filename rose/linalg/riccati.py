"""Riccati's algebraic equations: of control with quadratic costs, in continuous and in discrete time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec
from ..frontend.language import control
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, ops
from ..ir.sizes import differ
from .elimination import inv, solution
from .lyapunov import contracting, stable
from .matrices import batched, distance, filled, identity, shaped, square
from .primitives import primitive

ITERATIONS = 30  # at most, each of which squares what is left; at the edge of stability it is halved, and none suffices
NEAR = 2.0**-30  # of the change beside the whole, which another iteration squares


@lenient
def solve_continuous_are(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike) -> Array:
    """The stabilising solution `x` of `a.T @ x + x @ a - x @ b @ inv(r) @ b.T @ x + q == 0`, or of each of a batch.

    `a` and `q` are square, of `n` rows, `b` is `n` by `m` and `r` `m` by `m`. Of `q` and `r` the symmetric part counts.
    All eigenvalues of `a - b @ inv(r) @ b.T @ x` have negative real parts; where no such `x` exists, the result is nan.
    By structure-preserving doubling: see Chu, Fan and Lin, A structure-preserving doubling algorithm for
    continuous-time algebraic Riccati equations (2005). The derivatives, of any order, are by Lyapunov's equation of the
    closed loop.
    """
    return batched(_solution_by(_by_transform), _arguments(a, b, q, r, "solve_continuous_are"), [2] * 4)


@lenient
def solve_discrete_are(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike) -> Array:
    """The stabilising solution `x` of `x == a.T @ x @ inv(1 + b @ inv(r) @ b.T @ x) @ a + q`, or of each of a batch.

    The arguments are those of `solve_continuous_are`; `r` has an inverse. All eigenvalues of the closed loop are within
    the unit circle; where no such `x` exists, the result is nan. By structure-preserving doubling, with derivatives of
    any order by Lyapunov's discrete equation of the closed loop.
    """
    return batched(_solution_by(_by_doubling), _arguments(a, b, q, r, "solve_discrete_are"), [2] * 4)


def _arguments(a: ArrayLike, b: ArrayLike, q: ArrayLike, r: ArrayLike, name: str) -> list[Any]:
    names = "abqr"
    m, y = square(a, name, 4, names=names), square(r, name, 4, k=3, names=names)
    n, k = shape_of(m.type)[-1], shape_of(y.type)[-1]
    return [m, shaped(b, n, k, name, 1, 4, names=names), shaped(q, n, n, name, 2, 4, names=names), y]


def _solution_by(equation: Callable[..., Any]) -> Callable[..., Any]:
    def of(a: Value, b: Value, q: Value, r: Value) -> Value:
        if not differ(a.shape[0], 0):
            return a
        g = matmul(b, solution(_symmetric(r), transpose(b)))
        return equation(a, _symmetric(g), _symmetric(q))

    return of


def _symmetric(a: Value) -> Value:
    """The symmetric part of a matrix."""
    return 0.5 * (a + transpose(a))


def _doubled(a: Value, g: Value, q: Value) -> Value:
    """The sum of the costs of `2 ** k` steps, until more change nothing; nan, if they always do."""
    n = a.shape[0]
    one = identity(n)

    def step(state: tuple[Value, ...]) -> Any:
        a, g, x, _, count = state
        loop = one + matmul(g, x)
        of_a, of_g = solution(loop, a), solution(loop, g)
        more = matmul(matmul(transpose(a), x), of_a)
        after = x + _symmetric(more)
        change = distance(more, 0.0) - NEAR * distance(after, 0.0)
        return matmul(a, of_a), g + _symmetric(matmul(matmul(a, of_g), transpose(a))), after, change, count + 1.0

    far: Callable[[Any], Any] = lambda s: (s[3] > 0.0) & (s[4] < ITERATIONS)
    last = control.while_loop(far, step, (a, g, q, math.inf, 0.0))
    x, exists = step(last)[2], last[3] <= 0.0
    return filled(n, n, lambda i, j: select(exists, x[i][j], math.nan))


@primitive("solve_discrete_are")
def _by_doubling(a: Value, g: Value, q: Value) -> Value:
    """The solution of `x == a.T @ x @ inv(1 + g @ x) @ a + q`: by doubling; then a step of Newton's."""
    x = _doubled(a, g, q)
    loop = solution(identity(x.shape[0]) + matmul(g, x), a)
    rest = matmul(transpose(a), matmul(x, loop)) + q - x
    return x + contracting(transpose(loop), _symmetric(rest))


@_by_doubling.jvp
def _(x: Value, a: DualVec, g: DualVec, q: DualVec) -> Any:
    loop = solution(identity(x.shape[0]) + matmul(g.re, x), a.re)
    after = matmul(x, loop)
    along = matmul(transpose(after), a.du)
    moved = along + transpose(along) - matmul(matmul(transpose(after), g.du), after) + q.du
    return contracting(transpose(loop), moved)


@primitive("solve_continuous_are")
def _by_transform(a: Value, g: Value, q: Value) -> Value:
    """The solution of `a.T @ x + x @ a - x @ g @ x + q == 0`.

    By Cayley's transform, which takes the left half of the plane to the unit circle; then a step of Newton's.
    """
    n = a.shape[0]
    one = identity(n)
    shift = 2.0 * distance(a, 0.0) + ops.sqrt(distance(g, 0.0) * distance(q, 0.0))
    moved = a - shift * one
    of_g, of_q = solution(moved, g), solution(transpose(moved), q)
    by = inv(moved + matmul(g, of_q))
    of_a = one + 2.0 * shift * by
    start = 2.0 * shift * matmul(of_g, transpose(by)), 2.0 * shift * matmul(transpose(by), transpose(of_q))
    x = _doubled(of_a, _symmetric(start[0]), _symmetric(start[1]))
    along, loop = matmul(x, a), matmul(g, x) - a
    rest = along + transpose(along) - matmul(matmul(x, g), x) + q
    return x + _symmetric(stable(transpose(loop), loop, rest))


@_by_transform.jvp
def _(x: Value, a: DualVec, g: DualVec, q: DualVec) -> Any:
    loop = matmul(g.re, x) - a.re
    along = matmul(x, a.du)
    moved = along + transpose(along) - matmul(matmul(x, g.du), x) + q.du
    return stable(transpose(loop), loop, moved)

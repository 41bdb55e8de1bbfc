"""Cholesky factorisation of symmetric positive definite matrices, and equations with them."""

from __future__ import annotations

import math
from functools import reduce
from operator import sub
from typing import Any

from ..frontend.arguments import lenient
from ..frontend.arrays import shaping
from ..frontend.duals import DualVec
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, ops
from ..ir.types import Bool, Tuple, Vec
from . import short
from .blocks import padded, pay
from .matrices import across, batched, elem, equations, filled, square
from .primitives import primitive
from .triangular import backward, forward_transposed, solve_triangular, take


@lenient
def cholesky(a: ArrayLike, *, upper: bool = False) -> Array:
    """The Cholesky factor of `a`: the lower triangular `l` with a positive diagonal and `l @ rose.transpose(l) == a`.

    `a` is a symmetric matrix, of which only the lower half is read, or a batch of them. If it is not positive definite,
    all numbers of the result are nan. With `upper` the upper half is read, and the factor is the upper triangular one.
    Derivatives are those of what is read: by the other half they are 0.
    """
    m = square(a, "cholesky")
    return across(batched(_factor_of, [across(m)], [2])) if upper else batched(_factor_of, [m], [2])


@lenient
def cholesky_solve(a: ArrayLike, y: ArrayLike) -> Array:
    """The solution `x` of `a @ x == y`, for a symmetric positive definite matrix `a`.

    Of `a` only the lower half is read; `y` is a vector, or a matrix of right sides. If `a` is not positive definite,
    all numbers of `x` are nan. Solutions with one matrix, and `cholesky` of it, share one factorisation.
    """
    return batched(_solution_of, *equations(a, y, "cholesky_solve"))


@lenient
def cho_solve(c_and_lower: tuple[ArrayLike, bool], b: ArrayLike) -> Array:
    """The solution `x` of `a @ x == b`, given the pair of a Cholesky factor of `a` and whether it is the lower one."""
    factor, lower = c_and_lower
    first = solve_triangular(factor, b, trans=0 if lower else 2, lower=lower)
    return solve_triangular(factor, first, trans=2 if lower else 0, lower=lower)


def _factor_of(a: Value) -> Value:
    return shaping.transpose(or_nan(*_factor(a)))


def _solution_of(a: Value, y: Value) -> Value:
    return or_nan(*solution(a, y))


def solution(a: Value, y: Value) -> tuple[Any, Any]:
    """The result of `cholesky_solve`, and true; if `a` is not positive definite, finite numbers, and false."""
    upper, definite = _factor(a)
    return _solved(a, upper, y), definite


# primitives


@primitive("cholesky", lambda t: Tuple((t, Bool)))
def _factor(a: Value) -> tuple[Any, Any]:
    """The transposed factor, and true; if the matrix is not positive definite, other finite numbers, and false."""
    n = a.shape[0]
    return short.root(a) if short.is_short(n) else _factored_in_blocks(a) if pay(n) else _factored(a)


@_factor.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    """The tangent of the factor, row by row: it reads the factor that is there, so no iteration has one on its tape.

    Its transpose is the algorithm of Smith, Differentiation of the Cholesky algorithm (1995); see Murray,
    Differentiation of the Cholesky decomposition (2016, arXiv:1602.07527).
    """
    (upper, _), da, b = x, a.du, current_builder()
    n = upper.shape[0]
    if short.is_short(n):
        return short.root_moved(upper, da), None

    def step(k: Value, moved: Value) -> Any:
        rest = accum(b.zero(elem(da.type)))
        for j in loops.range(k, n):
            rest[j] += da[j][k]
        for i in loops.range(k):
            factor, by = upper[i][k], moved[i][k]
            for j in loops.range(k, n):
                rest[j] -= by * upper[i][j] + factor * moved[i][j]
        row, pivot, after = rest.value, upper[k][k], accum(moved)
        by = row[k] / (2.0 * pivot)
        after[k][k] += by
        for j in loops.range(k + 1, n):
            after[k][j] += (row[j] - by * upper[k][j]) / pivot
        return after.value

    return control.scan(step, b.zero(da.type), n), None


@primitive("cholesky_solve")
def _solved(a: Value, upper: Value, y: Value) -> Any:
    """The solution of equations with a matrix, by the transposed factor of it. Nobody asks how the factor moves."""
    return backward(upper, forward_transposed(upper, y))


@_solved.residual
def _(x: Value, a: DualVec, upper: DualVec, y: DualVec) -> Any:
    """`dy - da @ x`, for a tangent of a symmetric matrix, of which only the lower half is read."""
    rest, da = accum(y.du), a.du
    for i in loops.range(x.shape[0]):
        take(rest[i], da[i][i], x[i])
        for j in loops.range(i + 1, x.shape[0]):
            take(rest[i], da[j][i], x[j])
            take(rest[j], da[j][i], x[i])
    return rest.value


@primitive("or_nan", lambda t: t)
def or_nan(x: Value, definite: Value) -> Any:
    """A factor or a solution, if there is one. Its derivative chooses nothing: a choice costs a derivative masks."""

    def chosen(x: Value) -> Value:
        if isinstance(x.type, Vec):
            return loops.vec(chosen(x[i]) for i in loops.range(x.shape[0]))
        return select(definite, x, math.nan)

    return chosen(x)


@or_nan.jvp
def _(_: Value, x: DualVec, definite: Value) -> Any:
    return x.du


def _factored(a: Value) -> tuple[Any, Any]:
    """The factor row by row, and whether there is one: row k is what the rows above leave of that of `a`."""
    n = a.shape[0]

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        upper, definite = state
        rest = accum(current_builder().zero(elem(a.type)))
        for j in loops.range(k, n):
            rest[j] += a[j][k]
        for i in loops.range(k):
            factor = upper[i][k]
            for j in loops.range(k, n):
                rest[j] -= factor * upper[i][j]
        row = rest.value
        positive = (row[k] > 0.0) & (row[k] < math.inf)
        pivot, after = ops.sqrt(select(positive, row[k], 1.0)), accum(upper)
        after[k][k] += pivot
        for j in loops.range(k + 1, n):
            after[k][j] += row[j] / pivot
        return after.value, definite & positive

    return control.scan(step, (current_builder().zero(a.type), True), n)


def _factored_in_blocks(a: Value) -> tuple[Any, Any]:
    """The factor by blocks of four rows, with the same bits: what the rows above leave of four by four numbers at once.

    Those of the four rows themselves are then eliminated from each column.
    """
    n, b, four = a.shape[0], current_builder(), range(4)
    whole = padded(a, 4)
    size = whole.shape[0]

    def step(p: Value, state: tuple[Value, ...]) -> Any:
        upper, definite = state
        rows, after = accum(b.zero(Vec(4, elem(whole.type)))), accum(upper)
        for q in loops.range(p, size // 4):
            rest = [[accum(whole[4 * q + j][4 * p + i]) for j in four] for i in four]
            for m in loops.range(p):
                for k in loops.range(4):
                    above = upper[4 * m + k]
                    for i in four:
                        for j in four:
                            rest[i][j] -= above[4 * p + i] * above[4 * q + j]
            for i in four:
                for j in four:
                    rows[i][4 * q + j] += rest[i][j].value
        row = rows.value
        corner, pivots = list[list[Any]](), list[Any]()
        for k in four:
            taken = [[corner[i][k] * corner[i][j] for i in range(k)] for j in range(k, 4)]
            left = [reduce(sub, terms, row[k][4 * p + k + j]) for j, terms in enumerate(taken)]
            positive = (left[0] > 0.0) & (left[0] < math.inf)
            pivots.append(ops.sqrt(select(positive, left[0], 1.0)))
            corner.append([*[None] * k, pivots[k], *[x / pivots[k] for x in left[1:]]])
            definite = definite & positive
            for j in range(k, 4):
                after[4 * p + k][4 * p + j] += corner[k][j]
        for j in loops.range(4 * (p + 1), size):
            column = list[Any]()
            for k in four:
                left = reduce(sub, [corner[i][k] * column[i] for i in range(k)], row[k][j])
                column.append(left / pivots[k])
                after[4 * p + k][j] += column[k]
        return after.value, definite

    upper, definite = control.scan(step, (b.zero(whole.type), True), size // 4)
    return filled(n, n, lambda i, j: upper[i][j]), definite

"""Cholesky factorisation, and linear equations with a symmetric positive definite matrix."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from ..errors import TypeMismatch, argument, edge, here
from ..frontend.arrays import shaping
from ..frontend.duals import DualVec
from ..frontend.function import AnyFn, make
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..frontend.values import infer
from ..ir import a_traced, current_builder, ops, shown
from ..ir.types import Bool, Real, Tuple, Vec
from ..ir.value import Value


@edge
def cholesky(a: Any) -> Any:
    """The Cholesky factor of `a`: the lower triangular `l` with a positive diagonal and `l @ rose.transpose(l) == a`.

    `a` is a `Vec[n, Vec[n]]`, symmetric: only its upper half is read; so is the result. If `a` is not positive
    definite, all numbers of the result are nan.
    """
    m = _matrix(a, "cholesky")
    return shaping.transpose(_or_nan(m.type)(*_factor(m.type)(m)))


@edge
def cholesky_solve(a: Any, y: Any) -> Any:
    """The solution `x` of `a @ x == y`, for a symmetric positive definite matrix `a`.

    `a` is a `Vec[n, Vec[n]]`, of which only the upper half is read; `y` and `x` are `Vec[n]`. If `a` is not positive
    definite, all numbers of `x` are nan. Solutions with one matrix, and `cholesky` of it, share one factorisation.
    """
    m, v = _matrix(a, "cholesky_solve"), infer(y)
    if v.type is not m.type.elem:
        what = f"rose.lib.cholesky_solve takes a {m.type.elem!r} for the right side, not {_a(v, y)}"
        at = here().narrow(argument(1, "y", 2))
        raise TypeMismatch(what, at, "give one number for each row of the matrix")
    return _or_nan(v.type)(*solution(m, v))


def solution(a: Any, y: Any) -> tuple[Any, Any]:
    """The result of `cholesky_solve`, and true; if `a` is not positive definite, finite numbers, and false."""
    upper, definite = _factor(a.type)(a)
    return _solver(a.type)(a, upper, y), definite


def _matrix(a: Any, name: str) -> Any:
    v = infer(a)
    t = v.type
    if not (isinstance(t, Vec) and isinstance(t.elem, Vec) and t.elem.elem is Real and t.size is t.elem.size):
        at = here().narrow(argument(0, "a", 1, 2))
        what = f"rose.lib.{name} takes a square matrix of Reals, not {_a(v, a)}"
        raise TypeMismatch(what, at, "a matrix is a vector of its rows: Vec[n, Vec[n]]")
    return v


def _a(v: Value, x: Any) -> str:
    return a_traced(v) if isinstance(x, Value) else shown(x)


# functions of their own, so that equal calls are one: of one matrix there is one factorisation


@cache
def _factor(t: Any) -> AnyFn:
    """The transposed factor, and true; if the matrix is not positive definite, other finite numbers, and false."""
    f = make(_factored, [t], Tuple((t, Bool)), "cholesky", ["a"])

    @f.jvp
    def rule(a: Any) -> Any:
        upper, definite = f(a.re)
        return DualVec(upper, _moved_factor(upper, a.du)), definite

    return f


@cache
def _solver(t: Any) -> AnyFn:
    """The solution of equations with a matrix, by the transposed factor of it. Nobody asks how the factor moves."""

    def solved(a: Any, upper: Any, y: Any) -> Any:
        return _by_factor(upper, y)

    f = make(solved, [t, t, t.elem], t.elem, "cholesky_solve", ["a", "upper", "y"])

    @f.jvp
    def rule(a: Any, upper: Any, y: Any) -> Any:
        x = f(a.re, upper.re, y.re)
        return DualVec(x, _by_factor(upper.re, _residual(a.du, x, y.du)))

    return f


@cache
def _or_nan(t: Any) -> AnyFn:
    """A factor or a solution, if there is one. Its derivative chooses nothing: a choice costs a derivative masks."""

    def chosen(x: Any, definite: Any) -> Any:
        if isinstance(x.type, Vec):
            return loops.vec(chosen(x[i], definite) for i in loops.range(x.type.size))
        return select(definite, x, math.nan)

    f = make(chosen, [t, Bool], t, "or_nan", ["x", "definite"])

    @f.jvp
    def rule(x: Any, definite: Any) -> Any:
        return DualVec(f(x.re, definite), x.du)

    return f


def _factored(a: Any) -> tuple[Any, Any]:
    """The factor row by row, and whether there is one: row k is what the rows above leave of that of `a`."""
    n = a.type.size

    def step(k: Any, state: Any) -> Any:
        upper, definite = state
        rest = accum(current_builder().zero(a.type.elem))
        for j in loops.range(k, n):
            rest[j] += a[k][j]
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


def _moved_factor(upper: Any, da: Any) -> Any:
    """The tangent of the factor, row by row: it reads the factor that is there, so no iteration has one on its tape.

    Its transpose is the algorithm of Smith, Differentiation of the Cholesky algorithm (1995); see Murray,
    Differentiation of the Cholesky decomposition (2016, arXiv:1602.07527).
    """
    n, b = da.type.size, current_builder()

    def step(k: Any, moved: Any) -> Any:
        rest = accum(b.zero(da.type.elem))
        for j in loops.range(k, n):
            rest[j] += da[k][j]
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

    return control.scan(step, b.zero(da.type), n)


def _residual(da: Any, x: Any, dy: Any) -> Any:
    """`dy - da @ x`, for a tangent of a symmetric matrix, of which only the upper half is read."""
    rest = accum(dy)
    for i in loops.range(x.type.size):
        rest[i] -= da[i][i] * x[i]
        for j in loops.range(i + 1, x.type.size):
            rest[i] -= da[i][j] * x[j]
            rest[j] -= da[i][j] * x[i]
    return rest.value


def _by_factor(upper: Any, y: Any) -> Any:
    """The solution `x` of `transpose(upper) @ upper @ x == y`."""
    return _backward(upper, _forward(upper, y))


def _forward(upper: Any, y: Any) -> Any:
    """Forward substitution: the solution `x` of `transpose(upper) @ x == y`."""
    n = y.type.size

    def step(k: Any, rest: Any) -> Any:
        x, after = rest[k] / upper[k][k], accum(rest)
        for j in loops.range(k + 1, n):
            after[j] -= upper[k][j] * x
        return after.value, x

    return control.scan(step, y, n)[1]


def _backward(upper: Any, y: Any) -> Any:
    """Back substitution: the solution `x` of `upper @ x == y`."""
    n = y.type.size

    def step(k: Any, rest: Any) -> Any:
        x, after = rest[k] / upper[k][k], accum(rest)
        for j in loops.range(k):
            after[j] -= upper[j][k] * x
        return after.value, x

    _, xs = control.scan(step, y, loops.range(n - 1, -1, -1))
    return loops.vec(xs[backwards(i, n)] for i in loops.range(n))


def backwards(i: Any, n: Any) -> Any:
    """The index `n - 1 - i`, of the indices below `n`."""
    return (i + 1) * (n - 1) % n

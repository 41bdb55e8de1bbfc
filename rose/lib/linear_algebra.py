"""Cholesky factorisation, and linear equations with a symmetric positive definite matrix."""

from __future__ import annotations

import math
from typing import Any

from ..errors import TypeMismatch, argument, edge, here
from ..frontend.language import control, loops, vectors
from ..frontend.language.select import select
from ..frontend.values import infer
from ..ir import a_traced, ops, shown
from ..ir.types import Real, Vec
from ..ir.value import Value


@edge
def cholesky(a: Any) -> Any:
    """The Cholesky factor of `a`: the lower triangular `l` with a positive diagonal and `l @ rose.transpose(l) == a`.

    `a` is a `Vec[n, Vec[n]]`, symmetric: only its upper half is read; so is the result. If `a` is not positive
    definite, all numbers of the result are nan.

    It is the outer product form of Golub and Van Loan, Matrix Computations (4th edition, 2013), section 4.2.5.
    """
    upper, definite = _upper(_matrix(a, "cholesky"))
    return _if(definite, vectors.transpose(upper))


@edge
def cholesky_solve(a: Any, y: Any) -> Any:
    """The solution `x` of `a @ x == y`, for a symmetric positive definite matrix `a`.

    `a` is a `Vec[n, Vec[n]]`, of which only the upper half is read; `y` and `x` are `Vec[n]`. If `a` is not positive
    definite, all numbers of `x` are nan.
    """
    m, v = _matrix(a, "cholesky_solve"), infer(y)
    if v.type is not m.type.elem:
        what = f"rose.lib.cholesky_solve takes a {m.type.elem!r} for the right side, not {_a(v, y)}"
        at = here().narrow(argument(1, "y", 2))
        raise TypeMismatch(what, at, "give one number for each row of the matrix")
    x, definite = solution(m, v)
    return _if(definite, x)


def solution(a: Any, y: Any) -> tuple[Any, Any]:
    """The result of `cholesky_solve`, and true; if `a` is not positive definite, finite numbers, and false."""
    upper, definite = _upper(a)
    return _backward(upper, _forward(upper, y)), definite


def _if(definite: Any, x: Any) -> Any:
    def part(v: Any) -> Any:
        if isinstance(v.type, Vec):
            return loops.vec(part(v[i]) for i in loops.range(v.type.size))
        return select(definite, v, math.nan)

    return part(x)


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


def _upper(a: Any) -> tuple[Any, Any]:
    """The transposed Cholesky factor, and true: row by row, each of which is eliminated from the rest of `a`.

    If `a` is not positive definite, other finite numbers, and false.
    """
    n = a.type.size

    def body(k: Any, state: Any) -> Any:
        rest, definite = state
        square = rest[k][k]
        positive = (square > 0.0) & (square < math.inf)
        pivot = ops.sqrt(select(positive, square, 1.0))
        row = loops.vec(select(j < k, 0.0, rest[k][j] / pivot) for j in loops.range(n))
        after = loops.vec(loops.vec(rest[i][j] - row[i] * row[j] for j in loops.range(n)) for i in loops.range(n))
        return (after, definite & positive), row

    (_, definite), rows = control.scan(body, (a, True), n)
    return rows, definite


def _forward(upper: Any, y: Any) -> Any:
    """Forward substitution: the solution `x` of `transpose(upper) @ x == y`."""
    n = y.type.size

    def body(k: Any, rest: Any) -> Any:
        x = rest[k] / upper[k][k]
        return loops.vec(rest[j] - upper[k][j] * x for j in loops.range(n)), x

    return control.scan(body, y, n)[1]


def _backward(upper: Any, y: Any) -> Any:
    """Back substitution: the solution `x` of `upper @ x == y`."""
    n = y.type.size

    def body(i: Any, rest: Any) -> Any:
        k = backwards(i, n)
        x = rest[k] / upper[k][k]
        return loops.vec(rest[j] - upper[j][k] * x for j in loops.range(n)), x

    _, xs = control.scan(body, y, n)
    return loops.vec(xs[backwards(i, n)] for i in loops.range(n))


def backwards(i: Any, n: Any) -> Any:
    """The index `n - 1 - i`, of the indices below `n`."""
    return (i + 1) * (n - 1) % n

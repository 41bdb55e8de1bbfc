"""Linear equations with a symmetric positive definite matrix, as Newton's method has them."""

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
    """The lower triangular matrix `l`, with a positive diagonal, of which `a` is `l @ rose.transpose(l)`.

    `a` is a `Vec[n, Vec[n]]`, symmetric: only its upper half is read. Where it is not positive definite there
    is no such matrix: then its numbers are nan.

    It is the outer product form of Golub and Van Loan, Matrix Computations (4th edition, 2013), section 4.2.5.
    """
    upper, definite = _upper(_matrix(a, "cholesky"))
    return _if(definite, vectors.transpose(upper))


@edge
def cholesky_solve(a: Any, y: Any) -> Any:
    """The vector `x` of which `a @ x` is `y`, for a symmetric positive definite matrix `a`.

    `a` is a `Vec[n, Vec[n]]`, of which only the upper half is read, and `y` a `Vec[n]`. Where `a` is not positive
    definite, the numbers of `x` are nan.
    """
    m, v = _matrix(a, "cholesky_solve"), infer(y)
    if v.type is not m.type.elem:
        what = f"rose.lib.cholesky_solve takes a {m.type.elem!r} for the right side, not {_a(v, y)}"
        at = here().narrow(argument(1, "y", 2))
        raise TypeMismatch(what, at, "give one number for each row of the matrix")
    x, definite = solution(m, v)
    return _if(definite, x)


def solution(a: Any, y: Any) -> tuple[Any, Any]:
    """What `cholesky_solve` gives, and true; where `a` is not positive definite, finite numbers, and false."""
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
    """The transpose of what `cholesky` gives, and true: row for row, each of which is taken from what remains of `a`.

    Where `a` is not positive definite, it has other numbers, and false.
    """
    n = a.type.size

    def turn(k: Any, state: Any) -> Any:
        rest, definite = state
        square = rest[k][k]
        positive = (square > 0.0) & (square < math.inf)
        pivot = ops.sqrt(select(positive, square, 1.0))
        row = loops.vec(select(j < k, 0.0, rest[k][j] / pivot) for j in loops.range(n))
        after = loops.vec(loops.vec(rest[i][j] - row[i] * row[j] for j in loops.range(n)) for i in loops.range(n))
        return (after, definite & positive), row

    (_, definite), rows = control.scan(turn, (a, True), n)
    return rows, definite


def _forward(upper: Any, y: Any) -> Any:
    """The vector `x` of which `transpose(upper) @ x` is `y`."""
    n = y.type.size

    def turn(k: Any, rest: Any) -> Any:
        x = rest[k] / upper[k][k]
        return loops.vec(rest[j] - upper[k][j] * x for j in loops.range(n)), x

    return control.scan(turn, y, n)[1]


def _backward(upper: Any, y: Any) -> Any:
    """The vector `x` of which `upper @ x` is `y`."""
    n = y.type.size

    def turn(i: Any, rest: Any) -> Any:
        k = backwards(i, n)
        x = rest[k] / upper[k][k]
        return loops.vec(rest[j] - upper[j][k] * x for j in loops.range(n)), x

    _, xs = control.scan(turn, y, n)
    return loops.vec(xs[backwards(i, n)] for i in loops.range(n))


def backwards(i: Any, n: Any) -> Any:
    """The index `n - 1 - i`, of the indices below `n`."""
    return (i + 1) * (n - 1) % n

"""The eigenvalues of symmetric matrices of two and three rows, by Jacobi's rotations, written out.

A rotation makes one number beside the diagonal 0: of two rows one is enough, and of three some four sweeps of three
are. Eigenvalues and vectors are as exact as by the tridiagonal form of `tridiagonal.py`, or more, in a quarter of the
time or half of it, and in less code. See Golub and Van Loan, Matrix Computations (2013), section 8.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from ..frontend.language import control
from ..frontend.language.select import select
from ..ir import Value, ops
from ..ir.sizes import Size
from .short import Rows, any_of, choice, columns, matrix, numbers, packed

ROWS = (2, 3)
SWEEPS = 30.0  # at most


def is_few(n: int | Size) -> TypeGuard[int]:
    """True for the rows of a matrix that rotations make diagonal."""
    return not isinstance(n, Size) and n in ROWS


def diagonalised(a: Value) -> tuple[Any, Any]:
    """The eigenvalues in ascending order of a matrix of which the lower half is read, and vectors in its columns."""
    n, m = a.shape[0], numbers(a)
    half: Rows = [[m[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    one: Rows = [[float(i == j) for j in range(n)] for i in range(n)]
    turned, rows = _rotated(half, one, 0, 1) if n == 2 else _swept(half, one)
    found = _sorted([[turned[i][i], *row] for i, row in enumerate(rows)])
    return packed([x for x, *_ in found]), matrix(columns([row for _, *row in found]))


def _rotated(a: Rows, rows: Rows, p: int, q: int) -> tuple[Rows, Rows]:
    """The matrix with 0 in row `p` and column `q`, and rows that are turned as its own are."""
    n, beside = len(a), a[p][q]
    by = (0.5 * a[q][q] - 0.5 * a[p][p]) / beside
    t = select(beside == 0.0, 0.0, 1.0 / (by + ops.copysign(ops.sqrt(1.0 + by * by), by)))
    c = 1.0 / ops.sqrt(1.0 + t * t)
    s, moved = t * c, t * beside
    turn: Callable[[Any, Any], Any] = lambda x, y: (c * x - s * y, s * x + c * y)
    out, turned = [list(row) for row in a], list(rows)
    out[p][p], out[q][q], out[p][q], out[q][p] = a[p][p] - moved, a[q][q] + moved, 0.0, 0.0
    for k in [k for k in range(n) if k not in (p, q)]:
        out[p][k], out[q][k] = out[k][p], out[k][q] = turn(a[k][p], a[k][q])
    turned[p], turned[q] = columns([turn(x, y) for x, y in zip(rows[p], rows[q], strict=True)])
    return out, turned


def _swept(a: Rows, rows: Rows) -> tuple[Rows, Rows]:
    """Rotations of each number beside the diagonal in turn, until all are nothing beside those on it."""
    pairs = [(p, q) for q in range(len(a)) for p in range(q)]

    def more(state: Any) -> Any:
        a, _, count = state
        around = [(abs(a[p][p]) + abs(a[q][q]), abs(a[p][q])) for p, q in pairs]
        return any_of([~(x + beside <= x) for x, beside in around]) & (count < SWEEPS)

    def sweep(state: Any) -> Any:
        a, rows, count = state
        for p, q in pairs:
            a, rows = _rotated(a, rows, p, q)
        return _tuple(a), _tuple(rows), count + 1.0

    return control.while_loop(more, sweep, (_tuple(a), _tuple(rows), 0.0))[:2]


def _tuple(rows: Rows) -> tuple[Any, ...]:
    return tuple(map(tuple, rows))


def _sorted(rows: Rows) -> Rows:
    """The rows in the order of their first numbers; equal ones stay in theirs."""
    rows = list(rows)
    for last in range(len(rows) - 1, 0, -1):
        for k in range(last):
            one, other = rows[k], rows[k + 1]
            after = one[0] > other[0]
            rows[k], rows[k + 1] = choice(after, other, one), choice(after, one, other)
    return rows

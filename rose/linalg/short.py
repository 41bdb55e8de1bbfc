"""Matrices of two to four rows, written out: elimination by numbers, in which rows are chosen by `select`.

There is no loop, no table, and no row whose place is known at run time alone. Factors and solutions are made of the
same terms in the same order as in `elimination.py` and `positive_definite.py`, and have the bits of theirs, but for
the sign of a 0. An inverse takes a reciprocal for each pivot, as LAPACK's `getri` does, in place of a division for each
number, in 0.7 to 0.9 of the time: its last digit may be another one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, reduce
from operator import sub
from typing import Any, NamedTuple, TypeGuard

from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import leaf_of, shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec, view_dual
from ..frontend.function import AnyFn, make
from ..frontend.language.select import select
from ..frontend.operators import view
from ..ir import Func, Value, current_builder, ops
from ..ir.callgraph import make_linear
from ..ir.sizes import Size
from ..ir.types import Bool, Fin, Real, Type, Vec, untyped
from .krylov import transposed
from .matrices import elem

ROWS = (2, 3, 4)

Numbers = list[Any]
Rows = list[Numbers]


def is_short(n: int | Size) -> TypeGuard[int]:
    """True for the rows of a matrix that is written out."""
    return not isinstance(n, Size) and n in ROWS


def is_written_out(t: Type) -> bool:
    """True for the type of a matrix that is written out: it is short, and of real numbers."""
    return leaf_of(t) is Real and is_short(shape_of(t)[0])


def numbers(a: Value) -> Rows:
    """The numbers of a matrix, row by row."""
    return [[a[i][j] for j in range(a.shape[1])] for i in range(a.shape[0])]


def packed(items: Sequence[Any]) -> Value:
    """The vector of these elements."""
    b = current_builder()
    values = list(map(b.lift, items))
    return b.pack(values, Vec(len(values), values[0].type))


def matrix(rows: Rows) -> Value:
    """The matrix of these numbers."""
    return packed(list(map(packed, rows)))


def columns(rows: Rows) -> Rows:
    """The columns of a matrix."""
    return [list(column) for column in zip(*rows, strict=True)]


def choice(c: Any, x: Numbers, y: Numbers) -> Numbers:
    """A row where a condition holds, else another one."""
    return [select(c, one, other) for one, other in zip(x, y, strict=True)]


def any_of(conditions: Numbers) -> Any:
    """True where one of some conditions holds."""
    return reduce(lambda one, other: one | other, conditions)


# exchanges of rows


def exchanges(n: int) -> Type:
    """The type of what is told of the pivots: for each row, whether it changes places with each of those below it."""
    return Vec(n * (n - 1) // 2, Bool)


def in_order(exchanges: Value, rows: Rows, *, back: bool = False) -> Rows:
    """The rows in the order of the pivots; or those that are in it, `back` where they were."""
    n, k, steps = len(rows), 0, list[tuple[int, Numbers]]()
    for below in range(n - 1, 0, -1):
        steps.append((n - 1 - below, [exchanges[k + j] for j in range(below)]))
        k += below
    for first, chosen in reversed(steps) if back else steps:
        rows = [*rows[:first], *_exchanged(rows[first:], chosen)]
    return rows


def order(exchanges: Value, n: int) -> Value:
    """The numbers of the rows, in the order of the pivots."""
    b = current_builder()
    return packed([k for (k,) in in_order(exchanges, [[b.const(i, Fin(n))] for i in range(n)])])


def _exchanged(rows: Rows, chosen: Numbers) -> Rows:
    """The rows, of which the first has changed places with the one that is chosen, if one is."""
    first, *below = rows
    pivot = first
    for c, row in zip(chosen, below, strict=True):
        pivot = choice(c, row, pivot)
    return [pivot, *[choice(c, first, row) for c, row in zip(chosen, below, strict=True)]]


# elimination


def factored(a: Value) -> tuple[Any, Any, Any, Any]:
    """Both factors in one matrix, the exchanges, the sign of their permutation, and whether no pivot is 0."""
    m, every = numbers(a), list[Any]()
    sign: Any = 1.0
    regular: Any = True
    for k in range(len(m)):
        chosen = _pivot([abs(row[k]) for row in m[k:]])
        m[k:] = _exchanged(m[k:], chosen)
        sign = select(any_of(chosen), -sign, sign) if chosen else sign
        every += chosen
        top, is_zero = m[k], m[k][k] == 0.0
        regular = ~is_zero & regular
        for row in m[k + 1 :]:
            row[k] = select(is_zero, 0.0, row[k] / top[k])
            row[k + 1 :] = _less(row[k + 1 :], top[k + 1 :], row[k])
    return matrix(m), packed(every), sign, regular


def _pivot(sizes: Numbers) -> Numbers:
    """For each size but the first, whether it is the first of the largest ones. Nan is not, where another is."""
    largest, larger = sizes[0], list[Any]()
    for x in sizes[1:]:
        larger.append((x >= 0.0) & ~(largest >= x))
        largest = select(larger[-1], x, largest)
    return [reduce(lambda one, later: one & ~later, larger[k + 1 :], c) for k, c in enumerate(larger)]


def inverse(both: Value, exchanges: Value) -> Value:
    """The inverse of the upper factor times that of the lower one, of which the columns change places."""
    m, n = numbers(both), both.shape[0]
    x: Rows = [[float(i == j) for j in range(n)] for i in range(n)]
    for k in range(n):
        for i in range(k + 1, n):  # after column `k` there are zeros
            x[i][: k + 1] = _less(x[i][: k + 1], x[k][: k + 1], m[i][k])
    for k in reversed(range(n)):
        by = 1.0 / m[k][k]
        x[k] = [y * by for y in x[k]]
        for i in range(k):
            x[i] = _less(x[i], x[k], m[i][k])
    return matrix(columns(in_order(exchanges, columns(x), back=True)))


def _less(row: Numbers, other: Numbers, by: Any) -> Numbers:
    return [x - y * by for x, y in zip(row, other, strict=True)]


# equations


class Solver(NamedTuple):
    """The solution as a function of a right side, a matrix and its factors, and that of a tangent as the right side."""

    f: AnyFn
    linear: Func

    def __call__(self, y: Value, a: Value, both: Value, exchanges: Value) -> Any:
        given = [y, a, both, exchanges]
        return self.f(*given) if y.type is self.f.types[0] else view(current_builder().call(self.linear, given))


def solution(y: Value, a: Value, both: Value, exchanges: Value) -> Any:
    """The solution `x` of `a @ x == y`, by the factors of the matrix; `y` may be a tangent, in which it is linear."""
    return _solver(untyped(y.type), a.type, exchanges.type)(y, a, both, exchanges)


@cache
def _solver(y: Type, a: Type, exchanges: Type) -> Solver:
    """The solver of these types: its transpose is that of the transposed matrix, by the same factors."""
    types, names = [y, a, a, exchanges], ["y", "a", "both", "exchanges"]
    f, g = [make(body, types, y, "solve", names) for body in (_solved, _solved_across)]
    one, other = Solver(f, make_linear("solve", f.func, g.func)), Solver(g, make_linear("solve", g.func, f.func))
    _moves(one, lambda da: da)
    _moves(other, transpose)
    return one


def _moves(solver: Solver, tangent: Callable[[Value], Value]) -> None:
    """Give a solution its derivative: the solution of what the tangents leave. Nobody asks how the factors move."""

    @solver.f.jvp
    def rule(y: DualVec, a: DualVec, both: DualVec, exchanges: Value) -> Any:
        x = solver(y.re, a.re, both.re, exchanges)
        return view_dual(x, solver(y.du - matmul(tangent(a.du), x), a.re, both.re, exchanges))


def _solved(y: Value, _: Value, both: Value, exchanges: Value) -> Value:
    m, n = numbers(both), both.shape[0]

    def of(y: Numbers) -> Numbers:
        x = [x for (x,) in in_order(exchanges, [[x] for x in y])]
        _substitute(x, range(n), lambda i, k: m[i][k], unit=True)
        _substitute(x, range(n - 1, -1, -1), lambda i, k: m[i][k])
        return x

    return _of_columns(of, y)


def _solved_across(y: Value, _: Value, both: Value, exchanges: Value) -> Value:
    m, n = numbers(both), both.shape[0]

    def of(y: Numbers) -> Numbers:
        x = list(y)
        _substitute(x, range(n), lambda i, k: m[k][i])
        _substitute(x, range(n - 1, -1, -1), lambda i, k: m[k][i], unit=True)
        return [x for (x,) in in_order(exchanges, [[x] for x in x], back=True)]

    return _of_columns(of, y)


def _substitute(x: Numbers, rows: Sequence[int], entry: Callable[[int, int], Any], *, unit: bool = False) -> None:
    """Solve equations with a triangular matrix, in this order of rows: what is known is taken from those after it."""
    for place, k in enumerate(rows):
        x[k] = x[k] if unit else x[k] / entry(k, k)
        for i in rows[place + 1 :]:
            x[i] = x[i] - x[k] * entry(i, k)


def _of_columns(f: Callable[[Numbers], Numbers], y: Value) -> Value:
    """`f` of a vector, or of each column of a matrix."""
    n = y.shape[0]
    if not isinstance(elem(y.type), Vec):
        return packed(f([y[i] for i in range(n)]))

    def column(j: Value) -> tuple[Numbers, Numbers]:
        return [], f([y[i][j] for i in range(n)])

    return packed(current_builder().loop(y.shape[1], column)[1])


# positive definite matrices


def root(a: Value) -> tuple[Any, Any]:
    """The transposed Cholesky factor, and true; if the matrix is not positive definite, other numbers, and false."""
    n, upper = a.shape[0], list[Numbers]()
    definite: Any = True
    for k in range(n):
        left = [reduce(sub, [row[k] * row[j] for row in upper], a[j][k]) for j in range(k, n)]
        positive = (left[0] > 0.0) & (left[0] < math.inf)
        pivot = ops.sqrt(select(positive, left[0], 1.0))
        upper.append([0.0] * k + [pivot] + [x / pivot for x in left[1:]])
        definite = positive & definite
    return matrix(upper), definite


def root_moved(upper: Value, da: Value) -> Value:
    """The tangent of the transposed factor. Its transpose is a call, for which nobody asks what is read of `da`."""
    return view(current_builder().call(_root_moved(upper.type), [da, upper]))


@cache
def _root_moved(t: Type) -> Func:
    f = make(_moved, [t, t], t, "cholesky", ["da", "upper"])
    return make_linear("cholesky", f.func, transposed(f).func)


def _moved(da: Value, upper: Value) -> Value:
    u, n, moved = numbers(upper), upper.shape[0], list[Numbers]()
    for k in range(n):
        left = list[Any]()
        for j in range(k, n):
            left.append(reduce(sub, [m[k] * u[i][j] + m[j] * u[i][k] for i, m in enumerate(moved)], da[j][k]))
        by = left[0] / (2.0 * u[k][k])
        moved.append([0.0] * k + [by] + [(x - by * u[k][j]) / u[k][k] for j, x in enumerate(left[1:], k + 1)])
    return matrix(moved)

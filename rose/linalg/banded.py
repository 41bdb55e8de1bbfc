"""Equations with few diagonals, and with constant ones: in less time and memory than with all elements of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..errors import OutOfRange, TypeMismatch, argument, here
from ..frontend.arguments import lenient
from ..frontend.arrays.joining import joined
from ..frontend.arrays.shapes import array_type, as_array, is_several, shape_of
from ..frontend.columns import Columns
from ..frontend.duals import DualVec
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.indices import index
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, shown
from ..ir.sizes import differ, minus, plus
from ..ir.types import Real, Vec
from ..ir.value import host_index
from .matrices import array, batched, elem, filled, misfit, right_side
from .primitives import primitive
from .triangular import divided, take


@lenient
def solve_banded(l_and_u: Sequence[int], ab: ArrayLike, b: ArrayLike) -> Array:
    """The solution `x` of `a @ x == b` for a matrix with `l` diagonals below the main one, and `u` above it.

    `ab` has the diagonals as rows, as in SciPy: `ab[u + i - j, j] == a[i, j]`; the elements that lie outside of the
    matrix are not read. `b` is a vector, or a matrix of right sides; leading axes are those of a batch. By elimination
    with partial pivoting, in `n * l * (l + u)` operations; a singular matrix gives infinities and nan. Derivatives
    exist to any order, in as many operations.
    """
    l, u = _widths(l_and_u)
    m = array(ab, 2, "solve_banded", 1, 3, names=_BANDED)
    rows, n = shape_of(m.type)[-2:]
    if differ(rows, l + u + 1):
        raise misfit(ab, m, f"{l + u + 1} rows of diagonals", "solve_banded", 1, 3, names=_BANDED)
    y, rank = right_side(b, n, "solve_banded", 2, 3, names=_BANDED)
    return _solutions(partial(_solved, l=l, u=u), [m, y], [2, rank])


@lenient
def solve_tridiagonal(lower: ArrayLike, diagonal: ArrayLike, upper: ArrayLike, b: ArrayLike) -> Array:
    """The solution `x` of `a @ x == b` for a matrix of three diagonals, of `n - 1`, `n` and `n - 1` elements.

    `b` is a vector, or a matrix of right sides; leading axes are those of a batch. As `solve_banded`, with pivoting.
    """
    names = ("lower", "diagonal", "upper", "b")
    given = (lower, diagonal, upper)
    below, main, above = [array(x, 1, "solve_tridiagonal", k, 4, names=names) for k, x in enumerate(given)]
    n = shape_of(main.type)[-1]
    for k, v in ((0, below), (2, above)):
        if differ(n, 0) and differ(shape_of(v.type)[-1], minus(n, 1)):
            raise misfit(given[k], v, f"a diagonal of {minus(n, 1)!r} elements", "solve_tridiagonal", k, 4, names=names)
    y, rank = right_side(b, n, "solve_tridiagonal", 3, 4, names=names)

    def of(below: Value, main: Value, above: Value, y: Value) -> Value:
        none = current_builder().zero(Vec(1, Real))
        return _solved(as_array([joined([none, above], 0), main, joined([below, none], 0)]), y, l=1, u=1)

    return _solutions(of, [below, main, above, y], [1, 1, 1, rank])


@lenient
def solve_toeplitz(c_or_cr: ArrayLike | tuple[ArrayLike, ArrayLike], b: ArrayLike) -> Array:
    """The solution `x` of `toeplitz(c, r) @ x == b`: `c_or_cr` is the first column `c`, or a pair `(c, r)`.

    As in SciPy `r[0]` is not read, and without `r` the matrix is symmetric. `b` is a vector, or a matrix of right
    sides; leading axes are those of a batch. By Levinson's recursion, in `n ** 2` operations and `n` numbers: its
    leading blocks must be regular, else the result has infinities and nan, and it is exact where they are well
    conditioned, as those of positive definite matrices. Derivatives exist to any order, in as many operations.
    """
    names = ("c_or_cr", "b")
    pair: list[Any] = list(c_or_cr) if isinstance(c_or_cr, tuple) else [c_or_cr, c_or_cr]  # pyright: ignore[reportUnknownArgumentType]
    if len(pair) != 2:
        what = f"rose.linalg.solve_toeplitz takes a column and a row, not {shown(c_or_cr)}"
        raise TypeMismatch(what, here().narrow(argument(0, "c_or_cr", 2)), "write a pair (c, r)")
    column, row = [array(x, 1, "solve_toeplitz", 0, 2, names=names) for x in pair]
    n = shape_of(column.type)[-1]
    if differ(shape_of(row.type)[-1], n):
        raise misfit(pair[1], row, f"a row of {n!r} elements", "solve_toeplitz", 0, 2, names=names)
    y, rank = right_side(b, n, "solve_toeplitz", 1, 2, names=names)
    return _solutions(_levinson, [column, row, y], [1, 1, rank])


_BANDED = ("l_and_u", "ab", "b")


def _widths(given: Sequence[int]) -> tuple[int, int]:
    """The numbers of diagonals below and above the main one."""
    each = [host_index(k) for k in given] if is_several(given) else []
    if len(each) != 2 or any([k is None or k < 0 for k in each]):
        at = here().narrow(argument(0, "l_and_u", 3))
        what = f"rose.linalg.solve_banded takes the numbers of diagonals below and above, not {shown(given)}"
        raise OutOfRange(what, at, "write a pair, such as (1, 1)")
    l, u = each
    assert l is not None and u is not None
    return l, u


def _solutions(of: Callable[..., Any], operands: Sequence[Value], ranks: Sequence[int]) -> Array:
    """The solutions of equations, of which the last operand is the right side; of none there is nothing to find."""

    def item(*xs: Value) -> Value:
        return of(*xs) if differ(xs[-1].shape[0], 0) else xs[-1]

    return batched(item, operands, ranks)


# few diagonals


@primitive("solve_banded")
def _solved(ab: Value, b: Value, *, l: int, u: int) -> Any:
    return _substituted(_eliminated(ab, b, l, u), b, l + u + 1)


@_solved.residual
def _(x: Value, ab: DualVec, b: DualVec, *, l: int, u: int) -> Any:
    rest, n = accum(b.du), x.shape[0]
    for d in loops.range(l + u + 1):
        for j in loops.range(n):
            inside = (j + d >= u) & (j + d < n + u)
            take(rest[(j + d + n * u - u) % n], ab.du[d][j], x[j] * select(inside, 1.0, 0.0))
    return rest.value


def _eliminated(ab: Value, y: Value, l: int, u: int) -> Any:
    """The rows of the upper factor, each from its diagonal on, and beside each the right side of its equation.

    A window has the `l + 1` rows with elements in column `k`, from there on: one of them has the pivot, and leaves it.
    """
    n, width, none = y.shape[0], l + u + 1, index(0, l + 1)
    one_more, b = plus(n, 1), current_builder()  # so that there is one, and an index can be wrapped round
    diagonals = joined([ab, b.zero(array_type((width, 1), Real))], 1)
    right = joined([y, b.zero(Vec(1, elem(y.type)))], 0)

    def entry(i: Value, j: Value) -> Value:
        inside = (j < n) & (i < n) & (i <= j + l) & (j <= i + u)
        return select(inside, diagonals[(i + u + width * (n + width) - j) % width][j % one_more], 0.0)

    def side(i: Value) -> Value:
        return right[i % one_more] * select(i < n, 1.0, 0.0)

    def step(k: Value, window: tuple[Value, Value]) -> Any:
        rows, sides = window
        larger: Callable[[Any, Any], Any] = lambda r, best: select(abs(rows[r][0]) > abs(rows[best][0]), r, best)
        at = control.scan(larger, none, l + 1)
        top, beside = rows[at], sides[at]
        is_zero = top[0] == 0.0
        left = loops.vec(select(r + 1 == at, none, (r + 1) % (l + 1)) for r in loops.range(l + 1))
        factors = loops.vec(select(is_zero, 0.0, rows[left[r]][0] / top[0]) for r in loops.range(l + 1))

        def after(r: Value, c: Value) -> Value:
            d = (c + 1) % width
            old = select(d == 0, 0.0, rows[left[r]][d] - factors[r] * top[d])
            return select(r == l, entry(k + l + 1, k + 1 + c), old)

        rest = loops.vec(
            select(r == l, side(k + l + 1), sides[left[r]] - beside * factors[r]) for r in loops.range(l + 1)
        )
        return (filled(l + 1, width, after), rest), (top, beside)

    first = filled(l + 1, width, entry), loops.vec(side(r) for r in loops.range(l + 1))
    return control.scan(step, first, n)[1]


def _substituted(made: Columns, y: Value, width: int) -> Value:
    """From the last row on: each reads the solutions of those after it, which are the state."""
    n, more = y.shape[0], width - 1

    def step(k: Value, later: Value) -> Any:
        row, rest = made[k][0], accum(made[k][1])
        for c in loops.range(more):
            take(rest, row[c + 1], later[c])
        x = divided(rest.value, row[0])
        if not more:
            return later, x
        return loops.vec(select(c == 0, x, later[(c + more - 1) % more]) for c in loops.range(more)), x

    none = current_builder().zero(Vec(more, elem(y.type)))
    return control.scan(step, none, loops.range(n - 1, -1, -1))[1][::-1]


# constant diagonals


@primitive("solve_toeplitz")
def _levinson(c: Value, r: Value, y: Value) -> Value:
    """The solution for the first rows, one more in each step.

    Beside it are the solutions for the first and for the last column of the identity matrix, `ahead` and `back`.
    """
    n = y.shape[0]

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        ahead, back, x = state
        missed = loops.sum(c[(k + n - i) % n] * ahead[i] for i in loops.range(k))
        other = loops.sum(r[(i + 1) % n] * back[i] for i in loops.range(k))
        rest = accum(y[k])
        for i in loops.range(k):
            take(rest, c[(k + n - i) % n], x[i])
        by = 1.0 / (1.0 - missed * other)
        shifted: Callable[[Any], Any] = lambda i: select(i == 0, 0.0, back[(i + n - 1) % n])
        new = loops.vec((shifted(i) - other * ahead[i]) * by for i in loops.range(n))
        after = loops.vec((ahead[i] - missed * shifted(i)) * by for i in loops.range(n))
        due = rest.value
        return after, new, loops.vec(x[i] + due * new[i] for i in loops.range(n))

    one: Callable[[Any], Any] = lambda i: select(i == 0, 1.0 / select(i == 0, c[i], 1.0), 0.0)
    unit = loops.vec(one(i) for i in loops.range(n))
    start = loops.vec(y[i] * unit[i] for i in loops.range(n))
    return control.scan(step, (unit, unit, start), loops.range(1, n))[2]


@_levinson.residual
def _(x: Value, c: DualVec, r: DualVec, y: DualVec) -> Any:
    rest, n = accum(y.du), x.shape[0]
    for i in loops.range(n):
        for j in loops.range(n):
            below = select(j <= i, 1.0, 0.0)
            take(rest[i], c.du[(i + n - j) % n], x[j] * below)
            take(rest[i], r.du[(j + n - i) % n], x[j] * (1.0 - below))
    return rest.value

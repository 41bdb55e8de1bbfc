"""LU factorisation with partial pivoting, and what is made of it: equations, inverses, determinants.

A matrix is factored once, however much is asked of it: equal calls are one. Derivatives use the factors that are there:
the tangent of a solution is another solution, and none is that of an elimination.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from ..differentiation.gradients import jvp
from ..errors import OutOfRange, argument, here
from ..frontend.annotations import Dual
from ..frontend.arguments import lenient
from ..frontend.arrays.joining import joined
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import as_array, leaf_of, shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.accumulators import Accum, accum
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, ops, shown
from ..ir.sizes import Size, at_most, differ, minus
from ..ir.types import Bool, Fin, Real, Tuple, Type, Vec, is_complex, untyped
from . import short
from .blocks import SIDE, padded, pay
from .matrices import array, batched, equations, filled, identity, misfit, square, zeros
from .primitives import primitive
from .triangular import backward, by_half, forward, forward_transposed, is_transposed, unit_lower_inverse

SHORT = 4  # rows of a determinant that is written out


class SlogdetResult(NamedTuple):
    """The sign of a determinant, and the logarithm of its absolute value."""

    sign: Any
    logabsdet: Any


class LUResult(NamedTuple):
    """A permutation, a lower triangular matrix with ones on its diagonal, and an upper triangular one."""

    P: Array
    L: Array
    U: Array


class Factors(NamedTuple):
    """A factorisation `a[rows] == l @ u`: `l` below the diagonal, with ones on it, and `u` from the diagonal on."""

    both: Any
    rows: Any  # the rows of `a`, in the order of the pivots; or the exchanges of `short.py`
    sign: Any  # of this permutation
    regular: Any  # whether no pivot is 0


@lenient
def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """The solution `x` of `a @ x == b`: `a` is a square matrix, and `b` a vector, or a matrix of right sides.

    Leading axes are those of a batch. By Gaussian elimination with partial pivoting; a matrix to which that is singular
    gives infinities and nan. Solutions with one matrix, its determinant and its inverse share one factorisation.
    """
    return batched(solution, *equations(a, b, "solve"))


@lenient
def linsolve(a: ArrayLike, b: ArrayLike, trans: int | str = False, typ: str = "n") -> Array:
    """The solution `x` of `a @ x == b`, as in Owl; with `trans`, as in `solve_triangular`, of `transpose(a) @ x == b`.

    `typ` says what is read of the square matrix `a`: all of it ("n"), or the upper ("u") or the lower half ("l"), as
    that of a triangular matrix. `b` is a vector, or a matrix of right sides; leading axes are those of a batch.
    """
    if typ not in ("n", "u", "l"):
        at = here().narrow(argument(3, "typ", 3, 4))
        raise OutOfRange(f"rose.linalg.linsolve has no matrices of type {shown(typ)}", at, 'write "n", "u" or "l"')
    given = equations(a, b, "linsolve", counts=(2, 3, 4))
    across = is_transposed(trans, "linsolve", 3, 4)
    if typ != "n":
        return batched(partial(by_half, lower=typ == "l", transposed=across, unit=False), *given)
    of: Callable[[Any, Any], Any] = lambda m, y: solution(transpose(m) if across else m, y)
    return batched(of, *given)


@lenient
def lu(a: ArrayLike) -> LUResult:
    """The factorisation `a == P @ L @ U` of an `m` by `n` matrix, or of each of a batch, with partial pivoting.

    With `k = min(m, n)`, `P` is `m` by `m`, `L` is `m` by `k`, with ones on its diagonal, and `U` is `k` by `n`. The
    derivatives, of any order, exist where the first `k` columns of `P.T @ a` have an inverse in their first `k` rows.
    """
    m = array(a, 2, "lu", 0, 1)
    rows, columns = shape_of(m.type)[-2:]
    if not at_most(rows, columns) and not at_most(columns, rows):
        hint = "declare the longer side as n + k: Vec[n + k, n]"
        raise misfit(a, m, "a matrix of which the longer side is known", "lu", 0, 1, hint=hint)
    return LUResult(*batched(_lu_of, [m], [2]))


def _lu_of(a: Value) -> Any:
    rows, columns = shape_of(a.type)
    if at_most(rows, columns):
        both, order = square_lu(a if not differ(rows, columns) else as_array(a[:, :rows]))
        lower, upper = _lower(both), _upper(both)
        if differ(rows, columns):
            rest = as_array(a[:, rows:])
            upper = joined([upper, forward(both, loops.vec(rest[order[i]] for i in loops.range(rows)))], 1)
    else:
        size, pad = columns, minus(rows, columns)
        whole = joined([a, zeros(rows, pad, leaf_of(a.type))], 1)
        found = _order(factors(whole).rows, whole)
        there = loops.vec(a[found[i]] for i in loops.range(rows))
        both, again = square_lu(as_array(there[:size]))
        below = as_array(there[size:])
        rest = loops.vec(forward_transposed(both, below[i]) for i in loops.range(pad))
        lower, upper = joined([_lower(both), rest], 0), _upper(both)
        order = loops.vec(
            select(i < size, found[within(again[within(i, size)], rows)], found[i]) for i in loops.range(rows)
        )
    return filled(rows, rows, lambda i, j: select(order[j] == i, 1.0, 0.0)), lower, upper


def square_lu(a: Value) -> tuple[Value, Value]:
    """Both factors of a square matrix, in one, and the order of its rows."""
    f = factors(a)
    return f.both, _order(f.rows, a)


def _lower(both: Value) -> Value:
    n = both.shape[0]
    return filled(n, n, lambda i, j: select(i == j, 1.0, select(j < i, both[i][j], 0.0)))


def _upper(both: Value) -> Value:
    n = both.shape[0]
    return filled(n, n, lambda i, j: select(j < i, 0.0, both[i][j]))


@lenient
def inv(a: ArrayLike) -> Array:
    """The inverse of a square matrix, or of each of a batch; of a singular one it has infinities and nan."""
    return batched(_inverse_of, [square(a, "inv")], [2])


@lenient
def det(a: ArrayLike) -> Any:
    """The determinant of a square matrix, or of each of a batch; its derivatives exist at singular matrices, too."""
    return batched(_det_of, [square(a, "det")], [2])


@lenient
def slogdet(a: ArrayLike) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its absolute value: of a singular matrix 0 and -inf."""
    return SlogdetResult(*batched(_slogdet_of, [square(a, "slogdet")], [2]))


@lenient
def logdet(a: ArrayLike) -> Any:
    """The logarithm of the determinant, where that is above 0; else nan, or -inf of a singular matrix."""

    def of(m: Value) -> Value:
        sign, log = _slogdet_of(m)
        return select(sign < 0.0, math.nan, log)

    return batched(of, [square(a, "logdet")], [2])


# of one matrix


def solution(a: Value, y: Value) -> Value:
    """The solution of equations with one matrix."""
    both, rows, *_ = factors(a)
    return short.solution(y, a, both, rows) if short.is_written_out(a.type) else _solved(a, both, rows, y)


def solver(a: Value) -> Callable[[Any], Any]:
    """The map from a right side, or a tangent of one, to the solution with a matrix, which is factorised once."""
    both, rows, *_ = factors(a)
    if short.is_written_out(a.type):
        return lambda y: short.solution(y, a, both, rows)
    return lambda y: by_factors(both, rows, y)


def _inverse_of(a: Value) -> Value:
    return inverse(a)


def inverse(a: Value) -> Value:
    """The inverse of one matrix."""
    return _inverse(a, *factors(a)[:2])


def _slogdet_of(a: Value) -> tuple[Any, Any]:
    return _logdet(a, *factors(a)[:3])


def _det_of(a: Value) -> Value:
    n = a.shape[0]
    return _short_det(a) if not isinstance(n, Size) and n <= SHORT else _det(a)


def factors(a: Value) -> Factors:
    """The factorisation of one matrix."""
    return Factors(*_lu(a))


# primitives


def _rows(t: Type) -> Type:
    assert isinstance(t, Vec)
    return short.exchanges(t.size) if short.is_written_out(t) and short.is_short(t.size) else Vec(t.size, Fin(t.size))


def _order(rows: Value, a: Value) -> Value:
    n = a.shape[0]
    return short.order(rows, n) if short.is_written_out(untyped(a.type)) and short.is_short(n) else rows


@primitive("lu", lambda t: Tuple((t, _rows(t), Real, Bool)))
def _lu(a: Value) -> tuple[Any, Any, Any, Any]:
    """Gaussian elimination, in blocks where they pay."""
    if short.is_written_out(a.type):
        return short.factored(a)
    return _factored_in_blocks(a) if pay(a.shape[0]) and leaf_of(a.type) is Real else eliminated(a)


@_lu.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    """The tangents of both factors: `l @ strictly_lower(m)` and `upper(m) @ u`, where `l @ m @ u` is that of `a`.

    See Smith, Differentiation of the Cholesky algorithm (1995), for what it is of a symmetric matrix.
    """
    (both, rows, _, _), da = x, a.du
    n = da.shape[0]
    rows = _order(rows, da)
    moved = loops.vec(da[rows[i]] for i in loops.range(n))
    left = forward(both, moved)
    m = loops.vec(forward_transposed(both, left[i]) for i in loops.range(n))
    out = accum(current_builder().zero(da.type))
    for i in loops.range(n):
        for j in loops.range(i):
            out[i][j] += m[i][j]
            for k in loops.range(j + 1, i):
                out[i][j] += m[k][j] * both[i][k]
        for k in loops.range(i, n):
            for j in loops.range(k, n):
                out[i][j] += m[i][k] * both[k][j]
    return out.value, None, None, None


@primitive("solve")
def _solved(a: Value, both: Value, rows: Value, y: Value) -> Any:
    """The solution by the factors of a matrix. Nobody asks how the factors move: the matrix says it."""
    return by_factors(both, rows, y)


@_solved.residual
def _(x: Value, a: DualVec, both: DualVec, rows: Value, y: DualVec) -> Any:
    return y.du - matmul(a.du, x)


@primitive("inv", lambda t: t)
def _inverse(a: Value, both: Value, rows: Value) -> Any:
    n = a.shape[0]
    if short.is_written_out(a.type):
        return short.inverse(both, rows)
    if not pay(n) or leaf_of(a.type) is not Real:
        return by_factors(both, rows, identity(n, of=leaf_of(a.type)))
    made, x = accum(filled(n, n, lambda i, j: -0.0)), backward(both, unit_lower_inverse(both))
    for i in loops.range(n):
        for j in loops.range(n):
            made[i][rows[j]] += x[i][j]
    return made.value


@_inverse.jvp
def _(x: Value, a: DualVec, both: DualVec, rows: Value) -> Any:
    return -matmul(matmul(x, a.du), x)


@primitive("slogdet", lambda _: Tuple((Real, Real)))
def _logdet(a: Value, both: Value, rows: Value, sign: Value) -> Any:
    """The sign and the logarithm of the determinant, by the factors."""
    n = a.shape[0]
    negative = control.scan(lambda i, s: select(both[i][i] < 0.0, -s, s), sign, n)
    zero = control.scan(lambda i, s: s | (both[i][i] == 0.0), False, n)
    log = loops.sum(ops.log(abs(both[i][i])) for i in loops.range(n))
    return select(zero, 0.0, negative), select(zero, -math.inf, log)


@_logdet.jvp
def _(x: tuple[Value, ...], a: DualVec, both: DualVec, rows: Value, sign: Dual) -> Any:
    return None, _along(_inverse(a.re, both.re, rows), a.du)


@primitive("det", lambda _: Real)
def _det(a: Value) -> Any:
    """The determinant: a polynomial, whose tangent by the inverse exists where that does; else it is that of one."""
    f = factors(a)
    return loops.prod(f.both[i][i] for i in loops.range(a.shape[0])) * f.sign


@_det.jvp
def _(x: Value, a: DualVec) -> Any:
    g, polynomial = factors(a.re), jvp(_polynomial_det.of(a.re.type))
    by_inverse = lambda: _along(_inverse(a.re, g.both, g.rows), a.du) * x
    return control.cond(g.regular, by_inverse, lambda: polynomial(a).du)


def _along(inverse: Value, da: Value) -> Value:
    """The trace of `inverse @ da`."""
    n = da.shape[0]
    return loops.sum(da[i][j] * inverse[j][i] for i in loops.range(n) for j in loops.range(n))


# algorithms


def eliminated(a: Value) -> tuple[Any, Any, Any, Any]:
    """The rows stay in their places; their order is that of the pivots."""
    n = a.shape[0]
    step: Callable[[Any, Any], Any] = lambda k, state: _eliminated(k, k, n, state, masked=False)
    order = loops.vec(i for i in loops.range(n))
    upper, lower, rows, sign, regular = control.scan(step, (a, current_builder().zero(a.type), order, 1.0, True), n)
    both = filled(n, n, lambda i, j: select(j < i, lower[rows[i]][j], upper[rows[i]][j]))
    return both, rows, sign, regular


def _eliminated(c: Value, k: Value, n: int | Size, state: tuple[Value, ...], *, masked: bool) -> Any:
    """The elimination of column `c`, by one of the rows from `k` on to before `n`: of the columns after it.

    If `masked`, of all columns, by zeros: as many for each `c`, which the compiler vectorises.
    """
    upper, lower, rows, sign, regular = state
    rows, moved = _exchanged(rows, _pivot(upper, rows, c, k, n), k)
    top, after, below = upper[rows[k]], accum(upper), accum(lower)
    width, is_zero = top.shape[0], top[c] == 0.0
    right = loops.vec(select(j > c, top[j], 0.0) for j in loops.range(width)) if masked else top
    for i in loops.range(k + 1, upper.shape[0]):
        factor = select(is_zero, 0.0, upper[rows[i]][c] / top[c])
        below[rows[i]][c] += factor
        for j in loops.range(width) if masked else loops.range(c + 1, width):
            after[rows[i]][j] -= factor * right[j]
    return after.value, below.value, rows, select(moved, -sign, sign), regular & ~is_zero


def _pivot(upper: Value, rows: Value, c: Value, k: Value, n: int | Size) -> Value:
    """The place of the first of the largest elements of column `c`, of the rows from `k` on to before `n`."""

    def larger(i: Value, best: tuple[Value, Value]) -> Any:
        size, _ = best
        found = _magnitude(upper[rows[i]][c])
        better = found > size
        return select(better, found, size), select(better, i, best[1])

    return control.scan(larger, (-1.0, k), loops.range(k, n))[1]


def _magnitude(x: Value) -> Value:
    """The size by which pivots are chosen: of complex numbers LAPACK's, the sum of those of both parts."""
    return abs(x.real) + abs(x.imag) if is_complex(x.type) else abs(x)


def _factored_in_blocks(a: Value) -> tuple[Any, Any, Any, Any]:
    """Elimination by panels of `SIDE` columns: the columns right of one are changed once, by all of its rows.

    Each number is changed by the same terms in the same order, and has the same bits.
    """
    n, whole = a.shape[0], padded(a)
    size = whole.shape[0]
    count = size // SIDE

    def step(p: Value, state: tuple[Value, ...]) -> Any:
        rest, both, rows, sign, regular = state
        panel = loops.vec(_part(rest[i], p) for i in loops.range(size))
        upper, lower, (rows, sign, regular) = _panel(panel, p, n, (rows, sign, regular))
        known, after, corner = accum(both), accum(rest), _block_of(lower, rows, p)
        for i in loops.range(SIDE):
            row = rows[p * SIDE + i]
            both_parts = loops.vec(select(j < i, corner[i][j], upper[row][j]) for j in loops.range(SIDE))
            _add_to_part(known[row], p, both_parts)
        for i in loops.range((p + 1) * SIDE, size):
            _add_to_part(known[rows[i]], p, lower[rows[i]])
        for q in loops.range(p + 1, count):
            here = loops.vec(_part(rest[rows[p * SIDE + i]], q) for i in loops.range(SIDE))
            top = forward(corner, here)
            for i in loops.range(SIDE):
                _add_to_part(known[rows[p * SIDE + i]], q, top[i])
            for m in loops.range(p + 1, count):
                left = _block_of(lower, rows, m)
                for i in loops.range(SIDE):
                    for j in loops.range(SIDE):
                        for k in loops.range(SIDE):
                            after[rows[m * SIDE + i]][q * SIDE + j] -= left[i][k] * top[k][j]
        return after.value, known.value, rows, sign, regular

    order, nothing = loops.vec(i for i in loops.range(size)), filled(size, size, lambda i, j: -0.0)
    _, both, rows, sign, regular = control.scan(step, (whole, nothing, order, 1.0, True), count)
    return filled(n, n, lambda i, j: both[rows[i]][j]), loops.vec(rows[i] % n for i in loops.range(n)), sign, regular


def _panel(panel: Value, p: Value, n: int | Size, state: tuple[Value, ...]) -> tuple[Any, Any, Any]:
    """The elimination of panel `p`: both factors of its columns, and the order of rows, its sign, if it is regular."""

    step: Callable[[Any, Any], Any] = lambda c, state: _eliminated(c, p * SIDE + c, n, state, masked=True)
    upper, lower, *others = control.scan(step, (panel, current_builder().zero(panel.type), *state), SIDE)
    return upper, lower, others


def _exchanged(rows: Value, i: Value, k: Value) -> tuple[Any, Any]:
    """The order of rows with two exchanged, and whether they are different ones."""
    n = rows.shape[0]
    return loops.vec(select(j == k, rows[i], select(j == i, rows[k], rows[j])) for j in loops.range(n)), i != k


def _part(row: Value, q: Value) -> Value:
    """The part of a row that is in block `q`."""
    return loops.vec(row[q * SIDE + j] for j in loops.range(SIDE))


def _add_to_part(ref: Accum, q: Value, x: Value) -> None:
    for j in loops.range(SIDE):
        ref[q * SIDE + j] += x[j]


def _block_of(panel: Value, rows: Value, m: Value) -> Value:
    """The rows of a panel that are in block `m`, in their order."""
    return loops.vec(panel[rows[m * SIDE + i]] for i in loops.range(SIDE))


def by_factors(both: Value, rows: Value, y: Value) -> Value:
    """The solution of equations with a matrix of these factors, in a derivative rule too: it is linear in `y`."""
    there = loops.vec(y[rows[i]] for i in loops.range(rows.shape[0]))
    return backward(both, forward(both, there))


@primitive("det", lambda _: Real)
def _short_det(a: Value) -> Any:
    """The determinant of at most four rows: by the minors of two rows."""
    n = a.shape[0]
    if n < 2:
        return a[0][0] if n else 1.0

    def minor(i: int, j: int, k: int) -> Value:
        return a[i][j] * a[i + 1][k] - a[i][k] * a[i + 1][j]

    if n == 2:
        return minor(0, 0, 1)
    if n == 3:
        return a[0][0] * minor(1, 1, 2) - a[0][1] * minor(1, 0, 2) + a[0][2] * minor(1, 0, 1)
    upper, lower = [[minor(i, j, k) for j, k in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))] for i in (0, 2)]
    return (
        upper[0] * lower[5] - upper[1] * lower[4] + upper[2] * lower[3]
        + upper[3] * lower[2] - upper[4] * lower[1] + upper[5] * lower[0]
    )  # fmt: skip


@primitive("det", lambda _: Real)
def _polynomial_det(a: Value) -> Any:
    """The determinant without a division, in `n ** 4` operations.

    Bird, A simple division-free algorithm for computing determinants (2011).
    """
    n = a.shape[0]

    def step(_: Value, state: tuple[Value, ...]) -> Any:
        x, sign, _ = state
        f = filled(n, n, lambda i, j: loops.sum(x[i][k] * a[k][j] for k in loops.range(i, n)))
        rest = control.scan(lambda i, s: (s - f[i][i], s), 0.0, loops.range(n - 1, -1, -1))[1][::-1]
        after = filled(n, n, lambda i, j: select(i < j, f[i][j], select(i == j, rest[i], 0.0)))
        return after, -sign, sign * loops.sum(select(i == 0, f[i][i], 0.0) for i in loops.range(n))

    return control.scan(step, (identity(n), 1.0, 1.0), n)[2]

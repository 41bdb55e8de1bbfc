"""QR and LQ factorisation by Householder's reflections."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..differentiation.gradients import jvp
from ..errors import OutOfRange, argument, here
from ..frontend.arguments import lenient
from ..frontend.arrays.joining import joined
from ..frontend.arrays.products import conjugate, matmul
from ..frontend.arrays.shapes import array_type, leaf_of, shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.complex.parts import made
from ..frontend.duals import DualVec
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..frontend.language.vectors import norm
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, ops, shown
from ..ir.sizes import at_most, minus
from ..ir.types import Bool, Tuple, Type, Vec, is_complex, tangent
from .elimination import solution
from .matrices import adjoint, array, batched, elem, filled, identity, zeros
from .primitives import Primitive, primitive
from .triangular import forward_transposed


class QRResult(NamedTuple):
    """An orthogonal and an upper triangular matrix, whose product is the one that was factored."""

    Q: Array
    R: Array


class LQResult(NamedTuple):
    """A lower triangular and an orthogonal matrix, whose product is the one that was factored."""

    L: Array
    Q: Array


@lenient
def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    """The factorisation `a == Q @ R` of an `m` by `n` matrix, or of each of a batch: `Q` has orthonormal columns.

    `mode` is NumPy's: with "reduced", `Q` is `m` by `k` and `R` upper triangular, `k` by `n`, with `k = min(m, n)`;
    with "complete", `Q` is `m` by `m` and `R` `m` by `n`; with "r" the result is the reduced `R` alone. The signs are
    those of LAPACK. The derivatives exist where the first `k` columns are independent, to any order. Those of the
    columns that only a complete `Q` has are nan, if a column of `a` needs no reflection: if it is 0 below the diagonal
    already, as given or after the reflections for the columns before it. There LAPACK's signs jump.
    """
    if mode not in ("reduced", "complete", "r"):
        at = here().narrow(argument(1, "mode", 2))
        raise OutOfRange(f"rose.linalg.qr has no mode {shown(mode)}", at, 'write "reduced", "complete" or "r"')
    m = array(a, 2, "qr", 0, 1, 2)
    q, r = batched(complete if mode == "complete" else _qr_of, [m], [2])
    return r if mode == "r" else QRResult(q, r)


@lenient
def lq(a: ArrayLike) -> LQResult:
    """The reduced factorisation `a == L @ Q` of an `m` by `n` matrix, or of each of a batch: that of `qr`, transposed.

    With `k = min(m, n)`, `L` is `m` by `k` and lower triangular, and `Q` is `k` by `n` with orthonormal rows. The signs
    are those of LAPACK. The derivatives exist where the first `k` rows are independent, to any order.
    """

    def of(m: Value) -> tuple[Any, Any]:
        q, r = _qr_of(adjoint(m))
        return adjoint(r), adjoint(q)

    return LQResult(*batched(of, [array(a, 2, "lq", 0, 1)], [2]))


def _qr_of(a: Value) -> tuple[Any, Any]:
    rows, columns = shape_of(a.type)
    if at_most(columns, rows):
        return _qr(a)
    square = filled(rows, rows, lambda i, j: a[i][j])
    q, _ = _qr(square)
    rest = matmul(adjoint(q), a)
    return q, filled(rows, columns, lambda i, j: select(j < i, 0.0, rest[i][j]))


def complete(a: Value) -> tuple[Any, Any]:
    """The complete factorisation of one matrix: the reduced one, and columns that make `Q` square."""
    rows, columns = shape_of(a.type)
    q, r = _qr_of(a)
    if at_most(rows, columns):
        return q, r
    below = zeros(minus(rows, columns), columns, leaf_of(a.type))
    return joined([q, _others(a, q)[0]], 1), joined([r, below], 0)


def _other_columns(t: Type) -> Type:
    m, n = shape_of(t)
    return array_type((m, minus(m, n)), leaf_of(t))


@primitive("qr", lambda t: Tuple((_other_columns(t), Bool)))
def _others(a: Value, q: Value) -> Any:
    """The last columns of the product of the reflections of a matrix, of which the first, `q`, are there.

    And whether each column of the matrix has its reflection, without which they have no derivative.
    """
    m, n = shape_of(a.type)
    more = minus(m, n)
    v, tau, _ = _reflections(joined([a, zeros(m, more, leaf_of(a.type))], 1))
    whole = reflected_by_all(identity(m, of=leaf_of(a.type)), v, tau)
    all_there = control.scan(lambda k, so_far: so_far & (tau[k] != 0.0), True, n)
    return filled(m, more, lambda i, j: whole[i][n + j]), all_there


@_others.jvp
def _(x: tuple[Value, ...], a: DualVec, q: DualVec) -> Any:
    moved, there = jvp(_by_columns.of(q.re.type))(q), select(x[1], 1.0, math.nan)
    m, n = shape_of(x[0].type)
    return filled(m, n, lambda i, j: moved[i][j].du * there), None


@primitive("qr", _other_columns)
def _by_columns(q: Value) -> Value:
    """The other columns of a product of reflections, by its first ones.

    The product is `1 - v @ t @ v.T`, with `v` lower and `t` upper triangular: so the first columns have
    `w = v @ (t @ v[:n].T)`, and the others `w @ u.T` with `u @ w[:n] == w[n:]`, taken from the identity matrix; of
    complex numbers with adjoints in the place of transposed matrices.
    """
    m, n = shape_of(q.type)
    w = identity(m, n, leaf_of(q.type)) - q
    u = solution(transpose(w[:n]), transpose(w[n:]))
    product = matmul(w, conjugate(u))
    return filled(m, minus(m, n), lambda i, j: select(i == n + j, 1.0, 0.0) - product[i][j])


def householder(a: Value) -> tuple[Any, Any]:
    """The reduced factorisation, as LAPACK's: by reflections `1 - tau * v @ v.T`, one for each column."""
    (v, tau, r), (m, n) = _reflections(a), shape_of(a.type)
    return reflected_by_all(identity(m, n, leaf_of(a.type)), v, tau), r


_qr = Primitive("qr", lambda t: Tuple((t, Vec(shape_of(t)[1], elem(t)))), householder)


@_qr.jvp
def _(x: tuple[Value, Value], a: DualVec) -> Any:
    """The tangents of both factors: `da @ inv(r) - q @ u` and `u @ r`, with `u` upper triangular.

    See Walter and Lehmann, Algorithmic differentiation of linear algebra functions with application in optimum
    experimental design (2010, arXiv:1001.1654).
    """
    (q, r), da = x, a.du
    n = r.shape[0]
    left = loops.vec(forward_transposed(r, da[i]) for i in loops.range(da.shape[0]))
    g, zero = matmul(adjoint(q), left), current_builder().zero(tangent(r.type))
    u, dr = accum(zero), accum(zero)
    for i in loops.range(n):
        u[i][i] += made(g[i][i].real, 0.0) if is_complex(leaf_of(r.type)) else g[i][i]
        for j in loops.range(i + 1, n):
            u[i][j] += g[i][j] + g[j][i].conj()
    upper = u.value
    for i in loops.range(n):
        for k in loops.range(i, n):
            for j in loops.range(k, n):
                dr[i][j] += upper[i][k] * r[k][j]
    return left - matmul(q, upper), dr.value


def _reflections(a: Value) -> Any:
    """For each column the vector and the factor of its reflection, and the row of `R` that it makes."""
    n = a.shape[1]

    def step(k: Value, rest: Value) -> Any:
        v, tau, pivot = reflection(loops.vec(rest[i][k] for i in loops.range(rest.shape[0])), k, rest[k][k])
        after = reflected(rest, v, tau.conj(), k, k + 1)
        row = loops.vec(select(j < k, 0.0, select(j == k, pivot, after[k][j])) for j in loops.range(n))
        return after, (v, tau, row)

    return control.scan(step, a, n)[1]


def reflection(x: Value, k: Value, head: Value | None = None) -> tuple[Any, Any, Any]:
    """The vector and the factor of the reflection that makes what follows number `k` of `x` 0, and what it puts there.

    Of complex numbers it is the adjoint of `1 - tau * v @ v.conj().T` that does, and what it puts there is real, as
    LAPACK's is. The numbers before it stay. If there is no number `k`, nothing is reflected; `head` is that number, if
    there is one.
    """
    n = x.shape[0]
    below = loops.vec(select(i > k, x[i], 0.0) for i in loops.range(n))
    top: Any = loops.sum(select(i == k, x[i], 0.0) for i in loops.range(n)) if head is None else head
    if is_complex(top.type):
        tail = norm(loops.vec(abs(below[i]) for i in loops.range(n)))
        done, size, along = (tail == 0.0) & (top.imag == 0.0), abs(top), top.real
    else:
        tail = norm(below)
        done, size, along = tail == 0.0, top, top
    pivot = select(done, along, -ops.copysign(ops.hypot(size, tail), along))
    scale = select(done, 1.0, top - pivot)
    v = loops.vec(select(i == k, 1.0, below[i] / scale) for i in loops.range(n))
    return v, select(done, 0.0, (pivot - top) / select(done, 1.0, pivot)), pivot


def reflected(a: Value, v: Value, tau: Value, k: Value, first: Value | int = 0) -> Value:
    """`a - tau * v @ (v.conj() @ a)`: of the rows from `k` on, and the columns from `first` on."""
    m, n = a.shape
    along, after = accum(current_builder().zero(elem(a.type))), accum(a)
    for i in loops.range(k, m):
        for j in loops.range(first, n):
            along[j] += v[i].conj() * a[i][j]
    sums = along.value
    for i in loops.range(k, m):
        for j in loops.range(first, n):
            after[i][j] -= tau * v[i] * sums[j]
    return after.value


def reflected_by_all(a: Value, v: Value, tau: Value) -> Value:
    """`a`, reflected by as many as it has columns, by the last one first."""
    back: Callable[[Any, Any], Any] = lambda k, q: reflected(q, v[k], tau[k], k, k)
    return control.scan(back, a, loops.range(a.shape[1] - 1, -1, -1))

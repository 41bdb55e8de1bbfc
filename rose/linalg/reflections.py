"""QR factorisation by Householder's reflections, and least squares."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from ..errors import OutOfRange, argument, edge, here
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec
from ..frontend.function import AnyFn, make
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..frontend.language.vectors import norm
from ..ir import current_builder, ops, shown
from ..ir.sizes import at_most
from ..ir.types import Tuple, Type, Vec, tangent
from .matrices import array, batched, filled
from .triangular import forward_transposed


class QRResult(NamedTuple):
    """An orthogonal and an upper triangular matrix, whose product is the one that was factored."""

    Q: Any
    R: Any


@edge
def qr(a: Any, mode: Any = "reduced") -> Any:
    """The factorisation `a == Q @ R` of an `m` by `n` matrix, or of each of a batch: `Q` has orthonormal columns.

    `mode` is NumPy's: with "reduced", `Q` is `m` by `k` and `R` upper triangular, `k` by `n`, with `k = min(m, n)`;
    with "r" the result is `R` alone. The signs are those of LAPACK. The derivatives exist where the first `k` columns
    are independent, to any order.
    """
    if mode not in ("reduced", "r"):
        at = here().narrow(argument(1, "mode", 2))
        raise OutOfRange(f"rose.linalg.qr has no mode {shown(mode)}", at, 'write mode="reduced" or mode="r"')
    m = array(a, 2, "qr", 0, 1)
    q, r = batched(_qr_of, [m], [2])
    return r if mode == "r" else QRResult(q, r)


def _qr_of(a: Any) -> tuple[Any, Any]:
    rows, columns = shape_of(a.type)
    if at_most(columns, rows):
        q, r = _qr(a.type)(a)
        return q, r
    square = filled(rows, rows, lambda i, j: a[i][j])
    q, r = _qr(square.type)(square)
    rest = matmul(transpose(q), a)
    return q, filled(rows, columns, lambda i, j: select(j < i, 0.0, rest[i][j]))


@cache
def _qr(t: Type) -> AnyFn:
    """The reduced factorisation of a matrix that is not wider than high."""
    assert isinstance(t, Vec) and isinstance(t.elem, Vec)
    f = make(householder, [t], Tuple((t, Vec(t.elem.size, t.elem))), "qr", ["a"])

    @f.jvp
    def rule(a: Any) -> Any:
        q, r = f(a.re)
        dq, dr = _moved_factors(q, r, a.du)
        return DualVec(q, dq), DualVec(r, dr)

    return f


def householder(a: Any) -> tuple[Any, Any]:
    """The reduced factorisation, as LAPACK's: by reflections `1 - tau * v @ v.T`, one for each column."""
    n = a.type.elem.size

    def step(k: Any, rest: Any) -> Any:
        v, tau, pivot = _reflection(rest, k)
        after = _reflected(rest, v, tau, k, k + 1)
        row = loops.vec(select(j < k, 0.0, select(j == k, pivot, after[k][j])) for j in loops.range(n))
        return after, (v, tau, row)

    _, made = control.scan(step, a, n)
    eye = filled(a.type.size, n, lambda i, j: select(i == j, 1.0, 0.0))
    back: Callable[[Any, Any], Any] = lambda k, q: _reflected(q, made[k][0], made[k][1], k, k)
    return control.scan(back, eye, loops.range(n - 1, -1, -1)), loops.vec(made[k][2] for k in loops.range(n))


def _reflection(a: Any, k: Any) -> tuple[Any, Any, Any]:
    """The vector and the factor of a reflection that makes column `k` 0 below the diagonal, and what it puts there."""
    m = a.type.size
    below = loops.vec(select(i > k, a[i][k], 0.0) for i in loops.range(m))
    head, tail = a[k][k], norm(below)
    pivot = select(tail == 0.0, head, -ops.copysign(ops.hypot(head, tail), head))
    there = tail == 0.0
    scale = select(there, 1.0, head - pivot)
    v = loops.vec(select(i == k, 1.0, below[i] / scale) for i in loops.range(m))
    return v, select(there, 0.0, (pivot - head) / select(there, 1.0, pivot)), pivot


def _reflected(a: Any, v: Any, tau: Any, k: Any, first: Any) -> Any:
    """`a - tau * v @ (v @ a)`: of the rows from `k` on, and the columns from `first` on."""
    m, n = a.type.size, a.type.elem.size
    along, after = accum(current_builder().zero(a.type.elem)), accum(a)
    for i in loops.range(k, m):
        for j in loops.range(first, n):
            along[j] += v[i] * a[i][j]
    sums = along.value
    for i in loops.range(k, m):
        for j in loops.range(first, n):
            after[i][j] -= tau * v[i] * sums[j]
    return after.value


def _moved_factors(q: Any, r: Any, da: Any) -> tuple[Any, Any]:
    """The tangents of both factors: `da @ inv(r) - q @ u` and `u @ r`, with `u` upper triangular.

    See Walter and Lehmann, Algorithmic differentiation of linear algebra functions with application in optimum
    experimental design (2010, arXiv:1001.1654).
    """
    n = r.type.size
    left = loops.vec(forward_transposed(r, da[i]) for i in loops.range(da.type.size))
    g, zero = matmul(transpose(q), left), current_builder().zero(tangent(r.type))
    u, dr = accum(zero), accum(zero)
    for i in loops.range(n):
        u[i][i] += g[i][i]
        for j in loops.range(i + 1, n):
            u[i][j] += g[i][j] + g[j][i]
    upper = u.value
    for i in loops.range(n):
        for k in loops.range(i, n):
            for j in loops.range(k, n):
                dr[i][j] += upper[i][k] * r[k][j]
    return left - matmul(q, upper), dr.value

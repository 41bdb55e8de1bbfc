"""Eigenvalues and eigenvectors of symmetric matrices."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from ..errors import edge
from ..frontend.arrays.order import argsort
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec
from ..frontend.function import AnyFn, make
from ..frontend.language import loops
from ..frontend.language.select import select
from ..ir import current_builder
from ..ir.sizes import differ
from ..ir.types import Tuple, Type, Vec
from .jacobi import Turns, magnitude, partner, sweeps, turn, turned
from .matrices import batched, filled, identity, square


class EighResult(NamedTuple):
    """The eigenvalues of a symmetric matrix in ascending order, and the eigenvectors, in the columns of a matrix."""

    eigenvalues: Any
    eigenvectors: Any


@edge
def eigh(a: Any) -> Any:
    """The eigenvalues `w` and eigenvectors `v` of a symmetric matrix, or of each of a batch: `a @ v == v * w`.

    Only the lower half of `a` is read. Derivatives exist to any order where the eigenvalues differ. Between equal ones
    an eigenvector has no derivative, and contributes nothing; what does not depend on the choice of the eigenvectors
    of equal eigenvalues, such as `v * f(w) @ v.T`, has the first derivative of its part between different ones.
    """
    return EighResult(*batched(_eigh_of, [square(a, "eigh")], [2]))


@edge
def eigvalsh(a: Any) -> Any:
    """The eigenvalues of a symmetric matrix, or of each of a batch, in ascending order. Only the lower half is read."""
    return EighResult(*batched(_eigh_of, [square(a, "eigvalsh")], [2])).eigenvalues


def _eigh_of(a: Any) -> tuple[Any, Any]:
    if not differ(a.type.size, 0):
        return current_builder().zero(a.type.elem), a
    values, vectors = _eigh(a.type)(a)
    return values, vectors


@cache
def _eigh(t: Type) -> AnyFn:
    assert isinstance(t, Vec)
    f = make(_decomposed, [t], Tuple((t.elem, t)), "eigh", ["a"])

    @f.jvp
    def rule(a: Any) -> Any:
        w, v = f(a.re)
        moved, n = matmul(matmul(transpose(v), _symmetric(a.du)), v), w.type.size

        def by_gap(i: Any, j: Any) -> Any:
            gap = w[j] - w[i]
            return select(gap == 0.0, 0.0, 1.0 / select(gap == 0.0, 1.0, gap))

        dv = filled(n, n, lambda i, j: moved[i][j] * by_gap(i, j))
        return DualVec(w, loops.vec(moved[i][i] for i in loops.range(n))), DualVec(v, matmul(v, dv))

    return f


def _symmetric(a: Any) -> Any:
    """The symmetric matrix of which `a` has the lower half."""
    n = a.type.size
    return filled(n, n, lambda i, j: select(j <= i, a[i][j], a[j][i]))


def _decomposed(a: Any) -> tuple[Any, Any]:
    n = a.type.size

    def round_(r: Any, state: Any) -> Any:
        a, rows = state
        made = loops.vec(_turn(a, r, i) for i in loops.range(n))
        turns = Turns(loops.vec(made[i][0] for i in loops.range(n)), loops.vec(made[i][1] for i in loops.range(n)))
        return transpose(turned(transpose(turned(a, turns, r)), turns, r)), turned(rows, turns, r)

    def left(state: Any) -> Any:
        a, _ = state
        beside = loops.sum(select(i == j, 0.0, a[i][j] * a[i][j]) for i in loops.range(n) for j in loops.range(n))
        return beside / loops.sum(a[i][j] * a[i][j] for i in loops.range(n) for j in loops.range(n))

    scale = magnitude(a)
    start = _symmetric(a) / scale
    a, rows = sweeps(round_, left, (start, identity(n)), n)
    order = argsort(loops.vec(a[i][i] for i in loops.range(n)))
    values = loops.vec(a[order[i]][order[i]] * scale for i in loops.range(n))
    return values, transpose(loops.vec(rows[order[i]] for i in loops.range(n)))


def _turn(a: Any, r: Any, i: Any) -> Any:
    j = partner(r, i, a.type.size)
    return turn(i, j, a[i][i], a[j][j], select(i < j, a[i][j], a[j][i]))  # which rounding makes different

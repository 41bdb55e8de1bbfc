"""Eigenvalues and eigenvectors of symmetric matrices."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from ..errors import edge
from ..frontend.arrays.order import argsort
from ..frontend.arrays.products import matmul
from ..frontend.arrays.reductions import largest
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec
from ..frontend.function import AnyFn, make
from ..frontend.language import loops
from ..frontend.language.select import select
from ..ir import current_builder
from ..ir.sizes import differ
from ..ir.types import Tuple, Type, Vec
from .gaps import is_close, over
from .matrices import batched, filled, magnitude, square
from .tridiagonal import diagonalised


class EighResult(NamedTuple):
    """The eigenvalues of a symmetric matrix in ascending order, and the eigenvectors, in the columns of a matrix."""

    eigenvalues: Any
    eigenvectors: Any


@edge
def eigh(a: Any) -> Any:
    """The eigenvalues `w` and eigenvectors `v` of a symmetric matrix, or of each of a batch: `a @ v == v * w`.

    Only the lower half of `a` is read. Derivatives exist to any order where the eigenvalues differ. The eigenvectors of
    equal ones have none: what reads them has the derivative nan, and what does not read them keeps its own. Equal are
    those that differ by 1e-12 of the largest, of which rounding would decide. Eigenvalues have first derivatives there,
    whose sum is right; for a function of the matrix, see `expm`, `sqrtm` and `logm`.
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
        most = largest(abs(w), initial=0.0)

        def turned(i: Any, j: Any) -> Any:
            gap = w[j] - w[i]
            return select(i == j, 0.0, over(moved[i][j], gap, is_close(gap, most)))

        dv = filled(n, n, turned)
        return DualVec(w, loops.vec(moved[i][i] for i in loops.range(n))), DualVec(v, matmul(v, dv))

    return f


def _symmetric(a: Any) -> Any:
    """The symmetric matrix of which `a` has the lower half."""
    n = a.type.size
    return filled(n, n, lambda i, j: select(j <= i, a[i][j], a[j][i]))


def _decomposed(a: Any) -> tuple[Any, Any]:
    n = a.type.size
    scale = magnitude(a)
    found, rows = diagonalised(_symmetric(a) / scale)
    order = argsort(found)
    values = loops.vec(found[order[i]] * scale for i in loops.range(n))
    return values, transpose(loops.vec(rows[order[i]] for i in loops.range(n)))

"""Eigenvalues and eigenvectors of symmetric matrices."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import OutOfRange, argument, here
from ..frontend.arguments import lenient
from ..frontend.arrays.order import argsort
from ..frontend.arrays.products import matmul
from ..frontend.arrays.reductions import largest
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec
from ..frontend.language import loops
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, shown
from ..ir.sizes import differ
from ..ir.types import Tuple
from . import jacobi
from .gaps import is_close, over
from .matrices import across, batched, elem, filled, magnitude, square, symmetric
from .primitives import primitive
from .tridiagonal import diagonalised


class EighResult(NamedTuple):
    """The eigenvalues of a symmetric matrix in ascending order, and the eigenvectors, in the columns of a matrix."""

    eigenvalues: Array
    eigenvectors: Array


@lenient
def eigh(a: ArrayLike, UPLO: str = "L") -> EighResult:
    """The eigenvalues `w` and eigenvectors `v` of a symmetric matrix, or of each of a batch: `a @ v == v * w`.

    Only the lower half of `a` is read, or with `UPLO="U"` the upper one. Derivatives exist to any order where the
    eigenvalues differ. The eigenvectors of equal ones have none: what reads them has the derivative nan, and what does
    not read them keeps its own. Equal are those that differ by 1e-12 of the largest, of which rounding would decide.
    Eigenvalues have first derivatives there, whose sum is right; for a function of the matrix, see `expm`, `sqrtm` and
    `logm`.
    """
    return EighResult(*batched(_eigh_of, [half(square(a, "eigh", 1, 2), UPLO, "eigh")], [2]))


@lenient
def eigvalsh(a: ArrayLike, UPLO: str = "L") -> Array:
    """The eigenvalues of a symmetric matrix, or of each of a batch, in ascending order.

    Only the lower half is read, or with `UPLO="U"` the upper one.
    """
    m = half(square(a, "eigvalsh", 1, 2), UPLO, "eigvalsh")
    return EighResult(*batched(_eigh_of, [m], [2])).eigenvalues


def half(m: Value, which: str, name: str) -> Value:
    """The matrix whose lower half is the one that is to be read."""
    if which not in ("L", "l", "U", "u"):
        at = here().narrow(argument(1, "UPLO", 2))
        raise OutOfRange(f"rose.linalg.{name} has no half {shown(which)}", at, 'write "L" for the lower, "U" the upper')
    return m if which in ("L", "l") else across(m)


def _eigh_of(a: Value) -> tuple[Any, Any]:
    if not differ(a.shape[0], 0):
        return current_builder().zero(elem(a.type)), a
    return decomposed(a)


@primitive("eigh", lambda t: Tuple((elem(t), t)))
def decomposed(a: Value) -> tuple[Any, Any]:
    n = a.shape[0]
    if jacobi.is_few(n):
        return jacobi.diagonalised(a)
    scale = magnitude(a)
    found, rows = diagonalised(symmetric(a) / scale)
    order = argsort(found)
    values = loops.vec(found[order[i]] * scale for i in loops.range(n))
    return values, transpose(loops.vec(rows[order[i]] for i in loops.range(n)))


@decomposed.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    w, v = x
    moved, n = matmul(matmul(transpose(v), symmetric(a.du)), v), w.shape[0]
    most = largest(abs(w), initial=0.0)

    def turned(i: Value, j: Value) -> Value:
        gap = w[j] - w[i]
        return select(i == j, 0.0, over(moved[i][j], gap, is_close(gap, most)))

    dv = filled(n, n, turned)
    return loops.vec(moved[i][i] for i in loops.range(n)), matmul(v, dv)

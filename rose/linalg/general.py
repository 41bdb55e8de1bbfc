"""Eigenvalues and eigenvectors of matrices that need not be symmetric: they are complex numbers.

By Schur's form, in whose triangle the vectors are found by substitution. See Golub and Van Loan, Matrix Computations
(2013), section 7.6.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.arrays.reductions import largest
from ..frontend.arrays.shapes import array_type, leaf_of, shape_of
from ..frontend.complex.parts import made
from ..frontend.duals import DualVec
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..frontend.values import to_value
from ..ir import Value, current_builder, ops
from ..ir.sizes import Size, differ
from ..ir.types import Complex, Fin, Real, Tuple, Type, Vec
from .elimination import inverse
from .gaps import is_close, over
from .matrices import EPSILON, batched, filled, magnitude, square
from .primitives import primitive
from .qr_steps import of_block, schur_of, triangular

FAR = 2.0**60  # numbers of a vector that are larger are scaled: none overflows, in single precision either


class EigResult(NamedTuple):
    """The eigenvalues of a matrix, and the eigenvectors, in the columns of a matrix."""

    eigenvalues: Array
    eigenvectors: Array


@lenient
def eig(a: ArrayLike) -> EigResult:
    """The eigenvalues `w` and eigenvectors `v` of a square matrix, or of each of a batch: `a @ v == v * w`.

    Both are complex, of a real matrix too, whose real eigenvalues have the imaginary part 0.0, and whose conjugate ones
    stand side by side, that with the positive imaginary part first. The order is otherwise as the iteration finds them,
    which need not be that of LAPACK. Each vector has length 1, and its largest number is real and positive. By QR steps
    on Hessenberg's form, in some `25 * n ** 3` operations. Where they do not converge, and of nan, the result is nan.

    Derivatives exist to any order where the eigenvalues differ. Those of one that is there twice, and of its vectors,
    have none: what reads them has the derivative nan, or what rounding makes of it where a matrix has too few
    eigenvectors. Of symmetric matrices `eigh` is faster.
    """
    return EigResult(*batched(_eig_of, [square(a, "eig")], [2]))


@lenient
def eigvals(a: ArrayLike) -> Array:
    """The eigenvalues of a square matrix, or of each of a batch: complex numbers, those of `eig`, in their order."""
    return EigResult(*batched(_eig_of, [square(a, "eigvals")], [2])).eigenvalues


def _eig_of(a: Value) -> tuple[Any, Any]:
    n = a.shape[0]
    if not differ(n, 0):
        return current_builder().zero(Vec(n, Complex)), current_builder().zero(array_type((n, n), Complex))
    return tuple(_decomposed(a)[:2])


def _result(t: Type) -> Type:
    n = shape_of(t)[0]
    return Tuple((Vec(n, Complex), array_type((n, n), Complex), Vec(n, Fin(n))))


def _is_real(a: Value) -> bool:
    return leaf_of(a.type) is Real


@primitive("eig", _result)
def _decomposed(a: Value) -> tuple[Any, Any, Any]:
    """The eigenvalues, the eigenvectors, and the places of the largest numbers of these."""
    n, scale = a.shape[0], magnitude(a)
    t, z = schur_of(a / scale)
    w = _real_values(t) if _is_real(a) else loops.vec(t[k][k] for k in loops.range(n))
    upper, unitary = triangular(t, z) if _is_real(a) else (t, z)
    bare = loops.vec(_vector(upper, unitary, k) for k in loops.range(n))
    places = loops.vec(_largest(bare[k]) for k in loops.range(n))
    rows = loops.vec(_unit(bare[k], places[k]) for k in loops.range(n))

    def entry(i: Value, j: Value) -> Any:
        """Of real matrices: a real vector of a real eigenvalue, and conjugate ones of conjugate ones."""
        if not _is_real(a):
            return rows[j][i]
        pair = rows[before(j, n)][i].conj()
        return select(w[j].imag < 0.0, pair, _real_if(w[j].imag == 0.0, rows[j][i]))

    return loops.vec(w[k] * scale for k in loops.range(n)), filled(n, n, entry), places


def before(k: Value, n: int | Size) -> Value:
    """The index before another one; of the first, itself."""
    return within(ops.itrunc(ops.max_(k - 1.0, 0.0)), n)


def _real_if(c: Value, z: Value) -> Any:
    return made(z.real, select(c, 0.0 * z.imag, z.imag))


def _real_values(t: Value) -> Value:
    """The eigenvalues of a real matrix, by its form of Schur."""
    n = t.shape[0]

    def value(k: Value) -> Any:
        after, above = within(k + 1, n), before(k, n)
        first = (k + 1 < n) & (t[after][k] != 0.0)
        second = (k > 0) & (t[k][above] != 0.0)
        low, high = select(second, above, k), select(first, after, k)
        imaginary = of_block(t[low][low], t[low][high], t[high][low], t[high][high])[1]
        return made(t[k][k], select(first, imaginary, select(second, -imaginary, 0.0)))

    return loops.vec(value(k) for k in loops.range(n))


def _vector(t: Value, z: Value, k: Value) -> Value:
    """The eigenvector of the number `k` of the diagonal of a triangle, times the unitary matrix."""
    n = t.shape[0]

    def step(i: Value, y: Value) -> Any:
        gap = t[i][i] - t[k][k]
        gap = select(abs(gap) < EPSILON, EPSILON + 0j, gap)
        total = loops.sum(t[i][j] * y[j] for j in loops.range(n))
        new = select(i < k, -total / gap, select(i == k, 1.0 + 0j, 0j))
        size = abs(new)
        by = select(size > FAR, 1.0 / select(size > FAR, size, 1.0), 1.0)
        return loops.vec(select(i == j, new, y[j]) * by for j in loops.range(n))

    y = control.scan(step, current_builder().zero(Vec(n, Complex)), loops.range(n - 1, -1, -1))
    return loops.vec(loops.sum(z[i][j] * y[j] for j in loops.range(n)) for i in loops.range(n))


def _largest(v: Value) -> Value:
    """The place of the largest of some complex numbers."""

    def larger(i: Value, best: tuple[Value, Value]) -> Any:
        size = abs(v[i])
        return select(size > best[0], size, best[0]), select(size > best[0], i, best[1])

    first = within(ops.itrunc(to_value(0.0, Real)), v.shape[0])
    return control.scan(larger, (-1.0, first), v.shape[0])[1]


def _unit(v: Value, place: Value) -> Value:
    """A vector of length 1, whose number at a place is real and positive."""
    n = v.shape[0]
    top = abs(v[place])
    near = loops.vec(v[i] / top for i in loops.range(n))
    length = ops.sqrt(loops.sum(abs(near[i]) ** 2 for i in loops.range(n)))
    turn = ops.sign(near[place]).conj() / length
    return loops.vec(_real_if(i == place, near[i] * turn) for i in loops.range(n))


# the derivative


@_decomposed.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    """The tangents of the values, and of the vectors, which keep their length, and the phases of their largest numbers.

    See Giles, Collected matrix derivative results (2008), for the values.
    """
    w, v, places = x
    n, most = w.shape[0], largest(abs(w), initial=0.0)
    moved = matmul(inverse(v), matmul(a.du, v))
    gap: Callable[[Any, Any], Any] = lambda i, j: abs(w[j] - w[i])
    close: Callable[[Any, Any], Any] = lambda i, j: (i != j) & is_close(gap(i, j), most)
    stays_real: Callable[[Any], Any] = lambda k: (w[k].imag == 0.0) & _is_real(a.re)

    def value(k: Value) -> Any:
        twice = control.scan(lambda i, so_far: so_far | close(i, k), False, n)
        return _real_if(stays_real(k), over(moved[k][k], to_value(1.0, Real), twice))

    def turned(i: Value, j: Value) -> Any:
        same = (i == j) | close(i, j)
        size = select(same, 1.0, gap(i, j))
        by = select(same, 1.0 + 0j, (w[j] - w[i]) / size).conj()
        return select(i == j, 0.0 * moved[i][j], over(moved[i][j], size, same) * by)

    free = matmul(v, filled(n, n, turned))

    def column(j: Value) -> Any:
        longer = loops.sum((v[i][j].conj() * free[i][j]).real for i in loops.range(n))
        turn = free[places[j]][j].imag / v[places[j]][j].real
        rest = loops.vec(free[i][j] - v[i][j] * made(longer, turn) for i in loops.range(n))
        return loops.vec(_real_if(stays_real(j), rest[i]) for i in loops.range(n))

    columns = loops.vec(column(j) for j in loops.range(n))
    return loops.vec(value(k) for k in loops.range(n)), filled(n, n, lambda i, j: columns[j][i]), None

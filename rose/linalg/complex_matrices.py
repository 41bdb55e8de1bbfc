"""Matrices of complex numbers: equations, inverses, determinants, and eigenvalues of Hermitian ones.

Elimination and substitution are those of real matrices, whose operators are of any numbers. Rules for derivatives are
theirs too, but that an eigenvector times a phase is an eigenvector: the derivative keeps `v.conj() @ dv` real, and 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar, cast

from ..errors import edge
from ..frontend.arrays.products import conjugate, matmul
from ..frontend.arrays.reductions import largest
from ..frontend.arrays.shapes import as_array, leaf_of, shape_of
from ..frontend.duals import DualVec
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.values import to_value
from ..host.marshal import is_listing
from ..ir import Value, current_builder, ops
from ..ir.sizes import differ
from ..ir.types import Complex, Real, Tuple, Vec, is_complex
from ..ir.value import host_index
from . import powers
from .elimination import SlogdetResult, factors, inverse, solution
from .gaps import is_close, over
from .matrices import adjoint, as_complex, batched, equations, filled, square, symmetric
from .powers import exponential
from .primitives import primitive
from .reduction import reduced
from .symmetric import EighResult, decomposed, half

F = TypeVar("F", bound=Callable[..., Any])


def also(f: F, of_complex: Callable[..., Any]) -> F:
    """A function of matrices, which is another one of complex numbers."""

    @edge
    @wraps(f)
    def outer(*args: Any, **named: Any) -> Any:
        return (of_complex if any(map(_has_complex, (*args[:2], *named.values()))) else f)(*args, **named)

    return cast("F", outer)


def _has_complex(x: Any) -> bool:
    if isinstance(x, Value):
        return is_complex(leaf_of(x.type))
    if is_listing(x):
        return any(map(_has_complex, x))
    return isinstance(x, complex) or getattr(getattr(x, "dtype", None), "kind", "") == "c"


def _complex(x: Any) -> Value:
    """An array with complex elements."""
    return as_complex(as_array(x))


# what users call


def solve(a: Any, b: Any) -> Any:
    """The solution `x` of `a @ x == b`; `b` is a vector, or a matrix of right sides."""
    return batched(solution, *equations(_complex(a), _complex(b), "solve"))


def inv(a: Any) -> Any:
    """The inverse of a square matrix, or of each of a batch."""
    return batched(inverse, [square(_complex(a), "inv")], [2])


def det(a: Any) -> Any:
    """The determinant of a square matrix, or of each of a batch."""
    return batched(_det, [square(_complex(a), "det")], [2])


def slogdet(a: Any) -> Any:
    """The direction of the determinant, a complex number of length 1, and the logarithm of its absolute value."""
    return SlogdetResult(*batched(_slogdet, [square(_complex(a), "slogdet")], [2]))


def eigh(a: Any, UPLO: str = "L", name: str = "eigh") -> Any:
    """The eigenvalues and eigenvectors of a Hermitian matrix, of which the lower half is read, or the upper one."""
    m = half(square(_complex(a), "eigh"), UPLO, name)
    return EighResult(*batched(_eigh, [m if UPLO in ("L", "l") else conjugate(m)], [2]))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """The eigenvalues of a Hermitian matrix, in ascending order."""
    return eigh(a, UPLO, "eigvalsh").eigenvalues


def expm(a: Any) -> Any:
    """The exponential of a square matrix, or of each of a batch."""
    return batched(partial(exponential, solved=solution), [square(_complex(a), "expm")], [2])


def matrix_power(a: Any, n: Any) -> Any:
    """The product of `n` times a square matrix; of its inverse, if `n` is below 0."""
    m = square(_complex(a), "matrix_power", 2)
    whole = host_index(n)
    if whole is None or whole >= 0:
        return powers.matrix_power(m, n) if whole else _complex(powers.matrix_power(m, n))
    return powers.matrix_power(as_array(inv(m)), -whole)


# determinants


@primitive("det", lambda _: Complex)
def _det(a: Value) -> Any:
    """The product of the pivots. Its tangent is by the inverse, and nan where there is none."""
    both, _, sign, _ = factors(a)
    return loops.prod(both[i][i] for i in loops.range(a.shape[0])) * sign


@_det.jvp
def _(x: Value, a: DualVec) -> Any:
    return _along(inverse(a.re), a.du) * x


def _along(inverse: Value, da: Value) -> Any:
    """The trace of `inverse @ da`."""
    n = da.shape[0]
    return loops.sum(da[i][j] * inverse[j][i] for i in loops.range(n) for j in loops.range(n))


@primitive("slogdet", lambda _: Tuple((Complex, Real)))
def _slogdet(a: Value) -> Any:
    both, _, sign, _ = factors(a)
    n = a.shape[0]
    direction = loops.prod(ops.sign(both[i][i]) for i in loops.range(n)) * sign
    return direction, loops.sum(ops.log(abs(both[i][i])) for i in loops.range(n))


@_slogdet.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    moved = _along(inverse(a.re), a.du)
    return x[0] * 1j * moved.imag, moved.real


# eigenvalues of Hermitian matrices


def _eigh(a: Value) -> Any:
    n = a.shape[0]
    return _decomposed(a) if differ(n, 0) else (current_builder().zero(Vec(n, Real)), a)


@primitive("eigh", lambda t: Tuple((Vec(shape_of(t)[0], Real), t)))
def _decomposed(a: Value) -> Any:
    """By reflections to three diagonals, whose phases go into the vectors: what is left is a real matrix."""
    n = a.shape[0]
    t, across = reduced(symmetric(a))
    q = adjoint(across)
    turns = control.scan(partial(_phase, t), to_value(1.0, Complex), n)[1]
    real = filled(n, n, lambda i, j: (turns[i].conj() * t[i][j] * turns[j]).real)
    w, v = decomposed(real)
    return w, matmul(filled(n, n, lambda i, j: q[i][j] * turns[j]), v)


def _phase(t: Value, i: Value, phase: Value) -> Any:
    """The phase of row `i + 1`, with which the number beside the diagonal is real."""
    n = t.shape[0]
    below = loops.sum(select(k == i + 1, t[k][i], 0j) for k in loops.range(n))
    return select(below == 0.0, phase, phase * ops.sign(below)), phase


@_decomposed.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    w, v = x
    moved, n = matmul(matmul(adjoint(v), symmetric(a.du)), v), w.shape[0]
    most = largest(abs(w), initial=0.0)

    def turned(i: Value, j: Value) -> Any:
        gap = w[j] - w[i]
        close, z = is_close(gap, most), moved[i][j]
        return select(i == j, 0.0 * z, over(z, gap, close))

    return loops.vec(moved[i][i].real for i in loops.range(n)), matmul(v, filled(n, n, turned))

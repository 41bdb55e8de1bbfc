"""Cholesky's factor of Hermitian matrices. Other factors of complex matrices are found as those of real ones."""

from __future__ import annotations

import math
from typing import Any

from ..frontend.arrays.products import matmul
from ..frontend.arrays.shapes import as_array
from ..frontend.duals import DualVec
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..frontend.values import to_value
from ..ir import Value, current_builder, ops
from ..ir.types import Bool, Complex, Tuple
from .matrices import adjoint, as_complex, batched, elem, filled, square, symmetric
from .positive_definite import or_nan
from .primitives import primitive
from .triangular import forward_divided


def cholesky(a: ArrayLike, *, upper: bool = False) -> Array:
    """The Cholesky factor of a Hermitian matrix, of which the lower half is read, or with `upper` the upper one."""
    m = square(as_complex(as_array(a)), "cholesky")
    return batched(_upper_cholesky if upper else _cholesky, [m], [2])


def _upper_cholesky(a: Value) -> Any:
    return adjoint(_cholesky(adjoint(a)))


def _cholesky(a: Value) -> Any:
    factor, definite = _factor(a)
    return or_nan(factor, definite)


@primitive("cholesky", lambda t: Tuple((t, Bool)))
def _factor(a: Value) -> Any:
    """The factor, and true; if the matrix is not positive definite, other finite numbers, and false."""
    n = a.shape[0]

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        upper, definite = state
        rest = accum(current_builder().zero(elem(a.type)))
        for j in loops.range(k, n):
            rest[j] += a[j][k].conj()
        for i in loops.range(k):
            factor = upper[i][k].conj()
            for j in loops.range(k, n):
                rest[j] -= factor * upper[i][j]
        row = rest.value
        square = row[k].real
        positive = (square > 0.0) & (square < math.inf)
        pivot, after = ops.sqrt(select(positive, square, 1.0)), accum(upper)
        after[k][k] += to_value(pivot, Complex)
        for j in loops.range(k + 1, n):
            after[k][j] += row[j] / pivot
        return after.value, definite & positive

    upper, definite = control.scan(step, (current_builder().zero(a.type), True), n)
    return adjoint(upper), definite


@_factor.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    """`l @ half(m)`, where `l @ m @ l.conj().T` is the tangent of the matrix, of whose diagonal half is taken.

    See Murray, Differentiation of the Cholesky decomposition (2016, arXiv:1602.07527).
    """
    l, n = x[0], x[0].shape[0]
    m = forward_divided(l, adjoint(forward_divided(l, symmetric(a.du))))
    half = filled(n, n, lambda i, j: select(i == j, 0.5 * m[i][j], select(j < i, m[i][j], 0.0 * m[i][j])))
    return matmul(l, half), None

"""Hessenberg's form of square matrices, of real or of complex numbers, by Householder's reflections.

See Golub and Van Loan, Matrix Computations (2013), section 7.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..frontend.arguments import lenient
from ..frontend.arrays.products import conjugate
from ..frontend.arrays.shapes import leaf_of, shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..frontend.values import to_value
from ..ir import Value, current_builder, ops
from ..ir.sizes import differ
from ..ir.types import Tuple
from .matrices import batched, elem, filled, magnitude, square
from .primitives import primitive


class HessenbergResult(NamedTuple):
    """A matrix that is zero below what is beside its diagonal, and a unitary one."""

    H: Array
    Q: Array


@lenient
def hessenberg(a: ArrayLike, calc_q: bool = False) -> Any:
    """Hessenberg's form `a == Q @ H @ Q.conj().T` of a square matrix, or of each of a batch, with `Q` unitary.

    `H` is zero below the numbers beside its diagonal; with `calc_q` the result is `(H, Q)`. Of a real matrix it is that
    of LAPACK; of a complex one the numbers beside the diagonal have other phases. There is no derivative.
    """
    found = HessenbergResult(*batched(_hessenberg_of, [square(a, "hessenberg", 1, 2)], [2]))
    return found if calc_q else found.H


def _hessenberg_of(a: Value) -> Any:
    return _hessenberg(a) if differ(a.shape[0], 0) else (a, a)


@primitive("hessenberg", lambda t: Tuple((t, t)))
def _hessenberg(a: Value) -> Any:
    scale = magnitude(a)
    h, across = reduced(a / scale)
    return h * scale, transpose(conjugate(across))


_hessenberg.refused = (
    "rose.linalg.hessenberg has no derivative: its signs jump where a column needs no reflection",
    "hold the matrix constant, by rose.stop_gradient; rose.linalg.eig and eigvals have a derivative",
)


def reduced(a: Value) -> tuple[Any, Any]:
    """Hessenberg's form, and the conjugate transpose of the unitary matrix."""
    n = a.shape[0]
    one = filled(n, n, lambda i, j: to_value(select(i == j, 1.0, 0.0), leaf_of(a.type)))

    def step(k: Value, state: tuple[Value, Value]) -> Any:
        h, across = state
        x = loops.vec(select(i > k, h[i][k], 0.0) for i in loops.range(n))
        first = loops.sum(select(i == k + 1, x[i], 0.0) for i in loops.range(n))
        below = loops.sum(select(i == k + 1, 0.0, abs(x[i]) * abs(x[i])) for i in loops.range(n))
        done = below == 0.0
        size = abs(first)
        length = ops.sqrt(size * size + below)
        pivot = _direction(first) * length
        v = loops.vec(select(i == k + 1, first + pivot, x[i]) for i in loops.range(n))
        by = select(done, 0.0, 1.0 / select(done, 1.0, length * (length + size)))
        adjoint = transpose(conjugate(_reflected(h, v, by)))
        both = transpose(conjugate(_reflected(adjoint, v, by)))
        clean = filled(n, n, lambda i, j: select((j == k) & (i > k + 1), 0.0, both[i][j]))
        return clean, _reflected(across, v, by)

    return control.scan(step, (a, one), n)


def _reflected(a: Value, v: Value, by: Value) -> Value:
    """`a - by * v @ (v.conj() @ a)`."""
    n = v.shape[0]
    along = accum(current_builder().zero(elem(a.type)))
    for i in loops.range(n):
        for j in loops.range(n):
            along[j] += v[i].conj() * a[i][j]
    sums, after = along.value, accum(a)
    for i in loops.range(n):
        for j in loops.range(n):
            after[i][j] -= by * v[i] * sums[j]
    return after.value


# reflections of a few rows


def mirror(x: Sequence[Value]) -> tuple[list[Any], Any]:
    """The reflection `1 - by * v @ v.conj().T` that leaves of a vector its first number alone: `v`, and `by`."""
    largest = ops.max_(*[abs(y) for y in x]) if len(x) == 2 else ops.max_(ops.max_(abs(x[0]), abs(x[1])), abs(x[2]))
    there = largest > 0.0
    size = select(there, largest, 1.0)
    v: list[Any] = [y / size for y in x]
    length = ops.sqrt(_sum([abs(y) * abs(y) for y in v]))
    v[0] = v[0] + _direction(v[0]) * length
    total = _sum([abs(y) * abs(y) for y in v])
    return v, select(there, 2.0 / select(there, total, 1.0), 0.0)


def _sum(terms: Sequence[Value]) -> Any:
    total = terms[0]
    for x in terms[1:]:
        total = total + x
    return total


def _direction(x: Value) -> Any:
    """The number of length 1 with the direction of another; of 0, 1."""
    return select(x == 0.0, to_value(1.0, x.type), ops.sign(x))


def on_the_left(a: Value, k: Value, v: Sequence[Value], by: Value) -> Value:
    """A matrix with its rows from `k` on reflected, as many as `v` has."""
    rows, columns = shape_of(a.type)
    at = [within(k + r, rows) for r in range(len(v))]
    along = loops.vec(by * _sum([y.conj() * a[i][j] for i, y in zip(at, v, strict=True)]) for j in loops.range(columns))
    after = accum(a)
    for j in loops.range(columns):
        for i, y in zip(at, v, strict=True):
            after[i][j] -= y * along[j]
    return after.value


def _on_the_right(a: Value, k: Value, v: Sequence[Value], by: Value) -> Value:
    rows, columns = shape_of(a.type)
    at = [within(k + r, columns) for r in range(len(v))]
    along = loops.vec(by * _sum([a[i][j] * y for j, y in zip(at, v, strict=True)]) for i in loops.range(rows))
    after = accum(a)
    for i in loops.range(rows):
        for j, y in zip(at, v, strict=True):
            after[i][j] -= along[i] * y.conj()
    return after.value


def on_both(h: Value, across: Value, k: Value, x: Sequence[Value]) -> tuple[Value, Value]:
    """A matrix reflected so that of `x`, in rows from `k` on, the first number alone is left; and what was done."""
    v, by = mirror(x)
    return _on_the_right(on_the_left(h, k, v, by), k, v, by), on_the_left(across, k, v, by)

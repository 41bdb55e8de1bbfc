"""The singular value decomposition by the bidiagonal form.

Householder's reflections make a matrix bidiagonal, and implicit QR steps make that diagonal, of the last block that is
not yet: see Golub and Van Loan, Matrix Computations (2013), section 8.6. Where a number of the diagonal is near 0, the
shift is 0, and the step is that of Demmel and Kahan, Accurate singular values of bidiagonal matrices (1990).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..frontend.arrays.products import conjugate
from ..frontend.arrays.shapes import leaf_of, shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..ir import Value, ops
from .matrices import adjoint, identity
from .reflections import reflected, reflected_by_all, reflection
from .tridiagonal import iterated, last_block, turned

NEAR = 2.0**-50  # beside a matrix whose largest number is 1: a number of the diagonal with which there is no shift


FAR = 2.0**-26  # beside the first number of a block: a shift that does nothing to it


class Bidiagonal(NamedTuple):
    """An upper bidiagonal matrix: its diagonal, and what is above it; of that the last number is 0."""

    diagonal: Any
    above: Any


class Turns(NamedTuple):
    """Rotations of each row against the next, from the first on, by their cosines and sines."""

    cosine: Any
    sine: Any


def diagonalised(a: Value) -> tuple[Any, Any, Any]:
    """Rows `u`, numbers `s` of any sign and order, and rows `v`, for a matrix that is not wider than high.

    The rows are orthonormal, and the matrix is `u.T * s @ v`. If the steps do not end, the numbers are nan.
    """
    start, u, v = _reduced(a)

    def step(diagonal: Value, above: Value, u: Value, v: Value) -> Any:
        block = last_block(above)
        after, left, right = _chased(Bidiagonal(diagonal, above), *block)
        return *_split(after), turned(u, *left, *block), turned(v, *right, *block)

    s, u, v = iterated(step, *_split(start), u, v)
    return u, s, v


def _reduced(a: Value) -> tuple[Bidiagonal, Any, Any]:
    """The bidiagonal form of a matrix, and the transposed products of the reflections from the left and the right."""
    m, n = shape_of(a.type)

    def step(k: Value, a: Value) -> Any:
        v, tau, pivot = reflection(loops.vec(a[i][k] for i in loops.range(m)), k)
        after = reflected(a, v, tau.conj(), k)
        w, by, beside = reflection(conjugate(after[k]), k + 1)
        return _from_the_right(after, w, by, k), (v, tau, pivot, w, by, beside)

    v, tau, pivot, w, by, beside = control.scan(step, a, n)[1]
    left, right = identity(m, n, leaf_of(a.type)), identity(n, of=leaf_of(a.type))
    left, right = reflected_by_all(left, v, tau), reflected_by_all(right, w, by)
    return Bidiagonal(pivot, beside), transpose(left), adjoint(right)


def _from_the_right(a: Value, v: Value, tau: Value, k: Value) -> Value:
    """`a - tau * (a @ v) @ v.conj()`, of the rows below row `k`."""
    (m, n), after = shape_of(a.type), accum(a)
    for i in loops.range(k + 1, m):
        along = tau * loops.sum(a[i][j] * v[j] for j in loops.range(k + 1, n))
        for j in loops.range(k + 1, n):
            after[i][j] -= along * v[j].conj()
    return after.value


def _split(b: Bidiagonal) -> Bidiagonal:
    """The same but for rounding: 0 for what is above the diagonal and small. Nan is as good as 0: nothing helps."""
    d, e = b

    def largest(k: Value, s: Value) -> Value:
        return ops.max_(s, ops.max_(abs(d[k]), abs(e[k])))

    norm = 8.0 * control.scan(largest, 0.0, d.shape[0])  # in whatever precision, smaller is what rounding leaves
    return Bidiagonal(d, loops.vec(select(norm + abs(e[k]) > norm, e[k], 0.0) for k in loops.range(d.shape[0])))


def _chased(b: Bidiagonal, first: Any, end: Any) -> tuple[Bidiagonal, Turns, Turns]:
    """An implicit QR step of a block, and the rotations of the rows from the left and from the right."""
    d, e, n = *b, b.diagonal.shape[0]
    shift, plain = _shift(b, first, end)

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        x, y, now, beside, cosine, old_cosine, old_sine = state
        begins, active, ends = k == first, (k >= first) & (k < end), (k == end) & (end > 0.0)
        now, beside = select(k == 0, d[k], now), select(k == 0, e[k], beside)
        cosine, old_cosine = select(begins, 1.0, cosine), select(begins, 1.0, old_cosine)
        sign, there = ops.copysign(1.0, now), now != 0.0
        shifted = (abs(now) - shift) * (sign + select(there, shift / select(there, now, 1.0), 0.0))
        by_x = select(plain, d[k] * cosine, select(begins, shifted, x))
        by_y = select(plain, e[k], select(begins, beside, y))
        c, s, r = _rotation(by_x, by_y, active)
        after, more = d[(k + 1) % n], e[(k + 1) % n]
        x_left = select(plain, old_cosine * r, c * now + s * beside)
        c2, s2, r2 = _rotation(x_left, s * after, active)
        h = d[k] * cosine
        diagonal = select(active, r2, select(plain & ends, h * old_cosine, now))
        above = select(plain, select(ends, h * old_sine, old_sine * r), select(active, r, x))
        is_new = (active & ~begins) | ends
        rest, low = c * beside - s * now, c * after
        going = active & (k + 1.0 < end)
        state = (
            c2 * rest + s2 * low, s2 * more, select(active, c2 * low - s2 * rest, after),
            select(going, c2 * more, more), c, c2, s2,
        )  # fmt: skip
        return state, (diagonal, select(is_new, above, e[(k + n - 1) % n]), c2, s2, c, s)

    diagonal, above, *turns = control.scan(step, (0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0), n)[1]
    above = loops.vec(above[(k + 1) % n] for k in loops.range(n))
    return Bidiagonal(diagonal, above), Turns(*turns[:2]), Turns(*turns[2:])


def _rotation(x: Value, y: Value, active: Value) -> tuple[Any, Any, Any]:
    """The cosine and the sine of the rotation that makes `y` 0, and what `x` becomes; or none."""
    length = ops.sqrt(x * x + y * y)
    turns = active & (length > 0.0)
    by = select(turns, length, 1.0)
    return select(turns, x / by, 1.0), select(turns, y / by, 0.0), select(turns, length, x)


def _shift(b: Bidiagonal, first: Value, end: Value) -> tuple[Any, Any]:
    """The smaller singular value of the last two rows of a block; and whether the step does better without it."""
    d, e, n = *b, b.diagonal.shape[0]

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        shift, top, least = state
        x, y, z = abs(d[k]), abs(d[(k + 1) % n]), e[k]
        lengths = ops.hypot(x + y, z) + ops.hypot(x - y, z)
        smaller = select(lengths > 0.0, 2.0 * x * y / select(lengths > 0.0, lengths, 1.0), 0.0)
        inside = (k >= first) & (k <= end)
        return (
            select(k + 1.0 == end, smaller, shift), select(k == first, x, top),
            select(inside, ops.min_(least, x), least),
        )  # fmt: skip

    shift, top, least = control.scan(step, (0.0, 0.0, 1.0), n)
    return shift, (least <= NEAR) | (shift <= FAR * top)

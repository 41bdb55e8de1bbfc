"""The eigenvalues of symmetric matrices by their tridiagonal form.

Householder's reflections make a matrix tridiagonal, and implicit QR steps with Wilkinson's shift make that diagonal, of
the last block that is not yet. See Golub and Van Loan, Matrix Computations (2013), section 8.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..frontend.arrays.shaping import transpose
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select
from ..ir import Value, ops
from .matrices import identity
from .reflections import reflected_by_all, reflection

STEPS = 30.0  # for each row, at most; some two are enough
LEAST = 2.0**-60  # beside a matrix whose largest number is 1: nothing


class Tridiagonal(NamedTuple):
    """A symmetric tridiagonal matrix: its diagonal, and what is beside it; of that the last number is 0."""

    diagonal: Any
    beside: Any


def diagonalised(a: Value) -> tuple[Any, Any]:
    """The eigenvalues of a symmetric matrix, in any order, and the eigenvectors in the rows of a matrix.

    If the steps do not end, the eigenvalues are nan.
    """
    t, rows = _reduced(a)

    def step(diagonal: Value, beside: Value, rows: Value) -> Any:
        block = last_block(beside)
        after, (cosine, sine) = _chased(Tridiagonal(diagonal, beside), *block)
        return *_split(after), turned(rows, cosine, sine, *block)

    return iterated(step, *_split(t), rows)


def iterated(step: Callable[..., Any], diagonal: Value, beside: Value, *rows: Value) -> Any:
    """Steps until nothing is beside the diagonal: that, nan if they do not end, and the rows that were turned."""
    n = diagonal.shape[0]
    more: Callable[[Any], Any] = lambda s: (
        (s[-1] / n < STEPS) & control.scan(lambda k, there: there | (s[1][k] != 0.0), False, n)
    )
    after: Callable[[Any], Any] = lambda s: (*step(*s[:-1]), s[-1] + 1.0)
    values, _, *others, count = control.while_loop(more, after, (diagonal, beside, *rows, 0.0))
    return loops.vec(select(count / n < STEPS, values[k], math.nan) for k in loops.range(n)), *others


def _reduced(a: Value) -> tuple[Tridiagonal, Any]:
    """The tridiagonal form of a symmetric matrix, and the transposed product of the reflections that make it."""
    n = a.shape[0]

    def step(k: Value, a: Value) -> Any:
        v, tau, pivot = reflection(loops.vec(a[i][k] for i in loops.range(n)), k + 1)
        return _on_both_sides(a, v, tau, k), (v, tau, a[k][k], pivot)

    v, tau, diagonal, beside = control.scan(step, a, n)[1]
    return Tridiagonal(diagonal, beside), transpose(reflected_by_all(identity(n), v, tau))


def _on_both_sides(a: Value, v: Value, tau: Value, k: Value) -> Value:
    """`h @ a @ h` with `h == 1 - tau * v @ v.T`: what is right of column `k`, and below row `k`."""
    n, after = a.shape[0], accum(a)
    p = loops.vec(tau * loops.sum(a[i][j] * v[j] for j in loops.range(n)) for i in loops.range(n))
    half = 0.5 * tau * loops.sum(p[i] * v[i] for i in loops.range(n))
    w = loops.vec(select(i > k, p[i] - half * v[i], 0.0) for i in loops.range(n))
    for i in loops.range(k + 1, n):
        for j in loops.range(n):
            after[i][j] -= v[i] * w[j] + w[i] * v[j]
    return after.value


def _split(t: Tridiagonal) -> Tridiagonal:
    """The same but for rounding: 0 for what is beside the diagonal and small. Nan is as good as 0: nothing helps."""
    d, e, n = *t, t.diagonal.shape[0]

    def is_large(k: Value) -> Value:
        around = abs(d[k]) + abs(d[(k + 1) % n]) + LEAST
        return around + abs(e[k]) > around  # in whatever precision

    return Tridiagonal(d, loops.vec(select(is_large(k), e[k], 0.0) for k in loops.range(n)))


def _chased(t: Tridiagonal, first: Any, end: Any) -> tuple[Tridiagonal, Any]:
    """An implicit QR step of a block, and the cosines and sines by which each row is turned against the next.

    The first rotation is that of the shifted matrix; it makes a number outside of the diagonals, which the next ones
    move down.
    """
    d, e, n = *t, t.diagonal.shape[0]
    shift = _shift(t, end)

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        before, outside, now, beside = state  # what is beside row `k` on both sides, and the number outside
        now, beside = select(k == 0, d[k], now), select(k == 0, e[k], beside)
        active, begins = (k >= first) & (k < end), k == first
        x, y = select(begins, now - shift, before), select(begins, beside, outside)
        length = ops.sqrt(x * x + y * y)
        turns = active & (length > 0.0)
        c, s = [select(turns, z / select(turns, length, 1.0), u) for z, u in ((x, 1.0), (y, 0.0))]
        after, more = d[(k + 1) % n], e[(k + 1) % n]
        both = 2.0 * c * s * beside
        out = c * c * now + both + s * s * after, select(active & ~begins, length, before), c, s
        new = c * s * (after - now) + (c * c - s * s) * beside
        return (new, s * more, s * s * now - both + c * c * after, c * more), out

    diagonal, beside, *turns = control.scan(step, (0.0, 0.0, 0.0, 0.0), n)[1]
    return Tridiagonal(diagonal, loops.vec(beside[(k + 1) % n] for k in loops.range(n))), turns


def last_block(beside: Value) -> tuple[Any, Any]:
    """The first and the last row, as numbers, of the last block that has something beside its diagonal."""

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        start, first, end = state
        there = beside[k] != 0.0
        return select(there, start, k + 1.0), select(there, start, first), select(there, k + 1.0, end)

    return control.scan(step, (0.0, 0.0, 0.0), beside.shape[0])[1:]


def _shift(t: Tridiagonal, end: Value) -> Value:
    """Wilkinson's shift: of the eigenvalues of the last two rows of a block the one near the last number."""

    def step(k: Value, state: Value) -> Any:
        d, e, n = *t, t.diagonal.shape[0]
        low = d[(k + 1) % n]
        half = 0.5 * (d[k] - low)
        by = half + ops.copysign(ops.hypot(half, e[k]), half)
        return select(k + 1.0 == end, low - e[k] / by * e[k], state)

    return control.scan(step, 0.0, t.diagonal.shape[0])


def turned(rows: Value, cosine: Value, sine: Value, first: Value, end: Value) -> Value:
    """The rows of a block, each turned against the next, from the first on."""
    n, m = rows.shape

    low, high = [within(ops.itrunc(k), n) for k in (first, end)]

    def step(k: Value, state: tuple[Value, Value]) -> Any:
        rows, now = state
        c, s, after = cosine[k], sine[k], rows[within(k + 1, n)]
        out = loops.vec(c * now[j] + s * after[j] for j in loops.range(m))
        return rows.at[k].set(out), loops.vec(c * after[j] - s * now[j] for j in loops.range(m))

    rows, last = control.scan(step, (rows, rows[low]), loops.range(low, high))
    return rows.at[high].set(last)

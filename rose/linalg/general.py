"""Eigenvalues of matrices that need not be symmetric: real numbers, and pairs of conjugate complex ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.arrays.shaping import transpose
from ..frontend.duals import DualVec
from ..frontend.language import control, loops
from ..frontend.language.accumulators import accum
from ..frontend.language.select import select, stop_gradient
from ..frontend.language.vectors import norm
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, ops
from ..ir.sizes import Size, differ
from ..ir.types import Tan, Tuple
from .elimination import solution
from .matrices import batched, elem, filled, magnitude, square
from .primitives import primitive
from .reflections import householder

STEPS = 30  # for a row, at most; two or three are enough for most
EVERY = 10  # steps, one has shifts of its own, by which no matrix stays as it is
NOTHING = 2.0**-53  # of what is left beside the diagonal, in comparison to it


Block = tuple[Value, Value, Value, Value]  # the elements of two rows and columns
Complex = tuple[Value, Value]  # the real and the imaginary parts of a vector


class EigvalsResult(NamedTuple):
    """The real and the imaginary parts of eigenvalues."""

    re: Array
    im: Array


@lenient
def eigvals(a: ArrayLike) -> EigvalsResult:
    """The eigenvalues of a square matrix, or of each of a batch: their real parts `re`, and their imaginary parts `im`.

    They are no complex numbers: an eigenvalue is real where its `im` is 0.0, and two that are conjugate stand side by
    side, that with the positive `im` first. The order is otherwise as the iteration finds them. By QR steps with the
    double shift of Francis, in `n ** 3` operations each and some two of them for a row: for up to some 50 rows. Where
    they do not converge, and of nan, the result is nan. Derivatives exist to any order, for some `8 * n ** 4`
    operations, where the eigenvalues differ; those of one that is there twice are nan or infinite, or what rounding
    makes of them. Of symmetric matrices `eigvalsh` is faster, and has derivatives there.
    """
    return EigvalsResult(*batched(_eigvals_of, [square(a, "eigvals")], [2]))


def _eigvals_of(a: Value) -> tuple[Any, Any]:
    if not differ(a.shape[0], 0):
        none = current_builder().zero(elem(a.type))
        return none, none
    return _found(a)


# the iteration


@primitive("eigvals", lambda t: Tuple((elem(t), elem(t))))
def _found(a: Value) -> tuple[Any, Any]:
    """The eigenvalues, the last ones first: those of the last one or two rows of what is left, `m` rows of `h`."""
    n, scale = a.shape[0], magnitude(a)
    none = current_builder().zero(elem(a.type))

    def step(state: tuple[Value, ...]) -> Any:
        h, m, re, im, tries = state
        block = _last(h, m)
        one, two = _left(h, m, block)
        (x, y), imaginary = _of_block(*block)
        last, before = select(one, block[3], y), x
        is_last: Callable[[Any], Any] = lambda i: (i + 1.0 == m) & (one | two)
        is_before: Callable[[Any], Any] = lambda i: (i + 2.0 == m) & two
        new_re = loops.vec(select(is_last(i), last, select(is_before(i), before, re[i])) for i in loops.range(n))
        part = select(two, imaginary, 0.0)
        new_im = loops.vec(select(is_last(i), -part, select(is_before(i), part, im[i])) for i in loops.range(n))
        done = one | two
        after = control.cond(done, lambda: h, lambda: _stepped(h, m, block, tries))
        return after, select(one, m - 1.0, select(two, m - 2.0, m)), new_re, new_im, select(done, 0.0, tries + 1.0)

    more: Callable[[Any], Any] = lambda s: (s[1] > 0.0) & (s[4] < STEPS * n)
    start = filled(n, n, lambda i, j: a[i][j] / scale)
    rows = loops.sum(1.0 for _ in loops.range(n))
    _, m, re, im, _ = control.while_loop(more, step, (start, rows, none, none, 0.0))
    by = select(m > 0.0, math.nan, scale)
    return loops.vec(re[i] * by for i in loops.range(n)), loops.vec((im[i] + 0.0) * by for i in loops.range(n))


def _last(h: Value, m: Value) -> Block:
    """The last two rows and columns of the first `m`; of a single row, zeros beside it."""
    n = h.shape[0]
    at: Callable[[int, int], Any] = lambda k, l: loops.sum(
        select((i + float(k) == m) & (j + float(l) == m), h[i][j], 0.0) for i in loops.range(n) for j in loops.range(n)
    )
    return at(2, 2), at(2, 1), at(1, 2), at(1, 1)


def _left(h: Value, m: Value, block: Block) -> tuple[Any, Any]:
    """Whether the last of the first `m` rows has its diagonal alone; or the last two their block alone."""
    n = h.shape[0]

    def beside(rows: float) -> Value:
        return loops.sum(
            select((i + rows >= m) & (i < m) & (j + rows < m), abs(h[i][j]), 0.0)
            for i in loops.range(n)
            for j in loops.range(n)
        )

    size = abs(block[0]) + abs(block[3])
    least = NOTHING * select(size == 0.0, 1.0, size)
    one = beside(1.0) <= least
    return one, (beside(2.0) <= least) & ~one


def _of_block(a: Value, b: Value, c: Value, d: Value) -> tuple[tuple[Any, Any], Any]:
    """The real parts of the eigenvalues of two rows, and the imaginary part of the first."""
    half, other = 0.5 * (a - d), b * c
    rest = half * half + other
    root = ops.sqrt(abs(rest))
    far = half + ops.copysign(root, half)
    near = select(far == 0.0, 0.0, other / select(far == 0.0, 1.0, far))
    is_real = rest >= 0.0
    return (select(is_real, d + far, d + half), select(is_real, d - near, d + half)), select(is_real, 0.0, root)


def _stepped(h: Value, m: Value, block: Block, tries: Value) -> Value:
    """`q.T @ h @ q`, with the orthogonal factor `q` of `(h - s) @ (h - t)`: `s` and `t` are the block's eigenvalues.

    With both at once all numbers are real. All elements take part, so that zeros among them stop nothing.
    """
    n, (a, b, c, d) = h.shape[0], block
    inside: Callable[[Any, Any], Any] = lambda i, j: (i < m) & (j < m)
    here = filled(n, n, lambda i, j: select(inside(i, j), h[i][j], 0.0))
    other = (tries + 1.0) % float(EVERY) == 0.0
    size = abs(b) + abs(c) + abs(a - d)
    total, product = select(other, 1.5 * size, a + d), select(other, size * size, a * d - b * c)
    twice = matmul(here, here)
    one: Callable[[Any, Any], Any] = lambda i, j: select(i == j, 1.0, 0.0)
    shifted: Callable[[Any, Any], Any] = lambda i, j: twice[i][j] - total * here[i][j] + product * one(i, j)
    q, _ = householder(filled(n, n, lambda i, j: select(inside(i, j), shifted(i, j), one(i, j))))
    return matmul(matmul(transpose(q), here), q)


# the derivative


@_found.jvp
def _(x: tuple[Value, ...], a: DualVec) -> Any:
    re, im = x
    moved = loops.vec(_moved(a.re, a.du, re[k], im[k]) for k in loops.range(re.shape[0]))
    return tuple([loops.vec(moved[k][i] for k in loops.range(re.shape[0])) for i in (0, 1)])


def _moved(a: Value, da: Value, re: Value, im: Value) -> tuple[Any, Any]:
    """The tangent of an eigenvalue: `y @ da @ x / (y @ x)`, with its right and its left eigenvector, complex conjugate.

    They solve equations with a border, which is regular where the eigenvalue is there once: of any vectors at first,
    then of the eigenvectors themselves, in which the result does not depend on the border.
    """
    n = a.shape[0]
    start = loops.vec(1.0 + 0.5 * ops.sin(3.0 * i + 1.0) for i in loops.range(n)), current_builder().zero(elem(a.type))
    first = _vectors(a, re, im, start, start)
    x, y = _vectors(a, re, im, *[_unit(v) for v in first])
    total_re = loops.sum(y[0][i] * x[0][i] + y[1][i] * x[1][i] for i in loops.range(n))
    total_im = loops.sum(y[0][i] * x[1][i] - y[1][i] * x[0][i] for i in loops.range(n))
    still = current_builder().zero(Tan)
    along_re, along_im = accum(still), accum(still)
    for i in loops.range(n):
        for j in loops.range(n):
            along_re += da[i][j] * (y[0][i] * x[0][j] + y[1][i] * x[1][j])
            along_im += da[i][j] * (y[0][i] * x[1][j] - y[1][i] * x[0][j])
    by = 1.0 / (total_re * total_re + total_im * total_im)
    u, v = along_re.value, along_im.value
    return (u * total_re + v * total_im) * by, (v * total_re - u * total_im) * by


def _unit(v: Complex) -> Any:
    """A vector of length 1, which does not move."""
    n = v[0].shape[0]
    by = stop_gradient(1.0 / norm(loops.vec(ops.hypot(v[0][i], v[1][i]) for i in loops.range(n))))
    return tuple([loops.vec(stop_gradient(part[i]) * by for i in loops.range(n)) for part in v])


def _vectors(a: Value, re: Value, im: Value, c: Complex, b: Complex) -> tuple[Any, Any]:
    """The right and the left eigenvector, whose products with `c` and `b` are 1."""
    n = a.shape[0]
    size: Any = 2 * n + 2

    def entry(i: Value, j: Value) -> Value:
        upper, left = i < n, j < n
        row, column = i % n, j % n
        here, turned = a[row][column] - select(row == column, re, 0.0), select(row == column, im, 0.0)
        inner = select(upper, select(left, here, turned), select(left, -turned, here))
        right, other_right = select(upper, b[0][row], b[1][row]), select(upper, -b[1][row], b[0][row])
        below, other_below = select(left, c[0][column], c[1][column]), select(left, -c[1][column], c[0][column])
        inside, within = i < 2 * n, j < 2 * n
        beside, beneath = select(j == 2 * n, right, other_right), select(i == 2 * n, below, other_below)
        return select(inside, select(within, inner, beside), select(within, beneath, 0.0))

    bordered = filled(size, size, entry)
    unit = loops.vec(select(i == 2 * n, 1.0, 0.0) for i in loops.range(size))
    return _halves(solution(bordered, unit), n), _halves(solution(transpose(bordered), unit), n)


def _halves(z: Value, n: int | Size) -> tuple[Any, Any]:
    return loops.vec(z[i] for i in loops.range(n)), loops.vec(z[n + i] for i in loops.range(n))

"""Schur's form of square matrices, of real or of complex numbers, by QR steps.

Of a matrix of the form of Hessenberg implicit QR steps make the numbers beside the diagonal zero, the last ones first:
with the double shift of Francis of a real matrix, so that its numbers stay real, and with Wilkinson's single shift of a
complex one. A step is reflections of a few rows, and of as many columns, one below the other. See Golub and Van Loan,
Matrix Computations (2013), section 7.5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import OutOfRange, argument, here
from ..frontend.arguments import lenient
from ..frontend.arrays.products import conjugate
from ..frontend.arrays.shapes import array_type, leaf_of, shape_of
from ..frontend.arrays.shaping import transpose
from ..frontend.index_expressions import within
from ..frontend.language import control, loops
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..frontend.values import to_value
from ..ir import Value, ops, shown
from ..ir.sizes import Size, differ
from ..ir.types import Complex, Real, Tuple
from .matrices import batched, filled, magnitude, square
from .primitives import primitive
from .reduction import on_both, reduced

STEPS = 30.0  # for a row, at most; two or three are enough for most
EVERY = 10.0  # steps, one has shifts of its own, by which no matrix stays as it is
NOTHING = 2.0**-53  # of what is left beside the diagonal, in comparison to it


class SchurResult(NamedTuple):
    """An upper triangular matrix, or one with blocks of two rows, and a unitary one."""

    T: Array
    Z: Array


class State(NamedTuple):
    """A matrix of the form of Hessenberg, and what was done to it: of its first `left` rows the form is not yet found.

    A real matrix has a row and a column of zeros more, as reflections of three rows end there.
    """

    h: Any
    across: Any  # the conjugate transpose of the unitary matrix
    left: Any
    tries: Any


@lenient
def schur(a: ArrayLike, output: str = "real") -> SchurResult:
    """Schur's form `a == Z @ T @ Z.conj().T` of a square matrix, or of each of a batch, with `Z` unitary.

    `T` is upper triangular, with the eigenvalues on its diagonal, and complex: of a complex matrix, and with
    `output="complex"` of any. Else `Z` and `T` are real, and `T` has a block of two rows, with equal numbers on its
    diagonal, for each pair of conjugate eigenvalues. They come in the order in which the steps find them, which need
    not be that of LAPACK. Where they do not converge, and of nan, the result is nan. There is no derivative: the
    numbers above the diagonal depend on that order, and `Z` on phases. Eigenvalues, and `eig`, have theirs.
    """
    if output not in ("real", "r", "complex", "c"):
        at = here().narrow(argument(1, "output", 2))
        raise OutOfRange(f"rose.linalg.schur has no output {shown(output)}", at, 'write "real" or "complex"')
    m = square(a, "schur", 1, 2)
    return SchurResult(*batched(_complex_schur_of if output.startswith("c") else _schur_of, [m], [2]))


def _schur_of(a: Value) -> Any:
    return _schur(a) if differ(a.shape[0], 0) else (a, a)


def _complex_schur_of(a: Value) -> Any:
    found = _schur_of(a)
    return found if leaf_of(a.type) is Complex else triangular(*found)


@primitive("schur", lambda t: Tuple((t, t)))
def _schur(a: Value) -> Any:
    return schur_of(a)


_schur.refused = (
    "rose.linalg.schur has no derivative: what is above the diagonal depends on the order of the eigenvalues",
    "write rose.linalg.eig or eigvals, which have one; or hold the matrix constant, by rose.stop_gradient",
)


# Schur's form


def schur_of(a: Value) -> tuple[Any, Any]:
    """Schur's form and the unitary matrix; nan, if the steps do not converge."""
    n, scale, leaf = a.shape[0], magnitude(a), leaf_of(a.type)
    h, across = reduced(a / scale)
    if leaf is Real:
        more: Any = n + 1
        h = filled(more, more, lambda i, j: select((i < n) & (j < n), h[within(i, n)][within(j, n)], 0.0))
        across = filled(more, n, lambda i, j: select(i < n, across[within(i, n)][j], 0.0))
    step: Callable[..., Any] = _real_step if leaf is Real else _complex_step
    again: Callable[[Any], Any] = lambda s: (s[2] > 0.0) & (s[3] < STEPS * rows)
    rows = loops.sum(1.0 for _ in loops.range(n))
    found = control.while_loop(again, lambda s: step(State(*s), n), (h, across, rows, 0.0))
    by = select(found[2] > 0.0, math.nan, 1.0)
    t = filled(n, n, lambda i, j: select(i > j + 1, 0.0, found[0][i][j]) * (by * scale))
    return t, filled(n, n, lambda i, j: found[1][j][i].conj() * by)


def _split(s: State, n: int | Size) -> tuple[Value, Any]:
    """What is beside the diagonal as 0 where it is small; and the first row of the last block of what is left.

    Small is what is nothing beside the numbers around it, so that small eigenvalues keep their digits; and after some
    steps, what is nothing beside the largest number: of a singular matrix all numbers around may be rounding.
    """
    h, size, least = s.h, s.h.shape[0], select(s.tries < EVERY, 0.0, 4.0)

    def entry(i: Value, j: Value) -> Any:
        around = abs(h[i][i]) + abs(h[j][j])
        small = abs(h[i][j]) <= NOTHING * select(around == 0.0, 1.0, ops.max_(around, least))
        return select((i > j + 1) | ((i == j + 1) & small), 0.0, h[i][j])

    clean = filled(size, size, entry)

    def begins(k: Value, first: Value) -> Any:
        above = loops.sum(select(j + 1 == k, abs(clean[k][j]), 0.0) for j in loops.range(size))
        return select((k < s.left) & (above == 0.0), k + 0.0, first)

    return clean, control.scan(begins, 0.0, loops.range(n))


def _at(k: Value, n: int | Size) -> Value:
    return within(ops.itrunc(k), n)


def _chased(s: State, n: int | Size, first: Value, x: tuple[Value, ...]) -> State:
    """A QR step of the last block: what the first reflection, of `x`, puts below is moved down by the next ones."""
    size, width = s.h.shape[0], len(x)

    def step(k: Value, state: tuple[Any, ...]) -> Any:
        h, across, *x = state
        h, across = on_both(h, across, k, x)
        below = [within(k + 1 + r, size) for r in range(width)]
        beyond = (k + 1.0) + float(width - 1) >= s.left
        after = [h[i][k] for i in below]
        after[-1] = select(beyond, after[-1] * 0.0, after[-1])
        return h, across, *after

    steps = loops.range(_at(first, n), _at(s.left - 1.0, n))
    h, across, *_ = control.scan(step, (s.h, s.across, *x), steps)
    return State(h, across, s.left, s.tries + 1.0)


def _complex_step(s: State, n: int | Size) -> Any:
    h, first = _split(s, n)
    s = s._replace(h=h)

    def stepped() -> Any:
        f, m, l = _at(first, n), _at(s.left - 2.0, n), _at(s.left - 1.0, n)
        a, b, c, d = h[m][m], h[m][l], h[l][m], h[l][l]
        half = 0.5 * (a - d)
        root = ops.sqrt(half * half + b * c)
        far = half + select((half.conj() * root).real < 0.0, -root, root)
        wilkinson = d - select(far == 0.0, 0j, b * c / select(far == 0.0, 1.0 + 0j, far))
        shift = select(_is_other(s), d + 0.75 * abs(c), wilkinson)
        return tuple(_chased(s, n, first, (h[f][f] - shift, h[within(f + 1, n)][f])))

    return control.cond(s.left - first == 1.0, lambda: (h, s.across, s.left - 1.0, 0.0), stepped)


def _is_other(s: State) -> Any:
    """Whether a step has shifts of its own."""
    return (s.tries + 1.0) % EVERY == 0.0


def _real_step(s: State, n: int | Size) -> Any:
    h, first = _split(s, n)
    s = s._replace(h=h)
    done = lambda: (h, s.across, s.left - 1.0, 0.0)
    longer = lambda: control.cond(s.left - first == 2.0, lambda: _standard(s, n), lambda: _francis(s, n, first))
    return control.cond(s.left - first == 1.0, done, longer)


def _francis(s: State, n: int | Size, first: Value) -> Any:
    """A step with both eigenvalues of the last two rows as shifts: what it does to the first column is real."""
    h = s.h
    f, o, m, l = _at(first, n), _at(s.left - 3.0, n), _at(s.left - 2.0, n), _at(s.left - 1.0, n)
    g, e = within(f + 1, n), within(f + 2, n)
    a, b, c, d = h[m][m], h[m][l], h[l][m], h[l][l]
    size, other = abs(c) + abs(h[m][o]), _is_other(s)
    total, product = select(other, 1.5 * size, a + d), select(other, size * size, a * d - b * c)
    x = h[f][f] * h[f][f] + h[f][g] * h[g][f] - total * h[f][f] + product
    return tuple(_chased(s, n, first, (x, h[g][f] * (h[f][f] + h[g][g] - total), h[g][f] * h[e][g])))


def _standard(s: State, n: int | Size) -> Any:
    """The last block, of two rows: triangular if its eigenvalues are real, else with equal numbers on its diagonal.

    See Bai and Demmel, On swapping diagonal blocks in real Schur form (1993).
    """
    h = s.h
    f, g = _at(s.left - 2.0, n), _at(s.left - 1.0, n)
    a, b, c, d = h[f][f], h[f][g], h[g][f], h[g][g]
    value, imaginary = of_block(a, b, c, d)
    total, gap = b + c, a - d
    length = ops.hypot(total, gap)
    there = length > 0.0
    cosine = ops.sqrt(0.5 * (1.0 + select(there, abs(total) / select(there, length, 1.0), 1.0)))
    sine = select(there, -ops.copysign(0.5, total) * gap / select(there, length * cosine, 1.0), 0.0)
    is_real = imaginary == 0.0
    x = select(is_real, value - d, cosine), select(is_real, c, sine), 0.0 * c
    turned, across = on_both(h, s.across, f, x)
    middle = 0.5 * (a + d)
    clean = turned.at[g, f].set(select(is_real, 0.0, turned[g][f]))
    clean = clean.at[f, f].set(select(is_real, clean[f][f], middle))
    clean = clean.at[g, g].set(select(is_real, clean[g][g], middle))
    done = is_real | (of_block(middle, clean[f][g], clean[g][f], middle)[1] > 0.0)  # else rounding made them real
    return clean, across, select(done, s.left - 2.0, s.left), select(done, 0.0, s.tries + 1.0)


def of_block(a: Value, b: Value, c: Value, d: Value) -> tuple[Any, Any]:
    """The real part of the eigenvalue of two rows that is far from `d`, and its imaginary part, not below 0."""
    half, other = 0.5 * (a - d), b * c
    rest = half * half + other
    root = ops.sqrt(abs(rest))
    is_real = rest >= 0.0
    return d + half + select(is_real, ops.copysign(root, half), 0.0), select(is_real, 0.0, root)


def triangular(t: Value, z: Value) -> tuple[Any, Any]:
    """The complex form of Schur, by the real one: each block of two rows is made triangular by a reflection."""
    n, scale, of = t.shape[0], magnitude(t), array_type(shape_of(t.type), Complex)

    def step(k: Value, state: tuple[Value, Value]) -> Any:
        t, across = state
        after = within(k + 1, n)
        c = select(k + 1 < n, t[after][k], 0j)

        def turned() -> Any:
            a, b, d = t[k][k], t[k][after], t[after][after]
            half = 0.5 * (a - d)
            x = half + ops.sqrt(half * half + b * c)
            moved, done = on_both(t, across, k, [x, c])
            return moved.at[after, k].set(0j), done

        return control.cond(c == 0.0, lambda: (t, across), turned)

    t, across = control.scan(step, (to_value(t / scale, of), transpose(to_value(z, of))), n)
    return t * scale, transpose(conjugate(across))

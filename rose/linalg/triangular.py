"""Equations with triangular matrices, by substitution. A right side is a vector, or a matrix: one in each column."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..errors import OutOfRange, argument, here
from ..frontend.arguments import lenient
from ..frontend.arrays.products import conjugate
from ..frontend.duals import DualVec
from ..frontend.language import control, loops
from ..frontend.language.accumulators import Accum, accum
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder, shown
from ..ir.types import Vec
from .blocks import SIDE, blocks, flat, padded, pay
from .matrices import batched, elem, equations, filled
from .primitives import Primitive


@lenient
def solve_triangular(
    a: ArrayLike, b: ArrayLike, trans: int | str = 0, lower: bool = False, unit_diagonal: bool = False
) -> Array:
    """The solution `x` of `a @ x == b` for a triangular `a`, of which only the lower or the upper half is read.

    `b` is a vector, or a matrix of right sides; leading axes are those of a batch. `trans` is SciPy's: 0 or "N"; or 1,
    "T", with which it is the solution of `transpose(a) @ x == b`, or 2 or "C", of that with conjugate numbers. With
    `unit_diagonal` the diagonal is 1. A 0 on the diagonal gives infinities and nan.
    """
    (m, y), ranks = equations(a, b, "solve_triangular", counts=(2, 3, 4, 5))
    across = is_transposed(trans, "solve_triangular", 3, 4, 5)
    given = [conjugate(m) if trans in (2, "C") else m, y], ranks
    return batched(partial(by_half, lower=bool(lower), transposed=across, unit=bool(unit_diagonal)), *given)


def is_transposed(trans: object, name: str, *counts: int) -> bool:
    """SciPy's argument `trans`, the third of so many of `rose.linalg.<name>`: whether the matrix is transposed."""
    if isinstance(trans, (int, str)) and trans in _TRANSPOSED:
        return _TRANSPOSED[trans]
    at = here().narrow(argument(2, "trans", *counts))
    raise OutOfRange(f"rose.linalg.{name} has no trans {shown(trans)}", at, 'write 0 or "N", or 1 or "T"')


_TRANSPOSED: dict[int | str, bool] = {0: False, 1: True, 2: True, "N": False, "T": True, "C": True}


def _by_half(a: Value, y: Value, *, lower: bool, transposed: bool, unit: bool) -> Value:
    """The solution of equations with one half of a matrix; with `unit`, the diagonal is 1 and not read."""
    return _substituted(_entry(a, transposed), y, unit=unit, up=lower is transposed)


by_half = Primitive("solve_triangular", None, _by_half)

# in a body or in a derivative rule, as all of it is linear in `y`: the solutions `x` of `lower @ x == y`, where the
# diagonal is 1, or is not, of `upper @ x == y`, and of `transpose(upper) @ x == y`
forward = partial(_by_half, lower=True, transposed=False, unit=True)
forward_divided = partial(_by_half, lower=True, transposed=False, unit=False)
backward = partial(_by_half, lower=False, transposed=False, unit=False)
forward_transposed = partial(_by_half, lower=False, transposed=True, unit=False)


@by_half.residual
def _(x: Value, a: DualVec, y: DualVec, *, lower: bool, transposed: bool, unit: bool) -> Any:
    rest, of_da, n = accum(y.du), _entry(a.du, transposed), x.shape[0]
    for i in loops.range(n):
        if not unit:
            take(rest[i], of_da(i, i), x[i])
        for j in loops.range(i + 1, n) if lower is transposed else loops.range(i):
            take(rest[i], of_da(i, j), x[j])
    return rest.value


def _entry(a: Value, transposed: bool) -> Entry:
    return (lambda i, j: a[j][i]) if transposed else (lambda i, j: a[i][j])


Entry = Callable[[Any, Any], Any]


def _substituted(entry: Entry, y: Value, *, unit: bool, up: bool) -> Value:
    """From the first row on, what is known is taken from the rows below; or from the last on, from those above."""
    n = y.shape[0]
    if pay(n):
        return _in_blocks(entry, y, unit=unit, up=up)

    def step(k: Value, rest: Value) -> Any:
        x, after = rest[k] if unit else divided(rest[k], entry(k, k)), accum(rest)
        for i in loops.range(k) if up else loops.range(k + 1, n):
            take(after[i], entry(i, k), x)
        return after.value, x

    return _scanned(step, y, up=up)


def _in_blocks(entry: Entry, y: Value, *, unit: bool, up: bool) -> Value:
    """Block by block: what is known of a block is taken from the other rows at once, in the same order."""
    n = y.shape[0]
    if n % SIDE:
        matrix = padded(filled(n, n, entry))
        entry = lambda i, j: matrix[i][j]
    return flat(_scanned(_of_block(entry, unit=unit, up=up), blocks(y), up=up), n)


def _of_block(entry: Entry, *, unit: bool, up: bool) -> Callable[[Any, Any], Any]:
    """One block of a substitution: its solution, and what is left of the others."""

    def step(k: Value, rest: Value) -> Any:
        known, after = _substituted(_block(entry, k, k), rest[k], unit=unit, up=up), accum(rest)
        for m in loops.range(k) if up else loops.range(k + 1, rest.shape[0]):
            take_product(after[m], _block(entry, m, k), known, up=up)
        return after.value, known

    return step


def unit_lower_inverse(lower: Value) -> Value:
    """The inverse of a lower triangular matrix with ones on its diagonal, of a size for which blocks `pay`.

    Two blocks of columns are solved for at a time, from the first row on where they are not zero: a third of the work.
    """
    n = lower.shape[0]
    whole = padded(lower)
    count, wide = whole.shape[0] // SIDE, 2 * SIDE
    of_block = _of_block(lambda i, j: whole[i][j], unit=True, up=False)

    def step(k: Value, state: tuple[Value, ...]) -> Any:
        rest, x = state
        after, known = of_block(k, rest)
        made = accum(x)
        for i in loops.range(SIDE):
            for j in loops.range(wide):
                made[k][i][j] += known[i][j]
        return after, made.value

    def columns(c: Value) -> Value:
        def rows(k: Value) -> Value:
            return filled(SIDE, wide, lambda i, j: select(k * SIDE + i == c * wide + j, 1.0, 0.0))

        start = loops.vec(rows(k) for k in loops.range(count))
        return control.scan(step, (start, current_builder().zero(start.type)), loops.range(2 * c, count))[1]

    x = loops.vec(columns(c) for c in loops.range(-(-n // wide)))
    return filled(n, n, lambda i, j: x[j // wide][i // SIDE][i % SIDE][j % wide])


def _block(entry: Entry, k: Value, m: Value) -> Entry:
    return lambda i, j: entry(k * SIDE + i, m * SIDE + j)


def _scanned(step: Callable[[Any, Any], Any], rest: Value, *, up: bool) -> Value:
    """The solution, of which `step(k, rest)` gives part `k`: from the first on, or from the last."""
    n = rest.shape[0]
    made = control.scan(step, rest, loops.range(n - 1, -1, -1) if up else n)[1]
    return made[::-1] if up else made


def divided(x: Value, by: Value) -> Value:
    """A number, or each of a row, divided by a number."""
    return loops.vec(x[j] / by for j in loops.range(x.shape[0])) if isinstance(x.type, Vec) else x / by


def take(ref: Accum, factor: Value, x: Value) -> None:
    """Subtract `factor * x`, of a number or a row, from an accumulator."""
    if not isinstance(x.type, Vec):
        ref -= x * factor
        return
    for j in loops.range(x.shape[0]):
        ref[j] -= x[j] * factor


def take_product(ref: Accum, entry: Entry, x: Value, *, up: bool = False) -> None:
    """Subtract the product of a matrix of these entries and of `x` from an accumulator, by the rows of `x` in order.

    That is from the first one on, or from the last.
    """
    n = x.shape[0]
    order: Callable[[], Any] = lambda: loops.range(n - 1, -1, -1) if up else loops.range(n)
    for i in loops.range(n):
        if not isinstance(elem(x.type), Vec):
            for k in order():
                ref[i] -= x[k] * entry(i, k)
            continue
        for j in loops.range(x.shape[1]):
            for k in order():
                ref[i][j] -= x[k][j] * entry(i, k)

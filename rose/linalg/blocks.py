"""Matrices in blocks of `SIDE` rows and columns: substitution and elimination are products of small matrices then.

What the rows of a block contribute to another row is added at once, in the order of the rows: factors and solutions
have the bits that they have row by row, and in reverse mode derivatives have the same terms in another order. A
matrix whose size is no multiple of `SIDE` has an identity matrix added below, which changes nothing.
"""

from __future__ import annotations

from ..frontend.arrays.joining import joined
from ..frontend.language import loops
from ..frontend.language.select import select
from ..ir import Value, current_builder
from ..ir.sizes import Size
from ..ir.types import Vec
from .matrices import elem, filled

SIDE = 8  # measured for 128 rows, with simd: elimination takes 207 us, with blocks of 16 240, and row by row 415
LEAST = 32  # rows of a matrix from which on blocks pay


def pay(n: int | Size) -> bool:
    """True if a matrix of so many rows is better worked on in blocks. What is not known is not."""
    return not isinstance(n, Size) and n >= LEAST


def padded(a: Value, side: int = SIDE) -> Value:
    """A square matrix, with an identity matrix below, so that its rows are a multiple of `side`."""
    n = a.shape[0]
    if not (more := -n % side):
        return a

    def item(i: Value, j: Value) -> Value:
        return select((i < n) & (j < n), a[i % n][j % n], select(i == j, 1.0, 0.0))

    return filled(n + more, n + more, item)


def blocks(y: Value) -> Value:
    """Numbers or rows in blocks, the last of which ends with zeros."""
    n = y.shape[0]
    if more := -n % SIDE:
        y = joined([y, current_builder().zero(Vec(more, elem(y.type)))], 0)
    count = y.shape[0] // SIDE
    return loops.vec(loops.vec(y[k * SIDE + i] for i in loops.range(SIDE)) for k in loops.range(count))


def flat(x: Value, n: int | Size) -> Value:
    """The first `n` rows of blocks."""
    return loops.vec(x[i // SIDE][i % SIDE] for i in loops.range(n))

"""Matrices made of others: block diagonals, and those of Toeplitz."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import OutOfRange, here
from ..frontend.arguments import lenient
from ..frontend.arrays.joining import joined
from ..frontend.arrays.shapes import array_type, as_array, shape_of
from ..frontend.language.select import select
from ..frontend.typed import Array, ArrayLike
from ..ir import Value, current_builder
from ..ir.sizes import differ, minus, plus
from ..ir.types import Real
from .matrices import array, batched, filled


@lenient
def block_diag(*arrays: ArrayLike) -> Array:
    """The matrix with the given ones along its diagonal, and zeros elsewhere.

    A vector is a matrix of one row, and a number one of one element, as in SciPy. Leading axes are those of a batch.
    """
    if not arrays:
        raise OutOfRange("rose.linalg.block_diag of no matrices", here(), "give at least one, such as block_diag(a, b)")
    blocks = [_as_matrix(x, k, len(arrays)) for k, x in enumerate(arrays)]
    return batched(lambda *blocks: _blocks(*blocks), blocks, [2] * len(blocks))


def _as_matrix(x: ArrayLike, k: int, count: int) -> Value:
    v = as_array(x)
    while len(shape_of(v.type)) < 2:
        v = as_array([v])
    return array(v, 2, "block_diag", k, count, names="*" * count)


def _blocks(*blocks: Value) -> Value:
    """The blocks, each with zeros before and after it."""
    b = current_builder()
    total: Any = 0
    for block in blocks:
        total = plus(total, shape_of(block.type)[1])
    before: Any = 0
    rows: list[Any] = []
    for block in blocks:
        m, n = shape_of(block.type)
        after: Any = minus(total, plus(before, n))
        zeros = [b.zero(array_type((m, k), Real)) for k in (before, after)]
        rows.append(joined([zeros[0], block, zeros[1]], 1))
        before = plus(before, n)
    return joined(rows, 0)


@lenient
def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """The matrix with constant diagonals whose first column is `c` and whose first row is `r`, or `c` too without it.

    `r[0]` is not read: the corner is `c[0]`. Leading axes are those of a batch.
    """
    column = array(c, 1, "toeplitz", 0, 1, 2, names="cr")
    row = column if r is None else array(r, 1, "toeplitz", 1, 2, names="cr")
    return batched(_toeplitz, [column, row], [1, 1])


def _toeplitz(c: Value, r: Value) -> Value:
    m, n = c.shape[0], r.shape[0]
    if not (differ(m, 0) and differ(n, 0)):
        return current_builder().zero(array_type((m, n), Real))
    below: Callable[[Any, Any], Any] = lambda i, j: c[(i + m * n - j) % m]  # where `i < j`, one that is not taken
    above: Callable[[Any, Any], Any] = lambda i, j: r[(j + m * n - i) % n]
    return filled(m, n, lambda i, j: select(i < j, above(i, j), below(i, j)))

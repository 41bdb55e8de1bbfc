"""Products of several matrices, and equations with arrays of more axes, which are those of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..errors import OutOfRange, TypeMismatch, here
from ..frontend.arguments import lenient
from ..frontend.arrays.products import matmul
from ..frontend.arrays.reductions import trace
from ..frontend.arrays.shapes import Shape, as_array, axes_given, is_several, shape_of, spelled
from ..frontend.arrays.shaping import diagonal, moveaxis, ravel, reshape
from ..frontend.arrays.ufuncs import vecdot
from ..frontend.typed import Array, ArrayLike
from ..ir import Value
from ..ir.sizes import Size, differ, times
from .elimination import inv, solve


@lenient
def multi_dot(arrays: Sequence[ArrayLike]) -> Any:
    """The product of several matrices, in the order that takes the fewest multiplications.

    The first and the last may be vectors: a row, and a column. Where a size is known only when the module runs, they
    are multiplied from the left to the right.
    """
    given = [as_array(x) for x in arrays]
    ends = {0, len(given) - 1}
    ranks = [len(shape_of(v.type)) for v in given]
    if len(given) < 2 or any([r != 2 and not (r == 1 and k in ends) for k, r in enumerate(ranks)]):
        shapes = ", ".join([spelled(shape_of(v.type)) for v in given])
        what = f"rose.linalg.multi_dot takes two matrices or more, not arrays of the shapes {shapes}"
        raise TypeMismatch(what, here(), "give matrices; the first and the last may be vectors")
    shapes = [shape_of(v.type) for v in given]
    columns = [1 if k and len(s) == 1 else s[-1] for k, s in enumerate(shapes)]
    sizes = [1 if ranks[0] == 1 else shapes[0][0], *columns]
    known = [n for n in sizes if not isinstance(n, Size)]
    if len(known) < len(sizes):
        return reduce(matmul, given)
    return _multiplied(given, _order(known), 0, len(given) - 1)


def _order(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """After which matrix each run of them is cut: see Cormen et al., Introduction to Algorithms, 15.2."""
    n = len(sizes) - 1
    cost, cut = {(i, i): 0 for i in range(n)}, dict[tuple[int, int], int]()
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            costs = [cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)]
            cost[i, j] = min(costs)
            cut[i, j] = i + costs.index(min(costs))
    return cut


def _multiplied(given: Sequence[Value], cut: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return given[i]
    k = cut[i, j]
    return matmul(_multiplied(given, cut, i, k), _multiplied(given, cut, k + 1, j))


def trace_of_numpy(x: ArrayLike, *, offset: Any = 0, dtype: Any = None) -> Any:
    """`np.linalg.trace`: the trace of each matrix of the last two axes."""
    return trace(x, offset, -2, -1, dtype=dtype)


def diagonal_of_numpy(x: ArrayLike, *, offset: Any = 0) -> Any:
    """`np.linalg.diagonal`: the diagonal of each matrix of the last two axes."""
    return diagonal(x, offset, -2, -1)


def vecdot_of_numpy(x1: ArrayLike, x2: ArrayLike, *, axis: Any = -1) -> Any:
    """`np.linalg.vecdot`: the sum of the products of the conjugate of `x1` with `x2` along an axis that both have."""
    return vecdot(x1, x2, axis)


@lenient
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """The array `x` for which `tensordot(a, x, x.ndim) == b`: as equations with a matrix, of all axes in a row.

    The axes of `a` that are named are moved to its end first.
    """
    v, y = as_array(a), as_array(b)
    rank = len(shape_of(v.type))
    if axes is not None:
        moved = axes_given(tuple(axes) if is_several(axes) else axes, rank)
        v = as_array(moveaxis(v, moved, tuple(range(rank - len(moved), rank))))
    left, right = _cut(v, len(shape_of(y.type)), "tensorsolve")
    found = solve(reshape(v, (_count(left), _count(right))), ravel(y))
    return reshape(found, right)


@lenient
def tensorinv(a: ArrayLike, ind: int = 2) -> Array:
    """The array for which `tensordot(tensorinv(a, ind), b, ind)` is `tensorsolve(a, b)`: the inverse, of all axes.

    `ind` is how many axes of `a` those of the right side are.
    """
    v = as_array(a)
    if ind < 1:
        raise OutOfRange(f"rose.linalg.tensorinv has no ind {ind!r}", here(), "write a number of axes, such as 2")
    left, right = _cut(v, ind, "tensorinv")
    return reshape(inv(reshape(v, (_count(left), _count(right)))), (*right, *left))


def _cut(v: Value, k: int, name: str) -> tuple[Shape, Shape]:
    """The sizes of the first axes, and of the others, which are as many in all."""
    shape = shape_of(v.type)
    left, right = shape[:k], shape[k:]
    if differ(_count(left), _count(right)):
        what = f"rose.linalg.{name} takes an array whose first {k} axes have as many elements as the others"
        raise TypeMismatch(f"{what}, not one of the shape {spelled(shape)}", here(), "let both products be equal")
    return left, right


def _count(sizes: Shape) -> Any:
    return reduce(times, sizes, 1)

"""Linear algebra on vectors of Reals, and on matrices: vectors of vectors, all of one size."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import TypeMismatch, argument, edge, here
from ...ir import Value, current_builder, ops, shown
from ...ir.lengths import norm_of
from ...ir.sizes import Size
from ...ir.types import Real, Type, Vec
from ..values import infer
from .loops import max, range, sum, vec


def _argument(x: Any, k: int, name: str, count: int) -> Value:
    return infer(x, here().narrow(argument(k, name, count)))


def _shape(t: Type) -> tuple[int, ...]:
    """The shape of an array of Reals: the sizes of its axes, outermost first. It is () for a Real, and for others."""
    sizes: list[int] = []
    while isinstance(t, Vec):
        sizes.append(t.size)
        t = t.elem
    return tuple(sizes) if t is Real else ()


def _each(v: Value, item: Callable[[Value], Any]) -> Value:
    """The vector of `item(x)` for each element `x` of `v`."""
    assert isinstance(v.type, Vec)
    return vec(item(v[i]) for i in range(v.type.size))


@edge
def dot(x: Any, y: Any) -> Any:
    """The dot product of two vectors: from `Vec[n]` and `Vec[n]` to a Real."""
    v, w = _argument(x, 0, "x", 2), _argument(y, 1, "y", 2)
    size = _shape(v.type)
    if len(size) != 1 or v.type is not w.type:
        message = f"rose.dot takes two vectors of Reals of one size, not {v.type!r} and {w.type!r}"
        raise TypeMismatch(message, here(), "multiply matrices with rose.matmul")
    return _dot(v, w)


def _dot(v: Value, w: Value) -> Value:
    assert isinstance(v.type, Vec)
    return sum(v[i] * w[i] for i in range(v.type.size))


@edge
def norm(x: Any) -> Any:
    """The Euclidean norm: the square root of the sum of the squares of all elements of a vector, or of a matrix.

    At 0 its derivatives are 0, and where it appears twice in a product, as in `norm(x) ** 2`, the product has those of
    `dot(x, x)`. It overflows only if its answer does, and keeps all digits of small numbers. An infinite element makes
    it infinite, with the derivative nan by that element and 0 by the others.
    """
    v = _argument(x, 0, "x", 1)
    if not _shape(v.type):
        message = f"rose.norm takes a vector of Reals, not {_a(v, x)}"
        raise TypeMismatch(message, here(), "give it a list of numbers: rose.norm([x, y]); for a number write abs(x)")
    return norm_of(v)


@edge
def cross(x: Any, y: Any) -> Any:
    """The cross product of two vectors: from `Vec[3]` and `Vec[3]` to `Vec[3]`."""
    v, w = _argument(x, 0, "x", 2), _argument(y, 1, "y", 2)
    if v.type is not Vec(3, Real) or w.type is not v.type:
        message = f"rose.cross takes two vectors of three Reals, not {v.type!r} and {w.type!r}"
        raise TypeMismatch(message, here(), "write x[0] * y[1] - x[1] * y[0] in the plane")
    parts = [v[i] * w[j] - v[j] * w[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return current_builder().pack(parts, Vec(3, Real))


@edge
def transpose(x: Any) -> Any:
    """The transpose of a matrix: from `Vec[n, Vec[m]]` to `Vec[m, Vec[n]]`."""
    v = _argument(x, 0, "x", 1)
    size = _shape(v.type)
    if len(size) != 2:
        message = f"rose.transpose takes a matrix of Reals, not {_a(v, x)}"
        raise TypeMismatch(message, here(), "give it a vector of vectors: Vec[n, Vec[m]]")
    n, m = size
    if not isinstance(m, Size) and m == 0:  # at once, no column tells its type
        return current_builder().zero(Vec(0, Vec(n, Real)))
    return vec(vec(v[i][j] for i in range(n)) for j in range(m))


@edge
def matmul(x: Any, y: Any) -> Any:
    """The product of two matrices, of a matrix and a vector, or of two vectors: `x @ y`."""
    v, w = _argument(x, 0, "x", 2), _argument(y, 1, "y", 2)
    a, b = _shape(v.type), _shape(w.type)
    if len(a) not in (1, 2) or len(b) not in (1, 2) or a[-1] != b[0]:
        message = f"a {v.type!r} and a {w.type!r} have no matrix product"
        hint = "multiply a matrix by one that has as many rows as it has columns"
        raise TypeMismatch(message, here(), hint)
    if len(b) == 1:
        return _dot(v, w) if len(a) == 1 else _each(v, lambda row: _dot(row, w))
    columns = transpose(w)
    if len(a) == 1:
        return _each(columns, lambda column: _dot(v, column))
    return _each(v, lambda row: _each(columns, lambda column: _dot(row, column)))


@edge
def logsumexp(items: Any) -> Any:
    """The logarithm of the sum of `exp(x)` over the numbers `x` of a vector or a generator, without overflow.

    Of no numbers it is -inf. Its gradient is the softmax of the numbers, and 0 if all of them are -inf.
    """
    v = vec(items) if not isinstance(items, Value) else items
    size = _shape(v.type)
    if len(size) != 1:
        message = f"rose.logsumexp takes a vector of Reals, not {_a(v, items)}"
        raise TypeMismatch(message, here(), "write rose.logsumexp(... for i in rose.range(n))")
    if size == (0,):
        return current_builder().lift(-math.inf)
    # any number near the largest gives the same answer, and the same derivatives: so it is a constant
    largest = ops.stop_gradient(max(v))
    zero, nothing = current_builder().zero(Real), largest == -math.inf
    shift = ops.select(abs(largest) == math.inf, zero, largest)
    total = sum(ops.exp(v[i] - shift) for i in range(size[0]))
    # numbers that are all -inf stand for zeros: 1 takes the place of their sum, so that the slope is 0 and not 0 / 0
    return ops.log(total + ops.select(nothing, 1.0, zero)) + ops.select(largest == math.inf, zero, largest)


def _a(v: Value, x: Any) -> str:
    return shown(x) if not isinstance(x, Value) else f"a {v.type!r}"

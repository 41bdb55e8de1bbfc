"""The norm of a vector, or of a matrix, and `logsumexp`."""

from __future__ import annotations

import math
from typing import Any

from ...errors import TypeMismatch, argument, here
from ...ir import Value, current_builder, ops, shown
from ...ir.lengths import norm_of
from ...ir.types import Real, Type, Vec
from ..arrays import norms, reductions
from ..arrays.shapes import shape_of
from ..function import of_values
from ..values import infer
from .loops import max, range, sum, vec


def _shape(t: Type) -> tuple[int, ...]:
    """The shape of an array of Reals: the sizes of its axes, outermost first. It is () for a Real, and for others."""
    sizes: list[int] = []
    while isinstance(t, Vec):
        sizes.append(t.size)
        t = t.elem
    return tuple(sizes) if t is Real else ()


@of_values
def norm(x: Any, ord: Any = None, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The Euclidean norm: the square root of the sum of the squares of all elements of an array, or along axes.

    `ord` is another, by NumPy's names: 1, `math.inf`, `-math.inf`, 0 or a power for vectors; "fro", 1, -1, `math.inf`,
    `-math.inf` for matrices, along a pair of axes. What follows is of the Euclidean one.

    At 0 its derivatives are 0, and where it appears twice in a product, as in `norm(x) ** 2`, the product has those of
    `dot(x, x)`. It overflows only if its answer does, and keeps all digits of small numbers. An infinite element makes
    it infinite, with the derivative nan by that element and 0 by the others.
    """
    v = infer(x, here().narrow(argument(0, "x", 1, 2, 3, 4)))
    if ord is not None or axis is not None or keepdims:
        return norms.norm(v, ord, axis, keepdims)
    if not _shape(v.type):
        message = f"rose.norm takes a vector of Reals, not {_a(v, x)}"
        raise TypeMismatch(message, here(), "give it a list of numbers: rose.norm([x, y]); for a number write abs(x)")
    return norm_of(v)


@of_values
def logsumexp(items: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The logarithm of the sum of `exp(x)` over an array, or along axes, or over a generator, without overflow.

    Of no numbers it is -inf. Its gradient is the softmax of the numbers, and 0 if all of them are -inf.
    """
    if (x := reductions.with_axes(items, "logsumexp", axis, keepdims)) is not None:
        axes = reductions.axes_of(axis, shape_of(x.type))
        return reductions.over(x, axes, keepdims, reductions.logsumexp_of)
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

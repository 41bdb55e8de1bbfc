"""Norms along axes, by NumPy's names: of vectors along one, and of matrices along two."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import TypeMismatch, here
from ...ir import Value, a_traced, current_builder, ops, shown
from ...ir.lengths import norm_of
from ...ir.types import Vec
from .elementwise import each, located
from .reductions import axes_of, extreme, numbers, total
from .shapes import axis_given, shape_of
from .shaping import permuted


@located
def norm(x: Value, ord: Any, axis: Any, keepdims: Any) -> Value:
    """The norm that `ord` names, of an array along axes."""
    v = numbers(x, "norm")
    shape = shape_of(v.type)
    axes = axes_of(axis, shape)
    if axis.__class__ is tuple and len(axes) == 2:  # of the matrix norms it matters which is the axis of rows
        axes = [axis_given(k, len(shape)) for k in axis]
    if ord is None or (len(axes) == 1 and _is(ord, 2)) or (len(axes) == 2 and ord == "fro"):
        return _along(v, axes, keepdims, norm_of)
    if isinstance(ord, Value) or len(axes) > 2 or (isinstance(ord, str) or (len(axes) == 2 and not _of_sums(ord))):
        what = a_traced(ord) if isinstance(ord, Value) else shown(ord)
        hint = 'write 1, 2, math.inf or another number for vectors, "fro", 1 or math.inf for matrices'
        if len(axes) == 2 and (ord == "nuc" or _is(ord, 2) or _is(ord, -2)):
            hint = "write rose.linalg.norm, which has it"
        raise TypeMismatch(f"rose.norm has no ord {what} along {len(axes)} axes", here().into(["ord"]), hint)
    return _of_vectors(v, ord, axes[0], keepdims) if len(axes) == 1 else _of_matrices(v, ord, axes, keepdims)


def _is(ord: Any, k: float) -> bool:
    return not isinstance(ord, (str, Value)) and ord == k


def _of_sums(ord: Any) -> bool:
    return ord in (1, -1, math.inf, -math.inf)


def _of_vectors(v: Value, ord: Any, axis: int, keepdims: Any) -> Value:
    size = each(ops.abs_, v)
    if ord in (math.inf, -math.inf):
        return _most(size, ord, axis, keepdims)
    if ord == 0:
        return total(each(ops.ne, v, 0.0), axis, keepdims, None)
    if ord == 1:
        return total(size, axis, keepdims, None)
    return total(size**ord, axis, keepdims, None) ** (1.0 / ord)


def _of_matrices(v: Value, ord: Any, axes: list[int], keepdims: Any) -> Value:
    """The largest or smallest sum of sizes: of columns for 1, of rows for inf."""
    rows, columns = axes
    inner, outer = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = total(each(ops.abs_, v), inner, True, None)
    most = _most(sums, ord, outer, True)
    return most if keepdims else total(most, (rows, columns), False, None)


def _most(sizes: Value, ord: float, axis: int, keepdims: Any) -> Value:
    """The largest of sizes, 0 of none; or the smallest, for an `ord` below 0."""
    return extreme(sizes, "max", axis, keepdims, 0.0) if ord > 0 else extreme(sizes, "min", axis, keepdims)


def _along(v: Value, axes: list[int], keepdims: Any, f: Callable[[Value], Value]) -> Value:
    """The array of `f` of the parts of `v` that lie along these axes."""
    b, shape = current_builder(), shape_of(v.type)
    stay = [k for k in range(len(shape)) if k not in axes]
    v = permuted(v, [*stay, *axes])

    def nest(v: Value, k: int) -> Value:
        if k == len(shape):
            return f(v)
        if k in stay:
            return b.vec(shape[k], lambda i: nest(b.index(v, i), k + 1))
        inner = nest(v, k + 1)
        return b.pack([inner], Vec(1, inner.type)) if keepdims else inner

    return nest(v, 0)

"""Running sums and folds along an axis, each element of which is that of all up to it; and differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import OutOfRange, TypeMismatch, here
from ...ir import Value, current_builder, ops, shown
from ...ir.types import Bool, Fin
from ...ir.value import host_index
from .creation import filled
from .elementwise import array_function, each
from .indexing import part
from .joining import concatenate
from .kinds import summed_as
from .reductions import along, number, numbers
from .shapes import as_array, axis_given, leaf_of, shape_of
from .shaping import broadcast_to, ravel


def _running(x: Any, name: str, axis: Any, start: float, op: Callable[[Value, Value], Value]) -> Value:
    """The states of `op(state, element)` after each element along an axis; of all elements in a row without one."""
    b = current_builder()
    v = numbers(x, name, single=True)
    v = ravel(v) if axis is None and len(shape_of(v.type)) != 1 else v

    def of_vector(row: Value) -> Value:
        def body(i: Value, state: Value) -> tuple[list[Value], list[Value]]:
            after = op(state, number(b.index(row, i)))
            return [after], [after]

        return b.loop(shape_of(row.type)[0], body, [b.lift(start)])[1][0]

    return along(v, 0 if axis is None else axis_given(axis, len(shape_of(v.type))), of_vector)


@array_function
def cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The running sum along an axis, or of all elements in a row: element i is the sum of those up to i."""
    return _running(summed_as(x, dtype, "cumsum"), "cumsum", axis, 0.0, ops.add)


@array_function
def cumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The running product along an axis, or of all elements in a row."""
    return _running(summed_as(x, dtype, "cumprod"), "cumprod", axis, 1.0, ops.mul)


@array_function
def cummax(x: Any, axis: Any = None) -> Any:
    """The running maximum along an axis, or of all elements in a row; NumPy's `maximum.accumulate`."""
    return _running(x, "cummax", axis, -math.inf, ops.max_)


@array_function
def cummin(x: Any, axis: Any = None) -> Any:
    """The running minimum along an axis, or of all elements in a row; NumPy's `minimum.accumulate`."""
    return _running(x, "cummin", axis, math.inf, ops.min_)


@array_function
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """The differences of neighbours among all elements in a row, with others behind and before them."""
    found = diff(ravel(numbers(ary, "ediff1d", single=True)))
    before, behind = [[] if y is None else [ravel(numbers(y, "ediff1d", single=True))] for y in (to_begin, to_end)]
    return concatenate([*before, found, *behind]) if before or behind else found


def _cumulative(of: Callable[..., Any], first: float) -> Callable[..., Any]:
    def cumulative(x: Any, axis: Any, dtype: Any, include_initial: Any) -> Any:
        v = numbers(x, "cumulative_sum and cumulative_prod", single=True)
        shape = shape_of(v.type)
        if axis is None and len(shape) > 1:
            what = "a running sum of an array of several axes is along one of them"
            raise TypeMismatch(what, here(), "write axis=0")
        k = 0 if axis is None else axis_given(axis, len(shape))
        found = of(v, k, dtype)
        if not include_initial:
            return found
        start = filled((*shape[:k], 1, *shape[k + 1 :]), current_builder().lift(first))
        return concatenate([start, found], k)

    return cumulative


_SUMS, _PRODUCTS = _cumulative(cumsum, 0.0), _cumulative(cumprod, 1.0)


@array_function
def cumulative_sum(x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    """`cumsum`, along the axis of a vector or one that is named; with `include_initial` from 0 on."""
    return _SUMS(x, axis, dtype, include_initial)


@array_function
def cumulative_prod(x: Any, *, axis: Any = None, dtype: Any = None, include_initial: Any = False) -> Any:
    """`cumprod`, along the axis of a vector or one that is named; with `include_initial` from 1 on."""
    return _PRODUCTS(x, axis, dtype, include_initial)


@array_function
def unwrap(p: Any, discont: Any = None, axis: Any = -1, *, period: Any = 2.0 * math.pi) -> Any:
    """Angles without jumps along an axis: each is within half a period of the one before, by whole periods.

    What jumps by no more than `discont` stays.
    """
    v = each(number, numbers(p, "unwrap"))
    k, half = axis_given(axis, len(shape_of(v.type))), 0.5 * period
    step = as_array(diff(v, axis=k))
    least = half if discont is None else discont

    def turn(d: Value) -> Value:
        near = (d + half) % period - half
        near = ops.select((near == -half) & (d > 0.0), half, near)
        return ops.stop_gradient(ops.select(abs(d) < least, 0.0, near - d))

    before = (slice(None),) * k
    turns = cumsum(each(turn, step), k)
    return concatenate([part(v, (*before, slice(0, 1))), part(v, (*before, slice(1, None))) + turns], k)


def _end(y: Any, v: Value, axis: int) -> Value:
    """What is put before or behind an array along an axis; a number, for each of the others."""
    end, shape = numbers(y, "diff", single=True), shape_of(v.type)
    return end if shape_of(end.type) else broadcast_to(end, (*shape[:axis], 1, *shape[axis + 1 :]))


@array_function
def diff(x: Any, n: Any = 1, axis: Any = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along an axis, the last by default; `n` times.

    Before that, `prepend` and `append` are put before and behind it: numbers, or arrays.
    """
    v, count = numbers(x, "diff"), host_index(n)
    if count is None or count < 0:
        what = f"rose.diff takes differences a number of times, not {shown(n)}"
        kind = TypeMismatch if count is None else OutOfRange
        raise kind(what, here().into(["n"]), "write n=1, or leave it out")
    k = axis_given(axis, len(shape_of(v.type)))
    before = (slice(None),) * k
    if prepend is not None or append is not None:
        ends = [[] if y is None else [_end(y, v, k)] for y in (prepend, append)]
        v = as_array(concatenate([*ends[0], v, *ends[1]], k))
    if count and isinstance(leaf_of(v.type), Fin):
        v = each(number, v)
    for _ in range(count):
        after, now = [part(v, (*before, k)) for k in (slice(1, None), slice(None, -1))]
        v = each(ops.xor if leaf_of(v.type) is Bool else ops.sub, after, now)
    return v

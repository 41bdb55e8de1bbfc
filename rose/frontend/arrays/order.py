"""Elements by their indices along an axis; `sort`, and quantiles; `gradient`, and `nan_to_num`."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from ...errors import OutOfRange, TypeMismatch, here
from ...ir import Value, a_traced, current_builder, ops, shown
from ...ir.numbers import is_listed
from ...ir.sizes import Size, at_most, differ
from ...ir.types import is_complex
from ...ir.value import host_index
from ..function import MeetsComplex
from ..operators import is_array, view
from ..values import is_number
from .elementwise import array_function, each
from .indexing import as_indices, part
from .joining import concatenate, stack
from .reductions import along, number, numbers
from .shapes import Shape, as_array, axes_given, axis_given, broadcast, is_several, items_of, shape_of, spelled
from .shaping import expand_dims, given, moveaxis, moved, ravel, reshape
from .sorting import order_of


def _along(axis: int, key: Any) -> tuple[Any, ...]:
    return (*[slice(None)] * axis, key)


# by indices


@array_function
def take(x: Any, indices: Any, axis: Any = None, *, mode: Any = "raise") -> Any:
    """The elements at these indices, an index or an array of them, along an axis; without one, of all in a row.

    With the modes "wrap" and "clip" whole numbers are indices that are wrapped round, or clipped.
    """
    v, shape = given(x, "x")
    v = ravel(v) if axis is None and len(shape) != 1 else v
    k = 0 if axis is None else axis_given(axis, len(shape))
    at = list(indices) if indices.__class__ is tuple else indices
    return part(v, _along(k, _in_range(at, shape_of(v.type)[k], mode)))


def _in_range(at: Any, n: Any, mode: Any) -> Any:
    """Indices of an axis of size `n`: wrapped round or clipped, as the mode says."""
    if mode not in ("raise", "wrap", "clip"):
        what = a_traced(mode) if isinstance(mode, Value) else shown(mode)
        raise TypeMismatch(f"rose.take has no mode {what}", here().into(["mode"]), 'write "raise", "wrap" or "clip"')
    if mode == "raise":
        return at
    near: Callable[[Any], Any] = lambda i: i % n if mode == "wrap" else ops.clip(number(i), 0, n - 1)
    if isinstance(at, Value):
        return each(near, at)
    of_host: Callable[[Any], Any] = lambda i: (
        [of_host(k) for k in i]  # pyright: ignore[reportUnknownVariableType]
        if is_listed(i)
        else i % n
        if mode == "wrap"
        else min(max(i, 0), n - 1)
    )
    return of_host(at.tolist() if hasattr(at, "tolist") else at)


@array_function
def take_along_axis(x: Any, indices: Any, axis: Any = -1) -> Any:
    """The elements `x[..., indices[..., i], ...]`: each vector along the axis at indices of its own.

    The indices have as many axes as `x`, and along the others its sizes, or 1. They may come of `argsort`.
    """
    v, shape = given(x, "x")
    k = axis_given(axis, len(shape))
    at = as_indices(indices, shape[k])
    own = shape_of(at.type)
    if len(own) != len(shape):
        what = f"the indices have the shape {spelled(own)}, and the array {spelled(shape)}"
        raise TypeMismatch(what, here(), "give both as many axes, or write rose.take(x, indices, axis)")
    return view(gathered(v, at, k))


def gathered(v: Value, at: Value, axis: int) -> Value:
    """Each vector along the axis, at the indices of `at` along it."""
    b, last = current_builder(), len(shape_of(v.type)) - 1
    others = broadcast([moved_shape(v, axis), moved_shape(at, axis)])

    def inner(v: Value, n: Any, i: Value) -> Value:
        return b.index(v, i if not differ(shape_of(v.type)[0], n) else 0)

    def nest(v: Value, at: Value, depth: int) -> Value:
        if depth == last:
            return b.vec(shape_of(at.type)[0], lambda j: b.index(v, b.index(at, j)))
        n = others[depth]
        return b.vec(n, lambda i: nest(inner(v, n, i), inner(at, n, i), depth + 1))

    return moved(nest(moved(v, axis, last), moved(at, axis, last), 0), last, axis)


def moved_shape(v: Value, axis: int) -> Shape:
    """The sizes of the other axes."""
    shape = shape_of(v.type)
    return (*shape[:axis], *shape[axis + 1 :])


# sorted


@array_function
def argsort(x: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """The indices, `Fin[n]`, that sort `x` along an axis, or in a row with None: equal ones as they stand, nan last.

    It takes `n log n` steps and is stable, as each `kind` may be.
    """
    v, k = _sortable(x, axis, "argsort")
    return view(_order(v, k))


@array_function
def sort(x: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    """The elements from the smallest to the largest along an axis, or all in a row with None; nan last.

    A derivative goes to the element that came to a place; equal ones stay in their order.
    """
    v, k = _sortable(x, axis, "sort")
    return view(gathered(v, _order(v, k), k))


def _sortable(x: Any, axis: Any, name: str) -> tuple[Value, int]:
    v = numbers(x, name)
    v = ravel(v) if axis is None else v
    return v, axis_given(0 if axis is None else axis, len(shape_of(v.type)))


def _order(v: Value, axis: int) -> Value:
    def key(y: Value) -> Value:
        return ops.stop_gradient(number(y))

    return along(each(key, v), axis, order_of)


@array_function
def quantile(a: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    """The value below which a share `q` of the elements lies, between neighbours along a line; nan if one is nan.

    `q` is a number of the host from 0 to 1, or several, whose answers lie along a new first axis. It is of all
    elements, or along axes. The method is NumPy's: "lower", "higher", "nearest" and "midpoint" take neighbours, and
    "hazen", "weibull" and its kind put the elements at other shares.
    """
    return quantiles(a, q, axis, keepdims, "quantile", 1.0, method)


@array_function
def median(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    """The element in the middle, or the mean of the two there, of all elements or along axes; nan if one is nan."""
    return quantiles(a, 0.5, axis, keepdims, "median", 1.0)


ENDS = {  # of a continuous method: by how much the first and the last share lie within
    "linear": (1.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0), "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8), "interpolated_inverted_cdf": (0.0, 1.0),
}  # fmt: skip
NEAREST: dict[
    str, Callable[[float], float]
] = {  # of a method that takes neighbours: the part of the line that it takes for a part
    "lower": lambda part: 0.0,
    "higher": lambda part: 1.0 if part else 0.0,
    "midpoint": lambda part: 0.5 if part else 0.0,
}


def quantiles(x: Any, q: Any, axis: Any, keepdims: Any, name: str, most: float, method: Any = "linear") -> Any:
    """The quantiles of shares `q` from 0 to `most`: of one, or of several, stacked; `name` is the function."""
    if method not in {**ENDS, **NEAREST, "nearest": None}:
        what = a_traced(method) if isinstance(method, Value) else shown(method)
        raise TypeMismatch(f"rose.{name} has no method {what}", here().into(["method"]), 'write "linear" or "nearest"')
    shares = shares_given(q, name, most)
    v, k, gone = flattened(x, axis, name)
    n = shape_of(v.type)[k]
    if not at_most(1, n) or isinstance(n, Size):
        hint = "give it one element at least" if not isinstance(n, Size) else "compile it for a size: f.at(n=3)"
        raise OutOfRange(f"rose.{name} along an axis of {n!r} elements", here(), hint)
    ordered = gathered(v, _order(v, k), k)
    found = [_at_share(ordered, k, n, share / most, method) for share in shares]
    found = [expand_dims(y, gone) if keepdims and gone else y for y in found]
    return stack(found) if several_shares(q) else found[0]


def several_shares(q: Any) -> bool:
    return is_several(q) or (not isinstance(q, Value) and getattr(q, "shape", ()) != ())


def shares_given(q: Any, name: str, most: float) -> list[float]:
    """The shares, from 0 to `most`, that a user gives: one, or several."""
    shares = q.tolist() if not isinstance(q, Value) and getattr(q, "shape", ()) else q
    for share in items_of(shares):
        if not is_number(share) or not 0.0 <= share <= most:
            what = a_traced(share) if isinstance(share, Value) else shown(share)
            hint = f"write a number: {0.25 * most:g}"
            kind = OutOfRange if is_number(share) else TypeMismatch
            raise kind(f"rose.{name} takes a share from 0 to {most:g}, not {what}", here(), hint)
    return items_of(shares)


def flattened(x: Any, axis: Any, name: str) -> tuple[Value, int, tuple[int, ...]]:
    """An argument with the axes that go as one, which one that is, and which they were."""
    v = numbers(x, name, single=True)
    shape = shape_of(v.type)
    axes = (*range(len(shape)),) if axis is None else tuple(sorted(axes_given(axis, len(shape))))
    if len(axes) == 1:
        return v, axes[0], axes
    if len(axes) == len(shape):
        return ravel(v), 0, axes
    v = moveaxis(v, axes, (*range(len(axes)),))
    return reshape(v, (-1, *shape_of(v.type)[len(axes) :])), 0, axes


def _at_share(ordered: Value, axis: int, n: int, share: float, method: str) -> Value:
    """The number at a share of the way through sorted ones along an axis, the last of which is nan if one is."""
    first, last_end = ENDS.get(method, (1.0, 1.0))
    at = (
        share * (n - 1)
        if method not in ENDS or method == "linear"
        else n * share + first + share * (1.0 - first - last_end) - 1.0
    )
    at = round(at) if method == "nearest" else min(max(at, 0.0), n - 1.0)
    low = min(math.floor(at), n - 1)

    part_of_line = NEAREST.get(method, float)(at - low)

    def between(down: Value, up: Value, last: Value) -> Value:
        if part_of_line == 0.5:
            inner = (down + up) * 0.5  # of two infinities, too
        else:
            inner = down + (up - down) * part_of_line if part_of_line else down
        return ops.select(last != last, last, inner)

    return each(between, *[part(ordered, _along(axis, at)) for at in (low, min(low + 1, n - 1), n - 1)])


# numbers


@array_function
def nan_to_num(x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """Numbers in the place of nan, 0.0, and of the infinities: the largest and the least. There the slope is 0."""
    high, low = [
        y if given is None else given for y, given in ((sys.float_info.max, posinf), (-sys.float_info.max, neginf))
    ]

    def finite(y: Any, nan: Any, high: Any, low: Any) -> Value:
        y = number(current_builder().lift(y))
        if is_complex(y.type):
            raise MeetsComplex
        z = ops.select(y == math.inf, high, ops.select(y == -math.inf, low, y))
        return ops.select(y != y, nan, z)

    return each(finite, x, nan, high, low)


@array_function
def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """The slopes of samples along an axis: half the difference of both neighbours, at the ends that to the one.

    `spacing` is the distance of samples, 1 by default, or the vector of their coordinates: one for all axes, or one for
    each. Along several axes, or all of a matrix, it gives a tuple: the slopes along each. An axis has two samples at
    least. With `edge_order=2`, and three samples, the slopes at the ends are those of parabolas.
    """
    if host_index(edge_order) not in (1, 2):
        what = a_traced(edge_order) if isinstance(edge_order, Value) else shown(edge_order)
        raise TypeMismatch(f"edge_order of rose.gradient is 1 or 2, not {what}", here(), "write edge_order=2")
    v = each(number, numbers(f, "gradient"))
    rank = len(shape_of(v.type))
    axes = [*range(rank)] if axis is None else axes_given(axis, rank)
    steps = spacing or (1.0,)
    if not axes:
        return ()
    if len(steps) not in (1, len(axes)):
        what = f"rose.gradient along {len(axes)} axes is given {len(steps)} spacings"
        raise TypeMismatch(what, here(), "give one for all axes, or one for each")
    steps = steps * len(axes) if len(steps) < len(axes) else steps
    found = [_slopes(v, k, step, edge_order) for k, step in zip(axes, steps, strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def _slopes(v: Value, axis: int, step: Any, order: int) -> Value:
    shape = shape_of(v.type)
    n = shape[axis]
    if not at_most(order + 1, n):
        hint = f"give it {('two', 'three')[order - 1]} samples at least along each axis"
        raise OutOfRange(f"rose.gradient of {n!r} samples along axis {axis}", here(), hint)
    if not is_number(step) and is_array(step):
        return _between_coordinates(v, axis, as_array(step), order)
    if order == 2:
        return _with_parabolas(v, axis, step)
    first, last = _difference(v, axis, slice(1, 2), slice(0, 1)), _difference(v, axis, slice(-1, None), slice(-2, -1))
    inner = _difference(v, axis, slice(2, None), slice(None, -2))
    return concatenate([first / step, inner / (2.0 * step), last / step], axis)


def _with_parabolas(v: Value, axis: int, step: Any) -> Value:
    """The slopes of evenly spaced samples: at the ends those of parabolas through three."""
    at: Callable[[int], Any] = lambda k: part(v, _along(axis, slice(k, k + 1 or None)))
    first = (-1.5 / step) * at(0) + (2.0 / step) * at(1) + (-0.5 / step) * at(2)
    last = (0.5 / step) * at(-3) + (-2.0 / step) * at(-2) + (1.5 / step) * at(-1)
    inner = _difference(v, axis, slice(2, None), slice(None, -2)) / (2.0 * step)
    return concatenate([first, inner, last], axis)


def _difference(v: Value, axis: int, after: slice, before: slice) -> Value:
    return part(v, _along(axis, after)) - part(v, _along(axis, before))


def _between_coordinates(v: Value, axis: int, at: Value, order: int) -> Value:
    """The slopes of parabolas through three neighbours, at the middle one; at the ends those of lines."""
    shape = shape_of(v.type)
    own = shape_of(at.type)
    if len(own) != 1 or differ(own[0], shape[axis]):
        what = f"the samples have the shape {spelled(shape)}, and their coordinates along axis {axis} {spelled(own)}"
        raise TypeMismatch(what, here(), f"give a number, or a vector of {shape[axis]!r} coordinates")
    x = part(at, (slice(None), *[None] * (len(shape) - 1 - axis)))
    width = _difference(x, 0, slice(1, None), slice(None, -1))
    lines = _difference(v, axis, slice(1, None), slice(None, -1)) / width
    left, right = [part(width, s) for s in (slice(None, -1), slice(1, None))]
    down, up = [part(lines, _along(axis, s)) for s in (slice(None, -1), slice(1, None))]
    inner = (right * down + left * up) / (left + right)
    ends = [part(lines, _along(axis, s)) for s in (slice(0, 1), slice(-1, None))]
    if order == 2:  # beyond the middle by half a line: the slope changes at the parabola's rate
        bend = (up - down) / (left + right)
        ends[0] = ends[0] - part(bend, _along(axis, slice(0, 1))) * part(width, slice(0, 1))
        ends[1] = ends[1] + part(bend, _along(axis, slice(-1, None))) * part(width, slice(-1, None))
    return concatenate([ends[0], inner, ends[1]], axis)

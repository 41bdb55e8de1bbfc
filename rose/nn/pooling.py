"""Pooling: the largest or the mean number of a window of places; and the reverse, `upsample`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arrays.elementwise import array_function
from ..frontend.arrays.shapes import shape_of
from ..frontend.arrays.shaping import repeat
from ..frontend.language import loops
from ..frontend.language.accumulators import accum
from ..frontend.language.control import scan
from ..frontend.language.select import constant
from ..frontend.typed import Array, Operand
from ..ir import Value
from ..ir.ops import max_
from ..ir.sizes import Size
from ..ir.types import Real, Vec
from .convolutions import each_place, each_tap, padded
from .windows import Padding, PerAxis, Window, image, integers, windows


@array_function
def max_pool(
    x: Operand, window: PerAxis, *, stride: PerAxis | None = None, padding: Padding = "valid", dilation: PerAxis = 1
) -> Array:
    """The largest number in each window of places: `x` has the axes batch, places, channels.

    `window` is an integer, or one for each axis; `stride` is as long by default, `dilation` is the distance of its
    elements, and `padding` that of `conv2d`, of which no element counts. Where two are largest, each has half of the
    derivative.
    """
    v, ws = _given(x, window, stride, padding, dilation, "max_pool")
    v = padded(v, ws, -math.inf)

    def largest(here: Value, at: Sequence[Any], c: Value) -> Value:
        def along(x: Value, at: Sequence[Any], ws: Sequence[Window], best: Value | float) -> Value:
            if not ws:
                return max_(best, x[c])
            first, rest = ws[0], ws[1:]
            there: Callable[[Any], Any] = lambda k: x[at[0] * first.stride + k * first.dilation]
            step: Callable[[Any, Any], Any] = lambda k, best: along(there(k), at[1:], rest, best)
            return scan(step, best, first.size)

        return along(here, at, ws, -math.inf)

    return _pooled(v, ws, largest)


@array_function
def avg_pool(
    x: Operand, window: PerAxis, *, stride: PerAxis | None = None, padding: Padding = "valid", dilation: PerAxis = 1
) -> Array:
    """The mean of the numbers in each window of places, of those that `x` has: the arguments of `max_pool`."""
    v, ws = _given(x, window, stride, padding, dilation, "avg_pool")
    shares = [_shares(n, w) for n, w in zip(shape_of(v.type)[1:-1], ws, strict=True)]
    v = padded(v, ws, 0.0)

    def mean(here: Value, at: Sequence[Any], c: Value) -> Value:
        total = accum(0.0)

        def add(pixel: Value, _: None) -> None:
            nonlocal total
            total += pixel[c]

        each_tap(here, None, at, ws, add)
        of: list[Any] = [s if isinstance(s, float) else s[i] for s, i in zip(shares, at, strict=True)]
        return total.value * reduce(lambda a, b: a * b, of)

    return _pooled(v, ws, mean)


@array_function
def upsample(x: Operand, factor: PerAxis) -> Array:
    """Images with each pixel repeated `factor` times along each axis of places, or as often as one for each says."""
    v = image(x, "upsample")
    for k, n in enumerate(integers(factor, len(shape_of(v.type)) - 2, "factor"), 1):
        v = repeat(v, n, axis=k) if n > 1 else v
    return v


def _given(
    x: Operand, window: PerAxis, stride: PerAxis | None, padding: Padding, dilation: PerAxis, name: str
) -> tuple[Value, list[Window]]:
    v = image(x, name)
    places = shape_of(v.type)[1:-1]
    size = integers(window, len(places), "window")
    return v, windows(places, size, size if stride is None else stride, padding, dilation, name)


def _pooled(v: Value, ws: Sequence[Window], of: Callable[[Any, Sequence[Any], Any], Any]) -> Value:
    batch, *_, channels = shape_of(v.type)
    return loops.vec(
        each_place(ws, lambda at, n=n: loops.vec(of(v[n], at, c) for c in loops.range(channels)))
        for n in loops.range(batch)
    )


def _shares(n: int | Size, w: Window) -> Any:
    """One over the number of elements that the window has of an axis, at each place."""
    if not w.before and not w.after:
        return 1.0 / w.size
    if isinstance(n, Size):
        what = f"rose.nn.avg_pool with padding needs a size that Python knows, and one module serves every {n!r}"
        raise TypeMismatch(what, here(), "leave out the padding, or compile the function for the sizes of places")
    each = [sum([0 <= i * w.stride + k * w.dilation - w.before < n for k in range(w.size)]) for i in range(w.places)]
    return constant(Vec(w.places, Real), [1.0 / k if k else 0.0 for k in each])

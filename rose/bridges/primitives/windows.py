"""Convolutions and pooling, by loops over the places of a window.

The operands are brought into the order batch, places, channels, which is that of `rose.nn`, whose loops these are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...frontend.arrays import joining, shaping
from ...frontend.arrays.reductions import argmax, argmin
from ...frontend.language import control, loops
from ...frontend.language.accumulators import accum
from ...ir import ops
from ...nn.convolutions import each_place, each_tap
from ...nn.windows import Window
from ..equations import Equation, rule
from ..operands import Operand, shape_of
from .shapes import filled, padded


@rule("conv_general_dilated", note="batch groups")
def _conv(e: Equation, x: Any, kernel: Any) -> Any:
    p = e.params
    d, groups = p["dimension_numbers"], p["feature_group_count"]
    if p["batch_group_count"] != 1:
        raise e.refused("groups of a batch", "differentiate by rose.grad, not inside of JAX")
    images = shaping.transpose(x, (d.lhs_spec[0], *d.lhs_spec[2:], d.lhs_spec[1]))
    weights = shaping.transpose(kernel, (*d.rhs_spec[2:], d.rhs_spec[1], d.rhs_spec[0]))
    config = [(0, 0, 0), *[(a, b, s - 1) for (a, b), s in zip(p["padding"], p["lhs_dilation"], strict=True)], (0, 0, 0)]
    images = padded(images, config, 0.0, e.out.dtype)
    made = convolved(images, weights, p["window_strides"], p["rhs_dilation"], groups)
    order = (d.out_spec[0], *d.out_spec[2:], d.out_spec[1])
    return shaping.transpose(made, tuple(np.argsort(order).tolist()))


def convolved(
    images: Any, weights: Any, strides: Sequence[int], dilations: Sequence[int], groups: int = 1
) -> Any:  # fmt: skip
    """The convolution of images, channels last, with weights whose last axes are channels of a group, and features."""
    count = len(strides)
    ws = _windows(shape_of(images)[1 : 1 + count], shape_of(weights)[:count], strides, dilations)
    channels, features = shape_of(weights)[-2:]
    per_group = features // groups

    def element(image: Any, at: Sequence[Any], f: Any) -> Any:
        total = accum(0.0)
        first = (f // per_group) * channels if groups > 1 else None

        def add(pixel: Any, w: Any) -> None:
            nonlocal total
            for c in loops.range(channels):
                total += pixel[c if first is None else first + c] * w[c][f]

        each_tap(image, weights, at, ws, add)
        return total.value

    return loops.vec(
        each_place(ws, lambda at, n=n: loops.vec(element(images[n], at, f) for f in loops.range(features)))
        for n in loops.range(shape_of(images)[0])
    )


def _windows(sizes: Sequence[int], window: Sequence[int], strides: Sequence[int], steps: Sequence[int]) -> list[Window]:
    made = list[Window]()
    for n, size, stride, step in zip(sizes, window, strides, steps, strict=True):
        reach = (size - 1) * step + 1
        made.append(Window(size, stride, step, 0, 0, max((n - reach) // stride + 1, 0)))
    return made


_EXTREMES: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "reduce_window_max": (ops.max_, -np.inf), "reduce_window_min": (ops.min_, np.inf),
}  # fmt: skip


@rule("reduce_window_sum", "reduce_window_max", "reduce_window_min")
def _reduce_window(e: Equation, x: Any) -> Any:
    """Each axis is one of places: those of which the window has one element cost nothing."""
    p = e.params
    around = 0.0 if e.name == "reduce_window_sum" else _EXTREMES[e.name][1]
    config = [(a, b, s - 1) for (a, b), s in zip(p["padding"], p["base_dilation"], strict=True)]
    v = padded(x, config, around, e.out.dtype)
    ws = _windows(shape_of(v), p["window_dimensions"], p["window_strides"], p["window_dilation"])

    def summed(at: Sequence[Any]) -> Any:
        total = accum(0.0)

        def add(y: Any, _: None) -> None:
            nonlocal total
            total += y

        each_tap(v, None, at, ws, add)
        return total.value

    def extreme(at: Sequence[Any]) -> Any:
        pick, start = _EXTREMES[e.name]

        def along(y: Any, at: Sequence[Any], ws: Sequence[Window], best: Any) -> Any:
            if not ws:
                return pick(best, y)
            first = ws[0]
            there: Callable[[Any], Any] = lambda k: y[_place(at[0], k, first)]
            if first.size == 1:
                return along(there(0), at[1:], ws[1:], best)
            return control.scan(lambda k, best: along(there(k), at[1:], ws[1:], best), best, first.size)

        return along(v, at, ws, start)

    return each_place(ws, summed if e.name == "reduce_window_sum" else extreme)


def _place(at: Any, k: Any, w: Window) -> Any:
    base = at if w.stride == 1 else at * w.stride
    return base if isinstance(k, int) else base + (k if w.dilation == 1 else k * w.dilation)


@rule("reduce_window", raw=True, note="always")
def _by_function(e: Equation, *_: Operand) -> Any:
    raise e.refused("a window with a function of its own", "use sums, largest and least numbers")


@rule("select_and_scatter_add")
def _select_and_scatter_add(e: Equation, source: Any, x: Any) -> Any:
    """Each number of `source` is added where its window of `x` is largest (or least): the first such place."""
    p = e.params
    greater = str(p["select_prim"].name) == "ge"
    config = [(a, b, 0) for a, b in p["padding"]]
    v = padded(x, config, -np.inf if greater else np.inf, e.out.dtype)
    ws = _windows(shape_of(v), p["window_dimensions"], p["window_strides"], [1] * len(p["window_strides"]))
    total = accum(filled(shape_of(v), 0.0, e.out.dtype))

    def visit(y: Any, at: tuple[Any, ...]) -> None:
        if len(at) < len(ws):
            for i in loops.range(ws[len(at)].places):
                visit(y[i], (*at, i))
            return
        into: Any = total
        place = _best(v, at, ws, greater)
        for k in place[:-1]:
            into = into[k]
        into[place[-1]] += y

    visit(source, ())
    made = total.value
    cut = tuple([slice(a, a + n) for (a, _), n in zip(p["padding"], e.out.shape, strict=True)])
    return made[cut]


def _best(v: Any, at: Sequence[Any], ws: Sequence[Window], greater: bool) -> list[Any]:
    """The place of the first extreme element of a window."""
    wide = [k for k, w in enumerate(ws) if w.size > 1]
    sizes = [int(ws[k].size) for k in wide]
    starts = [a if w.stride == 1 else a * w.stride for a, w in zip(at, ws, strict=True)]

    def of(taps: Sequence[Any]) -> list[Any]:
        place = list(starts)
        for k, t in zip(wide, taps, strict=True):
            place[k] = place[k] + t
        return place

    def element(taps: Sequence[Any]) -> Any:
        y = v
        for k in of(taps):
            y = y[k]
        return y

    def numbers(j: int, taps: tuple[Any, ...]) -> list[Any]:
        if j == len(sizes):
            return [element(taps)]
        return [y for t in range(sizes[j]) for y in numbers(j + 1, (*taps, t))]

    rest = (argmax if greater else argmin)(joining.array(numbers(0, ())))
    taps = list[Any]()
    for size in reversed(sizes):
        taps.append(rest % size)
        rest = rest // size
    return of(taps[::-1])

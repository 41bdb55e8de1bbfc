"""Convolutions along any number of axes: sums over a window of places, and over channels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arrays.elementwise import array_function
from ..frontend.arrays.padding import pad
from ..frontend.arrays.shapes import array_type, as_array, leaf_of, shape_of
from ..frontend.language import loops
from ..frontend.language.accumulators import Accum, accum
from ..frontend.typed import Array, Operand
from ..ir import Value, a_traced, current_builder
from ..ir.sizes import differ, minus, plus, times
from ..ir.types import Real
from .windows import Padding, PerAxis, Window, image, integers, margins, windows


@array_function
def conv1d(
    x: Operand, kernel: Operand, *, stride: PerAxis = 1, padding: Padding = "valid", dilation: PerAxis = 1
) -> Array:
    """The convolution of signals, `Vec[batch, n, channels]`, with a kernel, `Vec[k, channels, out]`: as `conv2d`."""
    return _convolved(x, kernel, 1, stride, padding, dilation)


@array_function
def conv2d(
    x: Operand, kernel: Operand, *, stride: PerAxis = 1, padding: Padding = "valid", dilation: PerAxis = 1
) -> Array:
    """The convolution of images, `Vec[batch, h, w, channels]`, with a kernel, `Vec[kh, kw, channels, out]`.

    As in all libraries of neural networks the kernel is not reversed: element `(i, j)` of the result is the sum of
    `x[n, i * stride + k * dilation, j * stride + l * dilation, c] * kernel[k, l, c, f]`. `padding` is "valid": none;
    "same": zeros around, so that there are `ceil(size / stride)` places, with one more behind if they are odd; or a
    pair (before, after) for each axis. `stride` and `dilation` are integers, or one for each axis.
    """
    return _convolved(x, kernel, 2, stride, padding, dilation)


@array_function
def conv3d(
    x: Operand, kernel: Operand, *, stride: PerAxis = 1, padding: Padding = "valid", dilation: PerAxis = 1
) -> Array:
    """The convolution of volumes with a kernel, `Vec[ka, kb, kc, channels, out]`: as `conv2d`."""
    return _convolved(x, kernel, 3, stride, padding, dilation)


@array_function
def conv_transpose(
    x: Operand, kernel: Operand, *, stride: PerAxis = 1, padding: Padding = "valid", dilation: PerAxis = 1
) -> Array:
    """The transpose of a convolution: each element adds itself times the kernel, at its place times the stride.

    `x` has the axes batch, places, channels, and the kernel those of its places, channels, out. The result has
    `(size - 1) * stride + (k - 1) * dilation + 1` places along an axis; with padding "same" it has `size * stride`,
    and a pair (before, after) for each axis is what is cut off.
    """
    v, w = _operands(x, kernel, None, "conv_transpose")
    shape, size = shape_of(v.type), shape_of(w.type)
    count = len(shape) - 2
    strides, dilations = integers(stride, count, "stride"), integers(dilation, count, "dilation")
    whole, cuts = list[Any](), list[slice]()
    for k, (n, s, d) in enumerate(zip(shape[1:-1], strides, dilations, strict=True)):
        reach = (size[k] - 1) * d + 1
        before, after = margins(padding, k, count, 1, reach, s) if padding != "same" else _cut(reach, s)
        whole.append(plus(times(minus(n, 1), s), reach + max(-after, 0)))
        cuts.append(slice(before, -after if after > 0 else None))
    steps = [*zip(strides, dilations, strict=True)]
    made = loops.vec(_spread(v[n], w, steps, [*whole, size[-1]]) for n in loops.range(shape[0]))
    return made[(slice(None), *cuts)]


def _cut(reach: int, stride: int) -> tuple[int, int]:
    """What "same" cuts off before and after an axis; below zero, what is missing behind it."""
    more = reach - stride
    return (more // 2, more - more // 2) if more > 0 else (0, more)


def _operands(x: Operand, kernel: Operand, count: int | None, name: str) -> tuple[Value, Value]:
    v, w = image(x, name, count), as_array(kernel)
    shape, size = shape_of(v.type), shape_of(w.type)
    if leaf_of(w.type) is not Real or len(size) != len(shape) or differ(size[-2], shape[-1]):
        what = f"rose.nn.{name} of {a_traced(v)} has no kernel in {a_traced(w)}"
        hint = f"give a kernel of {len(shape) - 2} axes of places, {shape[-1]!r} channels, and those of the result"
        raise TypeMismatch(what, here(), hint)
    return v, w


def _convolved(x: Operand, kernel: Operand, count: int, stride: PerAxis, padding: Padding, dilation: PerAxis) -> Value:
    name = f"conv{count}d"
    v, w = _operands(x, kernel, count, name)
    ws = windows(shape_of(v.type)[1:-1], shape_of(w.type)[:count], stride, padding, dilation, name)
    v = padded(v, ws, 0.0)
    channels, out = shape_of(w.type)[-2:]

    def element(here: Value, at: Sequence[Any], f: Value) -> Value:
        total = accum(0.0)

        def add(pixel: Value, weights: Value) -> None:
            nonlocal total
            for c in loops.range(channels):
                total += pixel[c] * weights[c][f]

        each_tap(here, w, at, ws, add)
        return total.value

    return loops.vec(
        each_place(ws, lambda at, n=n: loops.vec(element(v[n], at, f) for f in loops.range(out)))
        for n in loops.range(shape_of(v.type)[0])
    )


def padded(v: Value, ws: Sequence[Window], around: float) -> Value:
    """The images with what the windows want around them."""
    widths = [(0, 0), *[(w.before, w.after) for w in ws], (0, 0)]
    return pad(v, widths, constant_values=around) if any([a or b for a, b in widths]) else v


def each_place(ws: Sequence[Window], item: Callable[[Sequence[Any]], Any], at: Sequence[Any] = ()) -> Value:
    """The array of `item(place)` for each place where the windows fit."""
    if len(at) == len(ws):
        return item(at)
    return loops.vec(each_place(ws, item, (*at, i)) for i in loops.range(ws[len(at)].places))


def each_tap(
    x: Value, kernel: Value | None, at: Sequence[Any], ws: Sequence[Window], do: Callable[[Any, Any], None]
) -> None:
    """Do this with each pixel in the windows at a place, and what a kernel has for it."""
    if not ws:
        do(x, kernel)
        return
    for k in loops.range(ws[0].size):
        there = x[_times(at[0], ws[0].stride) + _times(k, ws[0].dilation)]
        each_tap(there, kernel[k] if kernel is not None else None, at[1:], ws[1:], do)


def _times(i: Value, k: int) -> Value:
    return i if k == 1 else i * k


def _spread(x: Value, kernel: Value, steps: Sequence[tuple[int, int]], shape: Sequence[Any]) -> Value:
    """One image, each pixel of which adds itself times the kernel to an image of this shape."""
    total = accum(current_builder().zero(array_type(shape, Real)))

    def spread(x: Value, kernel: Value, ref: Accum, steps: Sequence[tuple[int, int]]) -> None:
        if not steps:
            for c in loops.range(kernel.shape[0]):
                for f in loops.range(shape[-1]):
                    ref[f] += x[c] * kernel[c][f]
            return
        for i in loops.range(x.shape[0]):
            for k in loops.range(kernel.shape[0]):
                spread(x[i], kernel[k], ref[i * steps[0][0] + k * steps[0][1]], steps[1:])

    spread(x, kernel, total, steps)
    return total.value

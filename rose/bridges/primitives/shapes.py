"""Axes of arrays: broadcasts, parts at known places, joins, padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...frontend.arrays import creation, editing, joining, padding, shaping
from ...frontend.language.select import constant
from ...ir import Value
from ..equations import Equation, rule
from ..operands import Known, Operand, array_type, shape_of


def reshaped(x: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array or a number in another shape."""
    own = shape_of(x)
    if own == shape:
        return x
    if not own:
        return filled(shape, x, dtype)
    return shaping.reshape(x, shape) if shape else x[(0,) * len(own)]


def filled(shape: tuple[int, ...], x: Any, dtype: Any) -> Any:
    """An array of one number."""
    if not shape:
        return x
    if not isinstance(x, Value):
        return constant(array_type(shape, dtype), np.full(shape, x).tolist()) if 0 in shape else creation.full(shape, x)
    return creation.full(shape, x)


@rule("broadcast_in_dim")
def _broadcast_in_dim(e: Equation, x: Any, *_: Any) -> Any:
    shape, places = e.out.shape, e.params["broadcast_dimensions"]
    within = e.range_of(x, e.ins[0]) if e.out.dtype.kind in "iu" else None
    own = shape_of(x)
    if not own:
        return e.remember(filled(shape, x, e.out.dtype), within)
    axes = [1] * len(shape)
    for k, n in zip(places, own, strict=True):
        axes[k] = n
    wide = reshaped(x, tuple(axes), e.out.dtype)
    return e.remember(wide if tuple(axes) == shape else shaping.broadcast_to(wide, shape), within)


@rule("reshape", "squeeze", "expand_dims")
def _reshape(e: Equation, x: Any, *_: Any) -> Any:
    within = e.range_of(x, e.ins[0]) if e.out.dtype.kind in "iu" else None
    return e.remember(reshaped(x, e.out.shape, e.out.dtype), within)


@rule("transpose")
def _transpose(e: Equation, x: Any) -> Any:
    return shaping.transpose(x, tuple(e.params["permutation"])) if shape_of(x) else x


@rule("rev")
def _rev(e: Equation, x: Any) -> Any:
    return shaping.flip(x, tuple(e.params["dimensions"])) if e.params["dimensions"] else x


@rule("slice")
def _slice(e: Equation, x: Any) -> Any:
    p = e.params
    steps = p["strides"] or (1,) * len(p["start_indices"])
    return x[tuple(map(slice, p["start_indices"], p["limit_indices"], steps))] if shape_of(x) else x


@rule("split")
def _split(e: Equation, x: Any) -> list[Any]:
    axis, at, parts = e.params["axis"], 0, list[Any]()
    for n in e.params["sizes"]:
        parts.append(x[(*[slice(None)] * axis, slice(at, at + n))])
        at += n
    return parts


@rule("concatenate")
def _concatenate(e: Equation, *xs: Any) -> Any:
    some = [x for x, a in zip(xs, e.ins, strict=True) if a.shape[e.params["dimension"]]]
    return xs[0] if not some else some[0] if len(some) == 1 else joining.concatenate(some, e.params["dimension"])


@rule("stack")
def _stack(e: Equation, *xs: Any) -> Any:
    return joining.stack(list(xs), axis=e.params.get("axis", e.params.get("dimension", 0)))


@rule("unstack")
def _unstack(e: Equation, x: Any) -> list[Any]:
    return list(editing.unstack(x, axis=e.params.get("axis", e.params.get("dimension", 0))))


@rule("tile")
def _tile(e: Equation, x: Any) -> Any:
    return shaping.tile(x, tuple(e.params["reps"]))


@rule("iota")
def _iota(e: Equation, *_: Any) -> Any:
    shape, axis = e.out.shape, e.params["dimension"]
    numbers = creation.arange(shape[axis])
    wide = [1] * len(shape)
    wide[axis] = shape[axis]
    return shaping.broadcast_to(reshaped(numbers, tuple(wide), e.out.dtype), shape)


@rule("pad")
def _pad(e: Equation, x: Any, around: Any) -> Any:
    return padded(x, e.params["padding_config"], around, e.out.dtype)


def padded(x: Any, config: Sequence[tuple[int, int, int]], around: Any, dtype: Any) -> Any:
    """Elements before, behind and between those of each axis; less than none before or behind cuts some off."""
    plain = all(
        low >= 0 and high >= 0 and (not between or n <= 1)
        for (low, high, between), n in zip(config, shape_of(x), strict=True)
    )
    if plain and not isinstance(around, Value) and dtype.kind != "b":
        widths = [(low, high) for low, high, _ in config]
        return padding.pad(x, widths, constant_values=around) if any(a or b for a, b in widths) else x
    for axis, (low, high, between) in enumerate(config):
        shape = shape_of(x)
        n, rank = shape[axis], len(shape)
        if between and n > 1:
            apart = filled((*shape[:axis], n, between, *shape[axis + 1 :]), around, dtype)
            rows = joining.concatenate([shaping.expand_dims(x, axis + 1), apart], axis + 1)
            x = reshaped(rows, (*shape[:axis], n * (between + 1), *shape[axis + 1 :]), dtype)
            n += (n - 1) * between
            x = x[(*[slice(None)] * axis, slice(0, n))]
        cut = slice(max(-low, 0), n - max(-high, 0))
        if cut != slice(0, n):
            x = x[(*[slice(None)] * axis, cut)]
        if low > 0 or high > 0:
            widths = [(0, 0)] * rank
            widths[axis] = (max(low, 0), max(high, 0))
            x = _surrounded(x, widths, around, dtype)
    return x


def _surrounded(x: Any, widths: list[tuple[int, int]], around: Any, dtype: Any) -> Any:
    if not isinstance(around, Value) and dtype.kind != "b":
        return padding.pad(x, widths, constant_values=around)
    shape, axis = shape_of(x), next(k for k, w in enumerate(widths) if w != (0, 0))
    parts = [filled((*shape[:axis], n, *shape[axis + 1 :]), around, dtype) for n in widths[axis] if n]
    before = parts[: bool(widths[axis][0])]
    return joining.concatenate([*before, x, *parts[len(before) :]], axis)


@rule("zeros_like", "empty", "empty2", raw=True)
def _zeros(e: Equation, *_: Operand) -> Operand:
    return Known(np.zeros(e.out.shape, e.out.dtype))

"""Gather, scatter, and slices at places that are known when the module runs.

An element of the result is read where JAX's documentation of `gather` says, by loops over the axes of the result. What
is outside is moved to the nearest place, filled, or left out, by the mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...frontend.arrays import shapes
from ...frontend.language import control, loops
from ...frontend.language.accumulators import accum
from ...frontend.language.select import constant, where
from ...ir import Value
from ...ir.types import Fin, Real
from ..equations import Equation, rule
from ..operands import Known, Operand, traced
from .control import as_index, typed

Place = Any  # an index of an axis: traced, or of Python
Windows = dict[int, int]  # axes of an array, and which of those of the result, or of the updates, each is


def _start(x: Any, n: int, size: int) -> Place:
    """Where a slice of `size` elements begins on an axis of `n`: the nearest place at which it fits."""
    return 0 if n == size else as_index(x, n - size + 1)


def made_of(shape: Sequence[int], item: Callable[..., Any], at: tuple[Place, ...] = ()) -> Any:
    """The array of `item(*indices)` of a shape."""
    if len(at) == len(shape):
        return item(*at)
    n = shape[len(at)]
    return loops.vec(made_of(shape, item, (*at, i if n > 1 else 0)) for i in loops.range(n))


def element(x: Any, at: Sequence[Place]) -> Any:
    """The element of an array at a place along each axis."""
    for k in at:
        x = x[k]
    return x


def plus(i: Place, k: Place) -> Place:
    return k if isinstance(i, int) and i == 0 else i if isinstance(k, int) and k == 0 else i + k


@rule("dynamic_slice", raw=True)
def _dynamic_slice(e: Equation, x: Operand, *starts: Operand) -> Operand:
    sizes, shape = e.params["slice_sizes"], e.ins[0].shape
    at = [_start(_whole(s), n, size) for s, n, size in zip(starts, shape, sizes, strict=True)]
    if not shape:
        return x
    v = traced(x)
    known = tuple([slice(k, k + n) if isinstance(k, int) else slice(None) for k, n in zip(at, sizes, strict=True)])
    if known != (slice(None),) * len(at):
        v = v[tuple([slice(None) if s == slice(0, n) else s for s, n in zip(known, shape, strict=True)])]
    moving = [0 if isinstance(k, int) else k for k in at]
    return _part(v, moving, sizes)


def _part(x: Any, starts: Sequence[Place], sizes: Sequence[int]) -> Any:
    """Some elements along each axis, from places on. A start that is 0 has all of its axis."""
    if not any(isinstance(s, Value) for s in starts):
        return x
    start, size = starts[0], sizes[0]
    return loops.vec(_part(x[plus(start, i if size > 1 else 0)], starts[1:], sizes[1:]) for i in loops.range(size))


def _whole(x: Operand) -> Any:
    return int(x.array) if x.__class__ is Known else traced(x)


@rule("dynamic_update_slice", raw=True)
def _dynamic_update_slice(e: Equation, x: Operand, new: Operand, *starts: Operand) -> Operand:
    shape, sizes = e.ins[0].shape, e.ins[1].shape
    if shape == sizes:
        return new
    at = [_start(_whole(s), n, size) for s, n, size in zip(starts, shape, sizes, strict=True)]
    return _updated(typed(x, e.ins[0]), typed(new, e.ins[1]), at, shape, sizes)


def _updated(x: Any, new: Any, at: Sequence[Place], shape: Sequence[int], sizes: Sequence[int]) -> Any:
    """An array with a part of it replaced: a row at a time, of those axes along which it is a part."""
    if tuple(shape) == tuple(sizes):
        return new
    n, start = sizes[0], at[0]
    inner: Callable[[Any, Any], Any] = lambda old, y: _updated(old, y, at[1:], shape[1:], sizes[1:])
    if all(isinstance(k, int) for k in at):
        return x.at[tuple([slice(k, k + m) for k, m in zip(at, sizes, strict=True)])].set(new)
    if n == 1:
        return x.at[start].set(inner(x[start], new[0]) if len(shape) > 1 else new[0])
    step: Callable[[Any, Any], Any] = lambda i, s: s.at[plus(start, i)].set(
        inner(s[plus(start, i)], new[i]) if len(shape) > 1 else new[i]
    )
    return control.scan(step, x, n)


# gather


@rule("gather", raw=True)
def _gather(e: Equation, x: Operand, indices: Operand) -> Operand:
    d, mode, shape = e.params["dimension_numbers"], str(e.params["mode"]), e.ins[0].shape
    slices: Sequence[int] = e.params["slice_sizes"]
    v, sizes = traced(x), dict(enumerate(slices))
    filled, fill = "FILL" in mode, e.params["fill_value"]
    if filled and fill is None:
        fill = np.nan if e.kind in "fc" else _extreme(e)
    batching = dict(zip(d.operand_batching_dims, d.start_indices_batching_dims, strict=True))
    windows = _windows(shape, d.collapsed_slice_dims, batching, d.offset_dims)
    place = _placer(e, indices, windows, batching, d.start_index_map, sizes, checked=filled)

    def item(*at: Place) -> Any:
        places, held = place(*at)
        found = element(v, places)
        return found if held is True else where(held, found, fill)

    return e.remember(made_of(e.out.shape, item), e.range_of(x, e.ins[0]) if e.kind in "iu" and not filled else None)


def _windows(shape: Sequence[int], without: Sequence[int], batching: dict[int, int], axes: Sequence[int]) -> Windows:
    """The axes of a window, which are those of an array but for some, each with its place among other axes."""
    inside = [k for k in range(len(shape)) if k not in without and k not in batching]
    return dict(zip(inside, axes, strict=True))


def _placer(
    e: Equation, indices: Operand, windows: Windows, batching: dict[int, int], starts: Sequence[int],
    sizes: dict[int, int], *, checked: bool,
) -> Callable[..., tuple[list[Place], Any]]:  # fmt: skip
    """From the place of an element of the windows to that in the array, and whether there is one, if that is `checked`.

    The axes that are not of `windows` are those of the indices, whose components are for the axes in `starts`.
    """
    reader, axes = _reader(indices), set(windows.values())

    def place(*at: Place) -> tuple[list[Place], Any]:
        row = [i for k, i in enumerate(at) if k not in axes]
        places, held = list[Place](), True
        for k, n in enumerate(e.ins[0].shape):
            if k in batching:
                places.append(row[batching[k]])
                continue
            inside: Place = at[windows[k]] if k in windows else 0
            if k in starts:
                start, size = reader(row, starts.index(k)), sizes.get(k, 1)
                if checked:
                    held = _both(held, _fits(e, start, n - size, indices))
                inside = plus(_start(start, n, size), inside)
            places.append(inside)
        return places, held

    return place


def _extreme(e: Equation) -> float:
    info = np.iinfo(e.ins[0].dtype) if e.kind in "iu" else None
    return 1.0 if info is None else float(info.min if e.kind == "i" else info.max)


def _reader(indices: Operand) -> Callable[[Sequence[Place], int], Any]:
    """What reads component `k` of the index at a place of an array of them, whose last axis has the components."""
    if indices.__class__ is Known:
        columns = [_known(indices.array[..., k]) for k in range(indices.array.shape[-1])]
        return lambda row, k: columns[k](row)
    numbers = traced(indices)
    return lambda row, k: element(numbers, [*row, k])


def _known(numbers: Any) -> Callable[[Sequence[Place]], Any]:
    """What reads known whole numbers: one alone, equal steps, or a table of indices."""
    if numbers.size and (numbers == numbers.flat[0]).all():
        first = int(numbers.flat[0])
        return lambda _: first
    if numbers.ndim == 1 and numbers.size and (np.diff(numbers) == numbers[1] - numbers[0]).all():
        start, step = int(numbers[0]), int(numbers[1] - numbers[0])
        return lambda row: row[0] * step + start
    least, most = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    t = shapes.array_type(numbers.shape, Real if least < 0 else Fin(most + 1))
    table = constant(t, numbers.tolist())
    return lambda row: element(table, row)


def _fits(e: Equation, start: Any, most: int, indices: Operand) -> Any:
    """Whether a slice that begins there is inside of its axis."""
    if isinstance(start, int):
        return 0 <= start <= most
    known = e.range_of(indices, e.ins[1])
    if known is not None and 0 <= known[0] and known[1] <= most:
        return True
    return (start >= 0) & (start <= most)


def _both(p: Any, q: Any) -> Any:
    return q if p is True else p if q is True else False if p is False or q is False else p & q


# scatter


@rule("scatter", "scatter-add", "scatter_add", "scatter-sub", "scatter_sub", "scatter-mul", "scatter_mul",
      "scatter-min", "scatter_min", "scatter-max", "scatter_max", raw=True)  # fmt: skip
def _scatter(e: Equation, x: Operand, indices: Operand, updates: Operand) -> Operand:
    d, theirs = e.params["dimension_numbers"], e.ins[2].shape
    batching = dict(zip(d.operand_batching_dims, d.scatter_indices_batching_dims, strict=True))
    windows = _windows(e.ins[0].shape, d.inserted_window_dims, batching, d.update_window_dims)
    sizes = {k: theirs[axis] for k, axis in windows.items()}
    v, new, checked = typed(x, e.ins[0]), typed(updates, e.ins[2]), "CLIP" not in str(e.params["mode"])
    place = _placer(e, indices, windows, batching, d.scatter_dims_to_operand_dims, sizes, checked=checked)
    kind = e.name.replace("_", "-").removeprefix("scatter").removeprefix("-")
    if kind in ("add", "sub") and e.kind != "b":
        return _added(v, new, theirs, place, -1.0 if kind == "sub" else 1.0)
    return _set(v, new, theirs, place, kind)


def _added(v: Any, new: Any, shape: Sequence[int], place: Callable[..., Any], sign: float) -> Any:
    total = accum(v)

    def nest(y: Any, at: tuple[Place, ...]) -> None:
        if len(at) < len(shape):
            for i in loops.range(shape[len(at)]):
                nest(y[i], (*at, i))
            return
        places, held = place(*at)
        if held is False:
            return
        given = y if sign == 1.0 else -y
        into: Any = total
        for k in places[:-1]:
            into = into[k]
        if places:
            into[places[-1]] += given if held is True else where(held, given, 0.0)
        else:
            into += given if held is True else where(held, given, 0.0)

    nest(new, ())
    return total.value


_CHANGES: dict[str, Callable[[Any, Any], Any]] = {
    "": lambda old, y: y,
    "add": lambda old, y: old + y,
    "mul": lambda old, y: old * y,
    "min": lambda old, y: _np.minimum(old, y),
    "max": lambda old, y: _np.maximum(old, y),
}
_np: Any = np


def _set(v: Any, new: Any, shape: Sequence[int], place: Callable[..., Any], kind: str) -> Any:
    """The array with elements changed, one after the other."""
    change = _CHANGES[kind]

    def nest(s: Any, y: Any, at: tuple[Place, ...]) -> Any:
        if len(at) < len(shape):
            if shape[len(at)] == 1:
                return nest(s, y[0], (*at, 0))
            return control.scan(lambda i, s: nest(s, y[i], (*at, i)), s, shape[len(at)])
        places, held = place(*at)
        if held is False:
            return s
        if not places:
            return change(s, y) if held is True else where(held, change(s, y), s)
        old = element(s, places)
        after = change(old, y) if held is True else where(held, change(old, y), old)
        return s.at[tuple(places)].set(after)

    return nest(v, new, ())

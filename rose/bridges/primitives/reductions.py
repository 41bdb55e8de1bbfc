"""Sums and extremes along axes, running ones, products of matrices, orders."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_letters
from typing import Any

import numpy as np

from ...frontend.arrays import counting, einsum, order, products, reductions, running, shaping, ufuncs
from ...frontend.language import control, loops
from ..equations import Equation, limits, rule
from ..operands import Truth, shape_of, traced
from .control import closed
from .shapes import filled

_along: dict[str, Callable[..., Any]] = {
    "reduce_sum": loops.sum, "reduce_prod": loops.prod, "reduce_max": loops.max, "reduce_min": loops.min,
    "reduce_and": reductions.all_, "reduce_or": reductions.any_,
}  # fmt: skip
_running: dict[str, Callable[..., Any]] = {
    "cumsum": running.cumsum, "cumprod": running.cumprod, "cummax": running.cummax, "cummin": running.cummin,
}  # fmt: skip


@rule(*_along)
def _reduce(e: Equation, x: Any) -> Any:
    axes = tuple(e.params["axes"])
    if not axes:
        return x
    if e.name in ("reduce_max", "reduce_min") and 0 in e.ins[0].shape:
        within = limits(e.out.dtype) if e.out.dtype.kind in "iu" else (-np.inf, np.inf)
        assert within is not None
        return filled(e.out.shape, float(within[e.name == "reduce_min"]), e.out.dtype)
    made = _along[e.name](x, axis=axes)
    extreme = e.name in ("reduce_max", "reduce_min") and e.out.dtype.kind in "iu"
    return e.remember(made, e.range_of(x, e.ins[0])) if extreme else made


@rule("reduce_xor")
def _reduce_xor(e: Equation, x: Any) -> Any:
    if e.kind != "b":
        raise e.refused("the bits of whole numbers along an axis", "write it with jax.numpy's functions of numbers")
    return loops.sum(Truth(x).traced(), axis=tuple(e.params["axes"])) % 2.0 > 0.5


@rule("argmax", "argmin")
def _arg(e: Equation, x: Any) -> Any:
    of = reductions.argmax if e.name == "argmax" else reductions.argmin
    (axis,) = e.params["axes"]
    return e.remember(of(x, axis=axis), (0, e.ins[0].shape[int(axis)] - 1))


@rule(*_running)
def _run(e: Equation, x: Any) -> Any:
    axis, f = e.params["axis"], _running[e.name]
    return shaping.flip(f(shaping.flip(x, axis), axis), axis) if e.params["reverse"] else f(x, axis)


@rule("cumlogsumexp")
def _cumlogsumexp(e: Equation, x: Any) -> Any:
    axis = e.params["axis"]
    rows = shaping.moveaxis(x, axis, 0)
    rows = shaping.flip(rows, 0) if e.params["reverse"] else rows
    shape = shape_of(rows)
    first = filled(shape[1:], -np.inf, e.out.dtype)

    def step(k: Any, total: Any) -> Any:
        after = ufuncs.logaddexp(total, rows[k])
        return after, after

    _, sums = control.scan(step, first, shape[0])
    return shaping.moveaxis(shaping.flip(sums, 0) if e.params["reverse"] else sums, 0, axis)


@rule("dot_general")
def _dot_general(e: Equation, x: Any, y: Any, *_: Any) -> Any:
    (left, right), (batch_left, batch_right) = e.params["dimension_numbers"]
    m, n = len(e.ins[0].shape), len(e.ins[1].shape)
    if not left and not batch_left:
        return _outer(x, y)
    if not batch_left and m <= 2 and n <= 2 and tuple(left) == (m - 1,) and tuple(right) == (0,):
        return products.matmul(x, y)
    letters = iter(ascii_letters)
    a = [next(letters) for _ in range(m)]
    b = [""] * n
    for i, j in (*zip(left, right, strict=True), *zip(batch_left, batch_right, strict=True)):
        b[j] = a[i]
    b = [c or next(letters) for c in b]
    shared: list[str] = [a[i] for i in batch_left]
    rest = [c for i, c in enumerate(a) if i not in left and i not in batch_left]
    rest += [c for j, c in enumerate(b) if j not in right and j not in batch_right]
    return einsum.einsum(f"{''.join(a)},{''.join(b)}->{''.join([*shared, *rest])}", x, y)


def _outer(x: Any, y: Any) -> Any:
    m, n = len(shape_of(x)), len(shape_of(y))
    if not m or not n:
        return x * y
    a, b = ascii_letters[:m], ascii_letters[m : m + n]
    return einsum.einsum(f"{a},{b}->{a}{b}", x, y)


@rule("sort")
def _sort(e: Equation, *xs: Any) -> list[Any]:
    axis, keys = e.params["dimension"], e.params["num_keys"]
    if len(xs) == 1:
        return [order.sort(xs[0], axis)]
    if keys == 1:
        at = order.argsort(xs[0], axis, stable=True)
    else:
        at = counting.lexsort(tuple(reversed(xs[:keys])), axis)
    return [order.take_along_axis(x, at, axis) for x in xs]


@rule("top_k")
def _top_k(e: Equation, x: Any) -> list[Any]:
    k, axis = e.params["k"], len(e.ins[0].shape) - 1
    at = order.argsort(-x, axis, stable=True)[(*[slice(None)] * axis, slice(0, k))]
    return [order.take_along_axis(x, at, axis), e.remember(at, (0, e.ins[0].shape[-1] - 1))]


@rule("reduce", raw=True)
def _reduce_by(e: Equation, *xs: Any) -> list[Any]:
    """The operands folded along axes, by a function of pairs."""
    n, axes = len(xs) // 2, tuple(e.params["dimensions"])
    rest = [k for k in range(len(e.ins[0].shape)) if k not in axes]
    rows = [_flat(traced(x), axes, rest) for x in xs[:n]]
    shape = tuple([e.ins[0].shape[k] for k in rest])
    first = tuple([filled(shape, traced(x), a.dtype) for x, a in zip(xs[n:], e.ins[n:], strict=True)])
    inner = closed(e, "jaxpr")

    def step(k: Any, state: Any) -> Any:
        pairs = [*[state[j] for j in range(n)], *[r[k] for r in rows]]
        return tuple(_each(lambda *v: e.program.run(inner, v), pairs, shape, e))

    last = control.scan(step, first, shape_of(rows[0])[0])
    return [last[k] for k in range(n)]


def _flat(x: Any, axes: tuple[int, ...], rest: list[int]) -> Any:
    moved = shaping.transpose(x, (*axes, *rest))
    shape = shape_of(moved)
    return shaping.reshape(moved, (int(np.prod(shape[: len(axes)])), *shape[len(axes) :]))


def _each(f: Callable[..., list[Any]], xs: list[Any], shape: tuple[int, ...], e: Equation) -> list[Any]:
    """The results of `f` for the elements of arrays of a shape."""
    if not shape:
        return [traced(x) for x in f(*xs)]
    of: Callable[[int], Any] = lambda k: loops.vec(
        _each(f, [x[i] for x in xs], shape[1:], e)[k] for i in loops.range(shape[0])
    )
    return [of(k) for k in range(len(e.outs))]

"""Schedules: the rate of a step by its number, which counts from 0; and the minibatches of an epoch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..errors import TypeMismatch, edge, here
from ..frontend import options
from ..frontend.function import AnyFn, make
from ..frontend.language.loops import min as least
from ..frontend.language.select import select
from ..frontend.operators import view
from ..ir import Value, current_builder, shown
from ..ir.ops import cos
from ..ir.types import Fin, Vec
from ..random import permutation
from ..random.keys import Key
from ..random.philox import KEY

Schedule = Callable[[Any], Any]
Rate = float | Value | Schedule


def at(rate: Rate, step: Value) -> Any:
    """The rate of that step: a number, or what a schedule gives."""
    return rate if isinstance(rate, (int, float, Value)) else rate(step)


def checked(rate: Rate) -> Rate:
    """A rate, which is a number from 0, or a function of the number of the step."""
    return options.number_or_traced(rate, "rate") if isinstance(rate, Value) or not callable(rate) else rate


@edge
def linear(start: float, end: float, steps: int) -> Schedule:
    """From `start` to `end` in so many steps, and `end` after that."""
    steps = options.count(steps, "steps")
    return lambda k: start + (end - start) * least(k / steps, 1.0)


@edge
def exponential(rate: float, steps: int, decay: float) -> Schedule:
    """`rate * decay ** (k / steps)`: times `decay` after each so many steps."""
    rate, steps = options.number(rate, "rate"), options.count(steps, "steps")
    decay = options.number(decay, "decay")
    return lambda k: rate * decay ** (k / steps)


@edge
def cosine(rate: float, steps: int, *, warmup: int = 0, end: float = 0.0) -> Schedule:
    """Half a wave of the cosine from `rate` to `end`, at the step `steps` and after it.

    Before it the rate grows from 0 to `rate` in `warmup` of these steps: Loshchilov and Hutter, SGDR (ICLR 2017), (5).
    """
    rate, steps, end = options.number(rate, "rate"), options.count(steps, "steps"), options.number(end, "end")
    if warmup.__class__ is not int or not 0 <= warmup < steps:
        what = f"warmup is a number of steps from 0 to below {steps}, not {shown(warmup)}"
        raise TypeMismatch(what, here(), "let it be shorter than steps")

    def schedule(k: Value) -> Any:
        falling = end + (rate - end) * 0.5 * (1.0 + cos(math.pi * least((k - warmup) / (steps - warmup), 1.0)))
        return select(k < warmup, k * (rate / warmup), falling) if warmup else falling

    return schedule


@edge
def minibatches(key: Key, n: int, size: int) -> Any:
    """The indices of `n` examples in a random order, in batches of `size`: a `Vec[n // size, size, Fin[n]]`.

    What is left of them is in no batch. The key is one of `rose.random`, and decides the order.
    """
    n, size = options.count(n, "n"), options.count(size, "size")
    if size > n:
        what = f"there is no batch of {size} among {n} examples"
        raise TypeMismatch(what, here(), "let a batch be no larger")
    return _batches(n, size)(key)


def _batches(n: int, size: int) -> AnyFn:
    count = n // size
    result = Vec(count, Vec(size, Fin(n)))

    def body(key: Value) -> Any:
        b, order = current_builder(), permutation(key, n)
        row: Callable[[Value], Value] = lambda i: b.vec(size, lambda j: order[view(i) * size + view(j)])
        return view(b.vec(count, row))

    return make(body, [KEY], result, "minibatches", ["key"])

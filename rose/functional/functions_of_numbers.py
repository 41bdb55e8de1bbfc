"""Functions of numbers, of which operators are made: constants, sums and products, number by number."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ..frontend.function import AnyFn, make
from ..frontend.language.loops import range as indices
from ..frontend.language.loops import vec
from ..frontend.signatures import names_of
from ..frontend.values import infer, to_value
from ..ir import Value, current_builder
from ..ir.types import Real, Tuple, Type, Vec


@cache
def known(f: Callable[..., Any], types: tuple[Type, ...], result: Type, name: str) -> AnyFn:
    """The function of numbers that `f` is at these types: one for the same `f`."""
    return again(make(f, types, result, name, names_of(f, len(types))), known, f, types, result, name)


def again(f: AnyFn, by: Callable[..., AnyFn], *args: Any) -> AnyFn:
    """`f`, which a pickle makes again by this call."""
    f.made_by = by, args, {}
    return f


def number(x: Any, t: Type) -> AnyFn:
    """A function of no arguments that gives `x`: a host value, or a traced one."""
    return again(make(lambda: x, [], t, "constant", []), number, x, t)


@cache
def nothing(t: Type) -> AnyFn:
    return again(make(lambda: current_builder().zero(t), [], t, "zero", []), nothing, t)


def each_number(f: Callable[..., Value], *ys: Value) -> Any:
    """`f` of the numbers at the same place in values of one type; what is no number is that of the first."""
    t, b = ys[0].type, current_builder()
    if isinstance(t, Vec):
        return vec(each_number(f, *[y[i] for y in ys]) for i in indices(t.size))
    if isinstance(t, Tuple):
        items = [each_number(f, *[b.get(y, k) for y in ys]) for k in range(len(t.items))]
        return b.tuple([to_value(x, s) for x, s in zip(items, t.items, strict=True)], t)
    return f(*ys) if t is Real else ys[0]


def product(x: Any, by: Value) -> Any:
    """`x`, each number of it times `by`."""

    def times(u: Value) -> Value:
        return u * by

    return each_number(times, infer(x))


def plus(x: Value, y: Value) -> Value:
    return x + y


def opposite(x: Any) -> Any:
    return each_number(_minus, infer(x))


def _minus(x: Value) -> Value:
    return -x

"""Flattening: a value of any type as the vector of its numbers, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .. import ir
from ..frontend.language import accumulators, loops
from ..frontend.operators import view
from ..frontend.values import to_value
from ..ir import Builder, Value
from ..ir.types import Real, Tuple, Type, Vec, count_reals

Path = tuple[Value | int, ...]  # to a part of a value: an index of a vector, or the number of an item


def build(b: Builder, t: Type, leaf: Callable[[Path], Value], path: Path = ()) -> Value:
    """A value shaped as `t`, with `leaf(path)` for each Real in it."""
    if isinstance(t, Vec):
        return b.vec(t.size, lambda i: build(b, t.elem, leaf, (*path, i)))
    if isinstance(t, Tuple):
        parts = [build(b, x, leaf, (*path, k)) for k, x in enumerate(t.items)]
        return b.tuple(parts, t.of(tuple([p.type for p in parts])))
    return leaf(path) if t is Real else b.unit()


def read(b: Builder, x: Value, path: Path) -> Value:
    """The part of a value at a path."""
    for k in path:
        x = b.index(x, k) if isinstance(k, Value) else b.get(x, k)
    return x


class Flat:
    """A type, and the vector of as many Reals as are in it. Only one made of nothing else has a `value`."""

    def __init__(self, t: Type) -> None:
        self.type, self.size = t, count_reals(t)
        self.vec = Vec(self.size, Real)

    def vector(self, x: Any) -> Any:
        """The numbers of `x`, in order."""
        v = to_value(x, self.type)
        if self.type is self.vec:
            return v
        total = accumulators.accum(ir.current_builder().zero(self.vec))
        _each(self.type, v, 0, lambda at, number: _add(total, at, number))
        return total.value

    def value(self, v: Any) -> Any:
        """Unflatten: the value whose numbers are the elements of the vector `v`."""
        if self.type is self.vec:
            return v
        return view(build(ir.current_builder(), self.type, lambda path: v[place(self.type, path)]))


def is_real(t: Type) -> bool:
    """True if a `t` is made of Reals, and of nothing else."""
    if isinstance(t, Vec):
        return is_real(t.elem)
    return all(map(is_real, t.items)) if isinstance(t, Tuple) else t is Real


def place(t: Type, path: tuple[Value | int, ...]) -> Any:
    """The position in the vector of the number at `path` in a `t`: an index, or a number if Python knows it."""
    at: Any = None
    for k in path:
        if isinstance(t, Vec):
            t = t.elem
            step = k if t is Real else k * count_reals(t)
        else:
            items = cast("Tuple", t).items
            step, t = sum(map(count_reals, items[: cast("int", k)])), items[cast("int", k)]
        at = step if at is None else at + step
    return 0 if at is None else at


def _each(t: Type, x: Value, at: Any, do: Callable[[Any, Value], None]) -> None:
    """Do this with each number of `x`, and its place."""
    b = ir.current_builder()
    if isinstance(t, Vec):
        for i in loops.range(t.size):
            _each(t.elem, b.index(x, i), at + i * count_reals(t.elem), do)
    elif isinstance(t, Tuple):
        for k, item in enumerate(t.items):
            _each(item, b.get(x, k), at, do)
            at = at + count_reals(item)
    elif t is Real:
        do(at, x)


def _add(total: Any, at: Any, number: Value) -> None:
    total[at] += number

"""The numbers of a value, in one vector: what a search goes through, whatever the type of its start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from .. import ir, loops
from ..derive import build, count
from ..ir import Value
from ..operators import view
from ..structs import to_value
from ..types import Real, Tuple, Type, Vec


class Flat:
    """A type made of Reals, and the vector of as many of them."""

    def __init__(self, t: Type) -> None:
        self.type, self.size = t, count(t)
        self.vec = Vec(self.size, Real)

    def vector(self, x: Any) -> Any:
        """The numbers of `x`, in order."""
        v = to_value(x, self.type)
        if self.type is self.vec:
            return v
        total = loops.accum(ir.builder().zero(self.vec))
        _each(self.type, v, 0, lambda at, number: _add(total, at, number))
        return total.value

    def value(self, v: Any) -> Any:
        """What has the numbers of the vector `v`."""
        if self.type is self.vec:
            return v
        return view(build(ir.builder(), self.type, lambda path: v[_place(self.type, path)]))


def is_real(t: Type) -> bool:
    """True if a `t` is made of Reals, and of nothing else."""
    if isinstance(t, Vec):
        return is_real(t.elem)
    return all(map(is_real, t.items)) if isinstance(t, Tuple) else t is Real


def _place(t: Type, path: tuple[Value | int, ...]) -> Any:
    """Where the number that lies at `path` in a `t` is in the vector: an index, or a number if Python knows it."""
    at: Any = 0
    for k in path:
        if isinstance(t, Vec):
            t = t.elem
            at = at + k * count(t)
        else:
            items = cast("Tuple", t).items
            at, t = at + sum(map(count, items[: cast("int", k)])), items[cast("int", k)]
    return at


def _each(t: Type, x: Value, at: Any, do: Callable[[Any, Value], None]) -> None:
    """Do this with each number of `x`, and its place."""
    b = ir.builder()
    if isinstance(t, Vec):
        for i in loops.range(t.size):
            _each(t.elem, b.index(x, i), at + i * count(t.elem), do)
    elif isinstance(t, Tuple):
        for k, item in enumerate(t.items):
            _each(item, b.get(x, k), at, do)
            at = at + count(item)
    else:
        do(at, x)


def _add(total: Any, at: Any, number: Value) -> None:
    total[at] += number

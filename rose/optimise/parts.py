"""The parts of a value: the items of a tuple, and the elements of a short vector, down to numbers and long vectors.

A short vector is one of at most so many numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import Builder, Value
from ..ir.sizes import Size
from ..ir.types import Tuple, Type, Vec
from . import costs

SHORT = costs.SPLIT_ELEMENTS


def parts(t: Type, short: int = SHORT) -> list[Type]:
    """The types of the parts of a `t` that is taken apart."""
    if isinstance(t, Tuple):
        return [part for x in t.items for part in parts(x, short)]
    if isinstance(t, Vec) and not isinstance(t.size, Size) and 0 < t.size <= short:
        inner = parts(t.elem, short)
        if len(inner) * t.size <= short and all([x.scalar for x in inner]):
            return inner * t.size
    return [] if t.empty else [t]


def opened(b: Builder, x: Value, short: int = SHORT) -> Iterator[Value]:
    """The parts of `x`."""
    t = x.type
    if isinstance(t, Tuple):
        for k in range(len(t.items)):
            yield from opened(b, b.get(x, k), short)
    elif not t.empty and parts(t, short) == [t]:
        yield x
    elif isinstance(t, Vec) and not t.empty:
        for k in range(t.size):
            yield from opened(b, b.index(x, k), short)


def closed(b: Builder, t: Type, found: Iterator[Value], short: int = SHORT) -> Value:
    """The `t` that has these parts."""
    if t.empty:
        return b.zero(t)
    if isinstance(t, Tuple):
        return b.tuple([closed(b, x, found, short) for x in t.items], t)
    if parts(t, short) == [t]:
        return next(found)
    assert isinstance(t, Vec)
    return b.pack([closed(b, t.elem, found, short) for _ in range(t.size)], t)

"""Parts of linear values: those that have a cotangent of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import AT, GET, INDEX, Value
from ..ir.types import Ref, Tan, Tuple, Type

Path = tuple[int, ...]
Key = tuple[Value, Path]  # a number, a vector or a stack in a value: the items that lead to it


def leaves(t: Type, path: Path = ()) -> Iterator[tuple[Path, Type]]:
    """The numbers, vectors and stacks of tangents in a type, with the items that lead to them."""
    if isinstance(t, Tuple):
        for k, item in enumerate(t.items):
            if item.linear:
                yield from leaves(item, (*path, k))
    elif t.linear:
        yield path, t


def inner(t: Type) -> Type:
    """The type of what an accumulator sums; any other type itself."""
    return t.inner if isinstance(t, Ref) else t


def key_of(v: Value, path: Path = ()) -> Key:
    """The part of a value that has a cotangent of its own: an item of a tuple has, an element has not.

    A vector that is an element of another is a part of that one.
    """
    while True:
        steps: list[int] = list(path)
        while v.op is GET or v.op is AT:
            v, steps = v.args[0], [v.attr, *steps]
        t, n = inner(v.type), 0
        while n < len(steps) and isinstance(t, Tuple):
            t, n = t.items[steps[n]], n + 1
        if v.op is not INDEX or t is Tan or isinstance(t, Tuple):
            return v, tuple(steps[:n])
        v, path = v.args[0], ()


def whole_of(v: Value) -> Value:
    """What a value is an item of."""
    while v.op is GET:
        v = v.args[0]
    return v

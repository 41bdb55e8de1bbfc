"""The abstract domain: what is known of a value before a program runs.

A tangent is known as an `IndexSet`. A number, truth value or index is known as itself, or not at all: then it is None.
`NOTHING` is a number that was computed, and is 0 because of what is known to be 0: so 0 times anything is. A tuple is a
tuple, a vector a `Row`. A stack is its top item and the stack below it, or `()` if it is empty; or `Several`. Where
there is not a tangent inside, and nothing is known, None stands for the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...ir.types import Bool, Fin, Real, Stack, Tan, Tuple, Type, Vec, once
from .index_sets import EMPTY, IndexSet, Settled, union

NOTHING: Any = type("Nothing", (), {"__slots__": ()})()


def is_nothing(x: Any) -> bool:
    """True for a number that is known to be 0."""
    return x is NOTHING or x == 0.0


class Row(list[Any]):
    """The elements of a vector."""

    __slots__ = ("_any",)

    def any(self, t: Type) -> Any:
        """An element, when it is not known which it is."""
        try:
            return self._any
        except AttributeError:
            self._any = _one_of(t, self)
            return self._any


class Several:
    """A stack of which it is not known how high it is: `item` is any of its items, or the zero below them.

    The stacks in `item` are of this kind, too.
    """

    __slots__ = ("item",)

    def __init__(self, item: Any) -> None:
        self.item = item


@once
def zero(t: Type) -> Any:
    """The zero of a type."""
    if t is Tan:
        return EMPTY
    if isinstance(t, Vec):
        return Row([zero(t.elem)] * t.size)
    if isinstance(t, Tuple):
        return tuple([zero(x) for x in t.items])
    if isinstance(t, Stack):
        return ()
    return False if t is Bool else 0 if isinstance(t, Fin) else 0.0 if t is Real else None


def leaves(t: Type, x: Any) -> Iterator[IndexSet]:
    """The tangents in a value, in order."""
    if t is Tan:
        yield x
    elif isinstance(t, Tuple) and t.linear:
        for s, y in zip(t.items, x, strict=True):
            yield from leaves(s, y)
    elif isinstance(t, Vec) and t.linear:
        for y in x:
            yield from leaves(t.elem, y)
    elif isinstance(t, Stack) and t.linear:
        yield from leaves(t.elem, x.item)


def of_leaves(t: Type, leaf: Callable[[], IndexSet]) -> Any:
    """A value of a type with `leaf()` for each tangent in it, in order; of the rest nothing is known."""
    if isinstance(t, Vec) and t.linear:
        return Row([of_leaves(t.elem, leaf) for _ in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([of_leaves(x, leaf) for x in t.items])
    return leaf() if t is Tan else None


def mapped(t: Type, x: Any, leaf: Callable[[Any], Any]) -> Any:
    """A value with `leaf(s)` in the place of each tangent `s` in it, in order."""
    if t is Tan:
        return leaf(x)
    if isinstance(t, Vec) and t.linear:
        return Row([mapped(t.elem, y, leaf) for y in x])
    if isinstance(t, Tuple) and t.linear:
        return tuple([mapped(s, y, leaf) for s, y in zip(t.items, x, strict=True)])
    return x


def signature(t: Type, x: Any) -> Any:
    """A key for what is known of a value besides its tangents."""
    if t is Tan or x is None or t.scalar:
        return None if t is Tan else x
    types = t.items if isinstance(t, Tuple) else [t.elem] * len(x) if isinstance(t, Vec) else []
    return tuple([signature(s, y) for s, y in zip(types, x, strict=False)])


def join(t: Type, x: Any, y: Any) -> Any:
    """A value that is one of these two."""
    if x is y:
        return x
    if t is Tan:
        return union(x, y)
    if x is None or y is None:
        return None
    if isinstance(t, Stack):
        return Several(join(t.elem, several(t, x).item, several(t, y).item))
    if t is Real:
        return NOTHING if is_nothing(x) and is_nothing(y) else None
    if isinstance(t, Tuple):
        return tuple([join(s, a, b) for s, a, b in zip(t.items, x, y, strict=True)])
    if isinstance(t, Vec):
        return Row([join(t.elem, a, b) for a, b in zip(x, y, strict=True)])
    return x if x == y else None


def added(t: Type, x: Any, y: Any) -> Any:
    """The sum of two values, of tangents and numbers."""
    if t is Tan:
        return union(x, y)
    if t is Real:
        return NOTHING if is_nothing(x) and is_nothing(y) else None
    if x is None or y is None:
        return None
    if isinstance(t, Stack):
        return Several(added(t.elem, several(t, x).item, several(t, y).item))
    assert isinstance(t, (Tuple, Vec))
    types = t.items if isinstance(t, Tuple) else [t.elem] * len(x)
    items = [added(s, a, b) for s, a, b in zip(types, x, y, strict=True)]
    return tuple(items) if isinstance(t, Tuple) else Row(items)


def _one_of(t: Type, items: Sequence[Any]) -> Any:
    found = zero(t)
    for x in items:
        found = join(t, found, x)
    return found


def several(t: Stack, s: Any) -> Several:
    """A stack as one of any height."""
    if s.__class__ is Several:
        return s
    items: list[Any] = []
    while s:
        items.append(s[0])
        s = s[1]
    return Several(loose(t.elem, _one_of(t.elem, items)))


def loose(t: Type, x: Any) -> Any:
    """A value with stacks of any height in it."""
    if not t.stacked or x is None:
        return x
    if isinstance(t, Stack):
        return several(t, x)
    if isinstance(t, Tuple):
        return tuple([loose(s, y) for s, y in zip(t.items, x, strict=True)])
    assert isinstance(t, Vec)
    return Row([loose(t.elem, y) for y in x])


def grown(t: Type, x: Any, y: Any, sets: Settled) -> Any:
    """`join`, of loose values whose sets are settled: `x` itself, if `y` adds nothing."""
    if x is y:
        return x
    if t is Tan:
        return sets.grown(x, y)
    if x is None or y is None:
        return None
    if isinstance(t, Stack):
        item = grown(t.elem, x.item, y.item, sets)
        return x if item is x.item else Several(item)
    if isinstance(t, (Tuple, Vec)):
        types = t.items if isinstance(t, Tuple) else [t.elem] * len(x)
        items = [grown(s, a, b, sets) for s, a, b in zip(types, x, y, strict=True)]
        if all([a is b for a, b in zip(items, x, strict=True)]):
            return x
        return tuple(items) if isinstance(t, Tuple) else Row(items)
    return join(t, x, y)


# accumulators


class Sum:
    """An accumulator: what was added to it, and to its parts; None as its `value` where nothing is known of any.

    `anywhere` is what was added to elements of a vector of which it is not known which they are.
    """

    __slots__ = ("anywhere", "parts", "type", "value")

    def __init__(self, t: Type, value: Any) -> None:
        self.type = t
        self.value: Any = value
        self.parts: list[Sum] | None = None
        self.anywhere: Sum | None = None

    def at(self, k: int | None) -> Sum:
        """The accumulator of one element or item."""
        t = self.type
        assert isinstance(t, (Tuple, Vec))
        if self.parts is None and self.value is None:
            return Sum(t.elem if isinstance(t, Vec) else t.items[k or 0], None)
        if k is not None:
            return self._parts()[k]
        if self.anywhere is None:
            assert isinstance(t, Vec)
            self.anywhere = Sum(t.elem, zero(t.elem))
        return self.anywhere

    def _parts(self) -> list[Sum]:
        if self.parts is None:
            items, t = list[Any](self.value), self.type
            assert isinstance(t, (Tuple, Vec))
            types = t.items if isinstance(t, Tuple) else [t.elem] * len(items)
            self.parts, self.value = [Sum(s, x) for s, x in zip(types, items, strict=True)], None
        return self.parts

    def add(self, x: Any) -> None:
        t = self.type
        if t is Tan or t is Real or isinstance(t, Stack):
            self.value = added(t, self.value, x)
        elif x is None:
            self.value = self.parts = self.anywhere = None
        elif x is not zero(t) and isinstance(t, (Tuple, Vec)) and not (self.parts is None and self.value is None):
            for part, y in zip(self._parts(), x, strict=True):
                part.add(y)

    def read(self) -> Any:
        """The sum so far."""
        if self.parts is None and self.anywhere is None:
            return self.value
        xs = [part.read() for part in self._parts()]
        if isinstance(self.type, Tuple):
            return tuple(xs)
        return Row(xs if self.anywhere is None else [self._with(x, self.anywhere.read()) for x in xs])

    def _with(self, x: Any, more: Any) -> Any:
        assert isinstance(self.type, Vec)
        both = Sum(self.type.elem, x)
        both.add(more)
        return both.read()

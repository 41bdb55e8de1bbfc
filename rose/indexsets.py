"""Sets of numbers that are made by unions, and worked out only where they are asked for.

A union is a node with two parts: making one takes the same time however large it is. `settle` works out what is
asked for, and a union that only one other needs is never made for itself. So the set of a sum over a million numbers
takes a million steps, and not half a million times as many.
"""

from __future__ import annotations

from collections.abc import Iterable

Numbers = frozenset[int]


class IndexSet:
    """A set: its `numbers`, or while they are not worked out the two sets that it is the union of."""

    __slots__ = ("numbers", "x", "y")

    def __init__(self, numbers: Numbers | None, x: IndexSet | None = None, y: IndexSet | None = None) -> None:
        self.numbers, self.x, self.y = numbers, x, y


EMPTY = IndexSet(frozenset())


def single(k: int) -> IndexSet:
    """The set of one number."""
    return IndexSet(frozenset((k,)))


def union(x: IndexSet, y: IndexSet) -> IndexSet:
    """What is in either."""
    if x is y or y is EMPTY:
        return x
    return y if x is EMPTY else IndexSet(None, x, y)


class Settled:
    """Works sets out. Equal ones are one object, from one `settle` to the next."""

    def __init__(self) -> None:
        self._known: dict[Numbers, Numbers] = {}

    def settle(self, sets: Iterable[IndexSet]) -> None:
        """Give these sets their numbers."""
        asked = [s for s in sets if s.numbers is None]
        uses = dict.fromkeys(asked, 2)  # each is made for itself
        for s in _parts_first(asked, uses):
            if uses[s] > 1:
                s.numbers = self._gathered(s)
                s.x = s.y = None

    def _gathered(self, s: IndexSet) -> Numbers:
        found: set[int] = set()
        seen: set[int] = set()  # sets that are large are often the same one
        todo = [s]
        while todo:
            t = todo.pop()
            if t.numbers is None:
                assert t.x is not None and t.y is not None
                todo += (t.x, t.y)
            elif id(t.numbers) not in seen:
                seen.add(id(t.numbers))
                found |= t.numbers
        made = frozenset(found)
        return self._known.setdefault(made, made)


def _parts_first(asked: list[IndexSet], uses: dict[IndexSet, int]) -> list[IndexSet]:
    """All unions that these are made of, each after its parts; `uses` counts how many need each."""
    order: list[IndexSet] = []
    todo: list[IndexSet | None] = [*asked]
    begun: set[IndexSet] = set()
    while todo:
        s = todo.pop()
        if s is None:  # what is below it has all of its parts by now
            order.append(todo.pop())  # pyright: ignore[reportArgumentType]
            continue
        if s in begun:
            continue
        begun.add(s)
        todo += (s, None)
        for part in (s.x, s.y):
            assert part is not None
            if part.numbers is None:
                uses[part] = uses.get(part, 0) + 1
                if part not in begun:
                    todo.append(part)
    return order

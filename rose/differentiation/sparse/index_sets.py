"""Sets of numbers that are made by unions, and worked out only where they are asked for.

A union is a node with two parts: making one takes the same time however large it is. `settle` works out what is
asked for, and a union that only one other needs is never made for itself. So the set of a sum over a million numbers
takes a million steps, and not half a million times as many. A set of many of the numbers that there are is kept as the
bits of an integer, which takes a byte for eight of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Numbers = frozenset[int] | int


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
    """The union of two sets, worked out where it is asked for."""
    if x is y or y is EMPTY:
        return x
    return y if x is EMPTY else IndexSet(None, x, y)


def listed(s: IndexSet) -> Sequence[int]:
    """The numbers of a set that is settled, from the lowest on."""
    if isinstance(s.numbers, int):
        return [k for k, bit in enumerate(reversed(bin(s.numbers))) if bit == "1"]
    return sorted(s.numbers or ())


class Settled:
    """Works out sets of numbers that are below `n`."""

    def __init__(self, n: int) -> None:
        self.bytes = n // 8 + 1
        self.most = n // 256 + 8  # of them take as much room in a set as all do as bits

    def settle(self, sets: Iterable[IndexSet]) -> None:
        """Give these sets their numbers."""
        asked = [s for s in sets if s.numbers is None]
        uses = dict.fromkeys(asked, 2)  # each is made for itself
        order = _parts_first(asked, uses)
        while order:
            s = order.pop()  # so that what is not needed any more does not stay
            if uses.pop(s) > 1:
                s.numbers = self._gathered(s)
                s.x = s.y = None

    def grown(self, x: IndexSet, y: IndexSet) -> IndexSet:
        """The union of two settled sets: `x` itself, if it holds `y`."""
        both = IndexSet(None, x, y)
        self.settle([both])
        return x if both.numbers == x.numbers else both

    def _gathered(self, s: IndexSet) -> Numbers:
        found, bits = set[int](), 0
        todo = [s]
        while todo:
            t = todo.pop()
            if t.numbers is None:
                assert t.x is not None and t.y is not None
                todo += (t.x, t.y)
            elif isinstance(t.numbers, int):
                bits |= t.numbers
            else:
                found |= t.numbers
        if not bits and len(found) <= self.most:
            return frozenset(found)
        cells = bytearray(self.bytes)
        for k in found:
            cells[k >> 3] |= 1 << (k & 7)
        return bits | int.from_bytes(cells, "little")


def _parts_first(asked: list[IndexSet], uses: dict[IndexSet, int]) -> list[IndexSet]:
    """All unions that these are made of, each before what it is part of, from the end; `uses` counts who needs each."""
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
    order.reverse()
    return order

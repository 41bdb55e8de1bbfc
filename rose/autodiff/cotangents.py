"""Cotangents: the sum of the contributions to one value, part by part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir import Builder, Value
from ..ir.ops import add
from ..ir.stacks import JOIN
from ..ir.types import Real, Stack, Tuple, Type


def by_value(t: Type) -> bool:
    """True for what is summed in SSA form: a number, or a stack."""
    return t is Real or isinstance(t, Stack)


class Cotangent:
    """A sum of contributions: a scalar's in SSA form, a vector's in an accumulator, a tuple's by its items."""

    __slots__ = ("items", "ref", "sum", "type")

    def __init__(self, t: Type) -> None:
        self.type = t
        self.sum: Value | None = None
        self.ref: Value | None = None
        self.items = [Cotangent(x) for x in t.items] if isinstance(t, Tuple) else None

    def add(self, b: Builder, ct: Value) -> None:
        if self.type.empty:
            return
        if self.items is not None:
            for k, item in enumerate(self.items):
                if not item.type.empty:
                    item.add(b, b.get(ct, k))
        elif self.ref is None and self.sum is None:
            self.sum = ct
        elif self.ref is None and by_value(self.type):
            assert self.sum is not None
            self.sum = b.emit(add if self.type is Real else JOIN, (self.sum, ct))
        else:
            b.add_to(self.open(b), ct)

    def open(self, b: Builder) -> Value:
        """From now on, sum in an accumulator, which a loop, a call or an element can add to."""
        assert self.items is None, "tuples are opened item by item"
        if self.ref is None:
            self.ref = b.accum(b.zero(self.type) if self.sum is None else self.sum)
            self.sum = None
        return self.ref

    def close(self, b: Builder) -> Value | None:
        """The sum, or None if nothing was ever added."""
        if self.type.empty:
            return None
        if self.items is not None:
            parts = [item.close(b) for item in self.items]
            if all(p is None for p in parts):
                return None
            full = [b.zero(i.type) if p is None else p for i, p in zip(self.items, parts, strict=True)]
            assert isinstance(self.type, Tuple)
            return b.tuple(full, self.type)
        return self.sum if self.ref is None else b.freeze(self.ref)

    def leaves(self) -> Iterator[Cotangent]:
        """The parts that are summed by themselves: numbers and vectors."""
        if self.items is None:
            if not self.type.empty:
                yield self
        else:
            for item in self.items:
                yield from item.leaves()


class Sums:
    """Sums of a loop for values from outside of it: that of each iteration by itself, and that of all iterations last.

    So the order of a sum does not depend on how the iterations are divided into calls: see `checkpoint.py`.
    """

    def __init__(self, b: Builder, leaves: Iterable[Cotangent]) -> None:
        self.leaves = list(dict.fromkeys(leaves))
        self.before = [(leaf.sum, leaf.ref) for leaf in self.leaves]
        self.totals = [b.accum(b.zero(leaf.type)) for leaf in self.leaves]
        self.added = [False for _ in self.leaves]
        self._clear()

    def _clear(self) -> None:
        for leaf in self.leaves:
            leaf.sum = leaf.ref = None

    def end_iteration(self, b: Builder) -> None:
        """Add what an iteration contributed."""
        for k, (leaf, total) in enumerate(zip(self.leaves, self.totals, strict=True)):
            part = leaf.close(b)
            if part is not None:
                b.add_to(total, part)
                self.added[k] = True
        self._clear()

    def leave(self) -> None:
        """After the loop, go on with what was there before it."""
        for leaf, before in zip(self.leaves, self.before, strict=True):
            leaf.sum, leaf.ref = before

    def end(self, b: Builder) -> None:
        """Add what all iterations contributed."""
        for leaf, total, added in zip(self.leaves, self.totals, self.added, strict=True):
            if added:
                leaf.add(b, b.freeze(total))

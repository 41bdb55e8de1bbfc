"""Cotangents: the sum of the contributions to one value, part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..ir import Builder, Value
from ..ir.ops import add
from ..ir.stacks import JOIN
from ..ir.types import Real, Stack, Tuple, Type, Vec


def by_value(t: Type) -> bool:
    """True for what is summed in SSA form: a number, or a stack."""
    return t is Real or isinstance(t, Stack)


Path = tuple[int, ...]  # the items that lead to a part of a value


def nothing(b: Builder, t: Type) -> Value:
    """The marked cotangent of what nothing reads: -0.0 throughout. See `select_masks.py`."""
    if t is Real:
        return b.const(-0.0, Real)
    if t.empty or isinstance(t, Stack):
        return b.zero(t)
    if isinstance(t, Tuple):
        return b.tuple([nothing(b, x) for x in t.items], t)
    made = b.root.known.get((nothing, t))
    if made is None:
        inside, b.block = b.block, b.root
        assert isinstance(t, Vec)
        made = b.root.known[nothing, t] = b.vec(t.size, lambda _: nothing(b, t.elem))
        b.block = inside
    return made


def plain(b: Builder, ct: Value) -> Value:
    """A marked number without its mark."""
    return b.emit(add, (ct, b.const(0.0, Real))) if ct.type is Real else ct


Place = Callable[[Builder], Value]  # finds an accumulator


def never_marked(path: Path) -> bool:
    """No part of the sum is marked."""
    return False


def _as_it_is(ct: Value) -> Value:
    return ct


def _item(place: Place | None, k: int) -> Place | None:
    return None if place is None else lambda b: b.at(place(b), k)


class Cotangent:
    """A sum of contributions: a scalar's in SSA form, a vector's in an accumulator, a tuple's by its items.

    A marked one begins at nothing. What is plain is summed apart, to be marked as one. That of an element of a vector
    has a `place` in that of the vector, to which it is added: a vector in it is summed there and nowhere else. To sum
    it apart would clear and add all of it for each element that is read, in each iteration of a loop.
    """

    __slots__ = ("items", "mark", "marked", "place", "ref", "sum", "type", "unmarked")

    def __init__(
        self,
        t: Type,
        is_marked: Callable[[Path], bool] = never_marked,
        path: Path = (),
        place: Place | None = None,
    ) -> None:
        self.type, self.place = t, place
        self.sum: Value | None = None
        self.ref: Value | None = None
        self.unmarked: Value | None = None  # the sum of contributions that `mark` is still to mark
        self.mark: Callable[[Value], Value] = _as_it_is
        whole = isinstance(t, Tuple)
        parts = enumerate(t.items) if whole else ()
        self.items = [Cotangent(x, is_marked, (*path, k), _item(place, k)) for k, x in parts] if whole else None
        self.marked = not whole and not t.empty and is_marked(path)

    def add(self, b: Builder, ct: Value) -> None:
        if self.type.empty:
            return
        self.flush(b)
        if self.items is not None:
            for k, item in enumerate(self.items):
                if not item.type.empty:
                    item.add(b, b.get(ct, k))
        elif self.ref is None and self.sum is None and (self.place is None or by_value(self.type)):
            self.sum = ct
        elif self.ref is None and by_value(self.type):
            assert self.sum is not None
            self.sum = b.emit(add if self.type is Real else JOIN, (self.sum, ct))
        else:
            b.add_to(self.open(b), ct)

    def add_plain(self, b: Builder, ct: Value, mark: Callable[[Value], Value]) -> None:
        """Add a plain contribution to a marked number. The first ones are marked as one; the order of the sum stays."""
        if self.sum is not None or self.ref is not None:
            self.add(b, mark(ct))
            return
        self.unmarked = ct if self.unmarked is None else b.emit(add, (self.unmarked, ct))
        self.mark = mark

    def flush(self, b: Builder) -> None:
        """Mark what is not marked yet."""
        if self.unmarked is not None:
            ct, self.unmarked = self.mark(self.unmarked), None
            self.add(b, ct)

    def open(self, b: Builder) -> Value:
        """From now on, sum in an accumulator, which a loop, a call or an element can add to."""
        assert self.items is None, "tuples are opened item by item"
        self.flush(b)
        if self.place is not None and not by_value(self.type):
            return self.place(b)
        if self.ref is None:
            self.ref = b.accum(self.zero(b) if self.sum is None else self.sum)
            self.sum = None
        return self.ref

    def zero(self, b: Builder) -> Value:
        """The sum of no contributions."""
        if self.items is not None:
            assert isinstance(self.type, Tuple)
            if any([leaf.marked for leaf in self.leaves()]):
                return b.tuple([item.zero(b) for item in self.items], self.type)
        return nothing(b, self.type) if self.marked else b.zero(self.type)

    def close(self, b: Builder) -> Value | None:
        """The sum, or None if nothing was ever added."""
        if self.type.empty:
            return None
        self.flush(b)
        if self.items is not None:
            parts = [item.close(b) for item in self.items]
            if all(p is None for p in parts):
                return None
            full = [i.zero(b) if p is None else p for i, p in zip(self.items, parts, strict=True)]
            assert isinstance(self.type, Tuple)
            return b.tuple(full, self.type)
        return self.sum if self.ref is None else b.freeze(self.ref)

    def total(self, b: Builder) -> Value:
        """The sum, zero if nothing was ever added."""
        made = self.close(b)
        return self.zero(b) if made is None else made

    def part(self, path: Path) -> Cotangent:
        """The sum of a part of a tuple."""
        at = self
        for k in path:
            assert at.items is not None
            at = at.items[k]
        return at

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
        for leaf in self.leaves:
            leaf.flush(b)
        self.before = [(leaf.sum, leaf.ref) for leaf in self.leaves]
        self.totals = [b.accum(leaf.zero(b)) for leaf in self.leaves]
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

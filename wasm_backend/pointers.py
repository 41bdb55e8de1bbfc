"""Pointers: how many bytes a loop has come in vectors, so that an element of its turn is read with no arithmetic.

A loop has one for each distance between elements. `x[i]` and `x[i + 1]` differ in the offset of the instruction.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from rose.dims import Size
from rose.ir import AT, CONST, FOR, INDEX, Block, Value
from rose.ops import iadd
from rose.types import Fin, Ref, Type, Vec, items_of

from .layout import size

MOST = 4  # pointers of a loop: an engine has so many registers to spare


class Step(NamedTuple):
    """An index: that of a turn, and so much more."""

    turn: Value
    ahead: int


def step(i: Value) -> Step:
    """An index as that of a turn, if it may be one."""
    if i.op is iadd:
        for x, y in (i.args, i.args[::-1]):
            if y.op is CONST and not isinstance(y.attr, Size):
                return Step(x, y.attr)
    return Step(i, 0)


def stride(t: Type) -> int | Size:
    """The bytes from one element to the next of a vector, or of an accumulator of one."""
    t = t.inner if isinstance(t, Ref) else t
    assert isinstance(t, Vec)
    return size(t.elem)


class Pointers:
    """Which pointers a loop has, and which indices nobody needs as numbers besides."""

    def __init__(self, v: Value, items: Container[tuple[Value, int]]) -> None:
        """`items` are the results of loops that somebody reads."""
        block: Block = v.attr
        self.items = items
        self.turn = block.params[0]
        assert isinstance(self.turn.type, Fin)
        self.turns = self.turn.type.size
        self.strides: dict[int, None] = {}
        self.read: set[Value] = set()  # indices that are needed as numbers
        self.steps: set[Value] = set()  # those that are sums
        for j, t in enumerate(items_of(v.type)):
            if j >= len(v.args) and (v, j) in items and not t.empty:
                self._take(self.turn, stride(t))
        self._visit(v)
        if isinstance(self.turns, Size) or not self.strides or not self.read.isdisjoint(self.steps):
            self.read.add(self.turn)
        self.unread = {i for i in (self.turn, *self.steps) if i not in self.read}

    def _visit(self, loop: Value) -> None:
        block: Block = loop.attr
        self.read.update([r for j, r in enumerate(block.results) if j < len(loop.args) or (loop, j) in self.items])
        for v in block.code:
            if v.op is FOR:
                self._visit(v)
            if (v.op is INDEX or v.op is AT) and len(v.args) == 2 and not v.type.empty:
                self._take(v.args[1], stride(v.args[0].type))
                self.read.add(v.args[0])
            elif v.op is iadd and step(v).turn is self.turn:
                self.steps.add(v)
            else:
                self.read.update(v.args)

    def _take(self, i: Value, n: int | Size) -> None:
        """Have a pointer for index `i` and elements of `n` bytes, if it is one of this loop, and there is room."""
        if step(i).turn is not self.turn or isinstance(n, Size):
            self.read.add(i)
        elif n not in self.strides and (len(self.strides) == MOST or not _is_near(self.turns, n)):
            self.read.update((i, self.turn))
        else:
            self.strides[n] = None


def _is_near(turns: int | Size, n: int) -> bool:
    """True if a pointer at the end is a number of 31 bits."""
    return isinstance(turns, Size) or turns * n < 2**31

"""Strength reduction of addresses: a pointer grows by one element in each iteration, so that no index is multiplied.

A loop has one for each distance between elements. `x[i]` and `x[i + 1]` differ in the offset of the instruction, and
so do `x[4 * i]` and `x[4 * i + 1]`, whose pointer goes four elements in an iteration.
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple

from rose.ir import AT, FOR, INDEX, Block, Op, Value, is_known, loop_of
from rose.ir.ops import iadd, imul
from rose.ir.sizes import Size
from rose.ir.types import Fin, Ref, Type, Vec, items_of

from ..abi.layout import size
from . import costs


class Step(NamedTuple):
    """An affine index: `times * i + ahead`, where `i` may be that of a loop."""

    i: Value
    ahead: int = 0
    times: int = 1


def step(i: Value) -> Step:
    """An index in affine form."""
    x, ahead = _split(i, iadd, 0)
    x, times = _split(x, imul, 1)
    return Step(x, ahead, times)


def _split(i: Value, op: Op, neutral: int) -> tuple[Value, int]:
    """The other operand of an index, and its literal one; else itself, and the neutral number."""
    if i.op is op:
        for x, y in (i.args, i.args[::-1]):
            if is_known(y) and y.attr:
                return x, y.attr
    return i, neutral


def stride(t: Type) -> int | Size:
    """The bytes from one element to the next, of a vector or of an accumulator of one."""
    t = t.inner if isinstance(t, Ref) else t
    assert isinstance(t, Vec)
    return size(t.elem)


class IndexUses:
    """What is done with the indices of all loops of a function: found in one walk, however deep they are nested."""

    def __init__(self, body: Block, items: Container[tuple[Value, int]]) -> None:
        """`items` are the results of loops that somebody reads."""
        self.items = items
        self.read: set[Value] = set()  # what is needed as a number
        self.elements: dict[Value, list[tuple[Value, int | Size]]] = {}  # of each: indices of elements, and their bytes
        self.steps: dict[Value, dict[Value, None]] = {}  # of each: the sums and products
        self._visit(body)

    def _visit(self, block: Block) -> None:
        for v in block.code:
            if v.op is FOR:
                self.elements[loop_of(v).index], self.steps[loop_of(v).index] = [], {}
                self.read.update(
                    [r for j, r in enumerate(loop_of(v).results) if j < loop_of(v).carried or (v, j) in self.items]
                )
                self._visit(v.attr)
            if (v.op is INDEX or v.op is AT) and len(v.args) == 2 and not v.type.empty:
                i = step(v.args[1]).i
                if i in self.elements:
                    self.elements[i].append((v.args[1], stride(v.args[0].type)))
                self.read.add(v.args[0])
            elif (v.op is iadd or v.op is imul) and (i := step(v).i) in self.steps:
                self.steps[i][v] = None
            else:
                self.read.update(v.args)


class Pointers:
    """The pointers of a loop, and the indices that nobody needs as numbers besides."""

    def __init__(self, v: Value, uses: IndexUses) -> None:
        block = loop_of(v)
        self.index = block.index
        assert isinstance(self.index.type, Fin)
        self.iterations = self.index.type.size
        self.strides: dict[int, None] = {}
        steps = uses.steps[self.index]  # those indices that are sums and products
        self.read = {i for i in (self.index, *steps) if i in uses.read}  # those that are needed as numbers
        for j, t in enumerate(items_of(v.type)):
            if j >= block.carried and (v, j) in uses.items and not t.empty:
                self._take(self.index, stride(t))
        for i, n in uses.elements[self.index]:
            self._take(i, n)
        for i in reversed(steps):
            if i in self.read:
                self.read.update(i.args)
        if isinstance(self.iterations, Size) or not self.strides:
            self.read.add(self.index)
        self.unread = {i for i in (self.index, *steps) if i not in self.read}

    def _take(self, i: Value, n: int | Size) -> None:
        """Have a pointer for index `i` and elements of `n` bytes, if there is room."""
        if isinstance(n, Size):
            self.read.add(i)
            return
        n *= step(i).times
        if n not in self.strides and (len(self.strides) == costs.LOOP_POINTERS or not _is_near(self.iterations, n)):
            self.read.update((i, self.index))
        else:
            self.strides[n] = None


def _is_near(iterations: int | Size, n: int) -> bool:
    """True if a pointer at the end is a number of 31 bits."""
    return isinstance(iterations, Size) or iterations * n < 2**31

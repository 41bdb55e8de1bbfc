"""Strength reduction of addresses: a pointer moves by one element in each iteration, so that no index is multiplied.

A loop has one for each distance between elements. `x[i]` and `x[i + 1]` differ in the offset of the instruction, and
so do `x[4 * i]` and `x[4 * i + 1]`, whose pointer goes four elements in an iteration. That of `x[n - 1 - i]` falls,
to 0 in the last iteration: like all others it is never below zero, as no address may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container
from typing import NamedTuple

from rose.ir import AT, FOR, INDEX, Block, Value, loop_of
from rose.ir.affine import affine_of, size_of
from rose.ir.ops import iadd, ifrom, imod, imul
from rose.ir.sizes import Size, minus, plus, times
from rose.ir.types import Ref, Type, Vec

from ..abi.layout import size
from . import costs

_AFFINE = {iadd, imul, ifrom}


class Step(NamedTuple):
    """An affine index: `times * i + ahead`, where `i` may be that of a loop."""

    i: Value
    ahead: int | Size = 0
    times: int = 1


def step(i: Value) -> Step:
    """An index as one of another; as one of itself, if it is one of several."""
    if i.op in _AFFINE:
        form = affine_of(i)
        if len(form.terms) == 1:
            ((x, k),) = form.terms.items()
            if not isinstance(k, Size) and k:
                return Step(x, form.constant, k)
    return Step(i)


def reached(i: Value, n: int | Size) -> tuple[tuple[Value, int], int] | None:
    """The pointer that reaches element `i`, of `n` bytes, by its index and how far it goes, and what is left to go.

    None if that is not known before the module runs.
    """
    at = step(i)
    moves, ahead = times(n, at.times), times(n, at.ahead)
    if isinstance(moves, Size):
        return None
    if moves < 0:
        ahead = plus(ahead, times(moves, minus(size_of(at.i), 1)))
    return None if isinstance(ahead, Size) else ((at.i, moves), ahead)


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
        self.remainders: dict[Block, list[Value]] = {}
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
            elif v.op in _AFFINE and (i := step(v).i) in self.steps:
                self.steps[i][v] = None
            else:
                self.read.update(v.args)
                if v.op is imod:
                    self.remainders.setdefault(block, []).append(v)


class Pointers:
    """The pointers of a loop, and the indices that nobody needs as numbers besides."""

    def __init__(self, v: Value, uses: IndexUses) -> None:
        block = loop_of(v)
        self.index, self.iterations = block.index, block.size
        self.strides: dict[int, None] = {}
        steps = uses.steps[self.index]  # those indices that are sums and products
        self.read = {i for i in (self.index, *steps) if i in uses.read}  # those that are needed as numbers
        made = [r for j, r in enumerate(block.elements, block.carried) if (v, j) in uses.items and not r.type.empty]
        elements = [*[(self.index, size(r.type)) for r in made], *uses.elements[self.index]]
        wanted = [(i, 0 if (found := reached(i, n)) is None else found[0][1]) for i, n in elements]
        many = Counter([moves for _, moves in wanted])
        for i, moves in wanted:
            self._take(i, moves, alone=many[moves] == 1)
        for i in reversed(steps):
            if i in self.read:
                self.read.update(i.args)
        if isinstance(self.iterations, Size) or not self.strides:
            self.read.add(self.index)
        self.unread = {i for i in (self.index, *steps) if i not in self.read}

    def _take(self, i: Value, moves: int, *, alone: bool) -> None:
        """Have a pointer that moves by so many bytes, not by 0, for index `i`, if there is room.

        Where the index is a number anyway, to multiply it takes less than a pointer for one element alone.
        """
        pays = len(self.strides) < costs.LOOP_POINTERS and self._is_near(moves) and not (alone and i in self.read)
        if moves and (moves in self.strides or pays):
            self.strides[moves] = None
        else:
            self.read.update((i, self.index))

    def _is_near(self, moves: int) -> bool:
        """True if a pointer at its far end is a number of 31 bits."""
        return isinstance(self.iterations, Size) or self.iterations * abs(moves) < 2**31

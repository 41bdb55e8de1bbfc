"""Crossed reads: an array that a nest of loops reads along different indices has a sum for each in reverse.

`x @ x` reads `x[i][k]` and `x[k][j]`. What comes back by both, added to one array, would be added by turns: an element
gets terms of its own iteration `i` between those of others, and no pass may change their order. In sums of their own
they are two products of matrices, as if the factors were two arrays, and their results are added once after the nest:
so the derivative of a product is the sum of two, as in mathematics. The order of each sum is that of the iterations.

It is done for the innermost nest that has more loops than a number of the array has indices, as a sum is cleared and
added once for that; and only for reads that are multiplied by numbers before they meet in a sum. `x[i] - x[j]` gives
both the same number back, once, and nothing is in the way of its addition, unless a matrix is read down its columns in
the nest, whose loops are then interchanged. Sizes do not matter, so a module for all of them has the bits of one for
some; and a loop with a state is in no nest, as its iterations may be divided into calls: see `checkpoint.py`.

Measured: the gradient of `sum((x @ x) ** 2)` takes 0.05 of its time at 512, 0.45 at 500 and 0.34 at 64; 0.04, 0.32 and
0.24 with simd; that of `v @ a @ v` at 200 takes 0.77. Of 2 to 16 rows it takes 0.7 to 1.06 times as long, for some
100 bytes; with simd 0.5 to 1.1, for twice the bytes, where loops are vectorised that were not. Differences of pairs
took 0.9 to 1.3 times as long with sums of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import NamedTuple

from ..ir import ACCUM, ADD_TO, CONST, FOR, FREEZE, INDEX, Block, Loop, Value, loop_of
from ..ir.accumulators import base
from ..ir.affine import affine_of
from ..ir.callgraph import instructions
from ..ir.ops import add, div, mul, neg, sub
from ..ir.types import Tan

Along = tuple[frozenset[Value], ...]
NO_INDEX = frozenset[Value]()
Places = frozenset[tuple[Value, Along]]  # arrays, and along which indices they are read


class Read(NamedTuple):
    """A number that is read of an array in a nest of so many loops; and along which indices, whatever is added."""

    number: Value
    depth: int
    along: Along

    def crosses(self, other: Read) -> bool:
        """True if both are read in one iteration of a nest, along different indices."""
        x, y = self.number.block, other.number.block
        return (x.inside(y) or y.inside(x)) and self.along != other.along

    @property
    def is_often(self) -> bool:
        """True if the nest has more loops than the number has indices."""
        return self.depth > len([i for i in self.along if i])


class CrossedReads:
    """The arrays of which the parts that are read in a nest have sums of their own. `code` has what is linear."""

    def __init__(self, code: Mapping[Block, list[Value]]) -> None:
        self.code = code
        self.numbers: dict[Value, list[tuple[Value, int]]] = {}
        self.found: dict[Value, dict[Value, list[list[Value]]]] = {}

    def of(self, loop: Value) -> dict[Value, list[list[Value]]]:
        """The numbers that a loop reads of each array, by the sum that they are added to, if that is not its own."""
        if loop not in self.found:
            apart = {x for w in self._inner(loop) for sums in self.of(w).values() for numbers in sums for x in numbers}
            by = dict[Value, list[Read]]()
            for x, depth in self._read_in(loop) if not loop.args else ():
                whole, along = _place(x, loop)
                if x not in apart and not whole.block.inside(loop.attr):
                    by.setdefault(whole, []).append(Read(x, depth, along))
            found = {x: sums for x, reads in by.items() if (sums := _sums(reads))}
            if found:
                across, factors = _read_across(loop), Factors(self.code, loop).found
                kept = {x for x in found if x in factors or any([read.number.block in across for read in by[x]])}
                found = {x: sums for x, sums in found.items() if x in kept}
            self.found[loop] = found
        return self.found[loop]

    def _inner(self, loop: Value) -> list[Value]:
        return [v for v in self.code[loop.attr] if v.op is FOR and not v.args]

    def _read_in(self, loop: Value) -> list[tuple[Value, int]]:
        """The numbers that are read in a loop, each with how many loops are around it."""
        if loop not in self.numbers:
            own = [(v, 1) for v in self.code[loop.attr] if v.op is INDEX and v.type is Tan]
            self.numbers[loop] = own + [(x, k + 1) for w in self._inner(loop) for x, k in self._read_in(w)]
        return self.numbers[loop]


def _read_across(loop: Value) -> set[Block]:
    """The blocks of a nest that read a matrix down its columns, whose loops are to be interchanged."""
    found = set[Block]()
    for v in instructions(loop_of(loop)):
        if v.op is INDEX and v.type.scalar and isinstance(v.block, Loop):
            last, *others = _place(v, loop)[1] or (NO_INDEX,)
            turns = any([i.block.inside(loop.attr) for i in last]) and v.block.index not in last
            if turns and any([v.block.index in along for along in others]):
                found.add(v.block)
    return found


class Terms(NamedTuple):
    """What is read of arrays that a linear number is a sum of: as it is, and multiplied by numbers."""

    bare: Places = frozenset()
    scaled: Places = frozenset()

    def __or__(self, other: Terms) -> Terms:
        return Terms(self.bare | other.bare, self.scaled | other.scaled)


NOTHING = Terms()


class Factors:
    """The arrays of which parts that are read along different indices of a nest are factors in the terms of a sum."""

    def __init__(self, code: Mapping[Block, list[Value]], loop: Value) -> None:
        self.code, self.loop = code, loop
        self.terms: dict[Value, Terms] = {}
        self.found: set[Value] = set()
        self._block(loop.attr)

    def _block(self, block: Block) -> None:
        for v in self.code[block]:
            if v.op is FOR:
                self._block(v.attr)
                self._join(v, loop_of(v).results)
            elif v.op is ADD_TO:
                ref = base(v.args[0])
                self.terms[ref] = self._sum([ref, v.args[1]])
            elif v.op is FREEZE or v.op is ACCUM:
                self._join(v, [base(a) for a in v.args])
            elif v.op is INDEX and v.type is Tan and (place := _place(v, self.loop)) and place[0] not in self.terms:
                self.terms[v] = Terms(bare=frozenset([place]))
            elif v.op is add or v.op is sub:
                self.terms[v] = self._sum(v.args)
            else:
                self._join(v, v.args)
                if not (v.op is neg or v.op.moves or (v.op in (mul, div) and any([a.op is CONST for a in v.args]))):
                    self.terms[v] = Terms(scaled=self.terms[v].bare | self.terms[v].scaled)

    def _join(self, v: Value, parts: Iterable[Value]) -> None:
        self.terms[v] = reduce(Terms.__or__, [self.terms.get(x, NOTHING) for x in parts], NOTHING)

    def _sum(self, args: Iterable[Value]) -> Terms:
        """The terms of a sum, in which some meet others."""
        x, y = [self.terms.get(a, NOTHING) for a in args]
        if x.scaled and y.scaled:
            here, there = {whole for whole, _ in x.scaled}, {whole for whole, _ in y.scaled}
            self.found |= {whole for whole, _ in x.scaled ^ y.scaled if whole in here and whole in there}
        return x | y


def _place(x: Value, loop: Value) -> tuple[Value, Along]:
    """The array of which a number is read, from outside of a loop if it is not in a tuple; and along which indices."""
    along: list[frozenset[Value]] = []
    while x.op is INDEX and x.block.inside(loop.attr):
        along.append(frozenset(affine_of(x.args[1]).terms))
        x = x.args[0]
    return x, tuple(along)


def _sums(reads: list[Read]) -> list[list[Value]]:
    """The numbers that are read of an array, by the sum that they are added to, but for those of the first."""
    sums = list[list[Read]]()
    for read in reads if any([read.is_often for read in reads]) else ():
        free = [s for s in sums if not any([read.crosses(other) for other in s])]
        if free:
            free[0].append(read)
        else:
            sums.append([read])
    return [[read.number for read in s] for s in sums[1:]]

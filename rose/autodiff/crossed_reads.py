"""Crossed reads: an array that a nest of loops reads along different indices has a sum for each in reverse.

`x @ x` reads `x[i][k]` and `x[k][j]`. What comes back by both, added to one array, would be added by turns: an element
gets terms of its own iteration `i` between those of others, and no pass may change their order. In sums of their own
they are two products of matrices, as if the factors were two arrays, and their results are added once after the nest:
so the derivative of a product is the sum of two, as in mathematics. The order of each sum is that of the iterations.

It is done for the innermost nest that reads each number of the array often: a sum is cleared, and added, once for that.
A loop with a state is in no nest, as its iterations may be divided into calls: see `checkpoint.py`.

Measured: the gradient of `sum((x @ x) ** 2)` takes 0.05 of its time at 512, 0.45 at 500 and 0.34 at 64; 0.04, 0.32 and
0.24 with simd; that of `v @ a @ v` at 200 takes 0.77, that of a sum of bells over pairs of 200 numbers 0.99 and 0.91.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..ir import FOR, INDEX, Block, Value, loop_of
from ..ir.affine import affine_of
from ..ir.sizes import Size
from ..ir.types import Tan, Tuple, Type, Vec
from ..optimise import costs


class Read(NamedTuple):
    """A number that is read in a nest, and how often."""

    number: Value
    times: int

    def crosses(self, other: Read, whole: Value) -> bool:
        """True if both are read in one iteration of a nest, along different indices of an array."""
        x, y = self.number, other.number
        return (x.block.inside(y.block) or y.block.inside(x.block)) and _along(x, whole) != _along(y, whole)


class CrossedReads:
    """The arrays of which the parts that are read in a nest have sums of their own. `code` has what is linear."""

    def __init__(self, code: Mapping[Block, list[Value]]) -> None:
        self.code = code
        self.reads: dict[Value, list[Read]] = {}
        self.found: dict[Value, dict[Value, list[list[Value]]]] = {}

    def of(self, loop: Value) -> dict[Value, list[list[Value]]]:
        """The numbers that a loop reads of each array, by the sum that they are added to, if that is not its own."""
        if loop not in self.found:
            apart = {x for w in self._inner(loop) for sums in self.of(w).values() for numbers in sums for x in numbers}
            by = dict[Value, list[Read]]()
            for read in self._reads(loop) if not loop.args else ():
                if read.number not in apart and (x := _whole(read.number, loop)) is not None:
                    by.setdefault(x, []).append(read)
            self.found[loop] = {x: sums for x, reads in by.items() if (sums := _sums(x, reads))}
        return self.found[loop]

    def _inner(self, loop: Value) -> list[Value]:
        return [v for v in self.code[loop.attr] if v.op is FOR and not v.args]

    def _reads(self, loop: Value) -> list[Read]:
        """What is read in a loop, those in it included."""
        if loop not in self.reads:
            n = loop_of(loop).size
            n = 0 if isinstance(n, Size) else n  # it may be few
            read = [Read(v, n) for v in self.code[loop.attr] if v.op is INDEX and v.type is Tan]
            self.reads[loop] = read + [Read(x, n * k) for w in self._inner(loop) for x, k in self._reads(w)]
        return self.reads[loop]


def _whole(v: Value, loop: Value) -> Value | None:
    """The array from outside of a loop of which a number is read; None if it is in a tuple, or made in there."""
    while v.op is INDEX and v.block.inside(loop.attr):
        v = v.args[0]
    return None if v.block.inside(loop.attr) else v


def _along(v: Value, whole: Value) -> list[frozenset[Value]]:
    """The indices along which a number of an array is read, whatever is added to them."""
    found: list[frozenset[Value]] = []
    while v is not whole:
        found.append(frozenset(affine_of(v.args[1]).terms))
        v = v.args[0]
    return found


def _sums(x: Value, reads: Iterable[Read]) -> list[list[Value]]:
    """The numbers that are read of an array, by the sum that they are added to, but for those of the first."""
    n = _numbers(x.type)
    if not n or max([read.times for read in reads]) < costs.CROSSED_TIMES * n:
        return []
    sums = list[list[Read]]()
    for read in reads:
        free = [s for s in sums if not any([read.crosses(other, x) for other in s])]
        if free:
            free[0].append(read)
        else:
            sums.append([read])
    return [[read.number for read in s] for s in sums[1:]]


def _numbers(t: Type) -> int:
    """The numbers of an array; 0 if that is not known, or it has tuples in it."""
    n = 1
    while isinstance(t, Vec):
        if isinstance(t.size, Size):
            return 0
        n, t = n * t.size, t.elem
    return 0 if isinstance(t, Tuple) else n

"""Accumulators whose elements a loop visits in order: in its turn, an element is a number in a local.

A turn that adds to elements `i` and `i + 1` hands the second on to the next one, which adds to it as its first: no
sum goes to memory and back. The additions are the same, in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rose.ir import ADD_TO, AT, CONST, FOR, PARAM, Block, Value
from rose.ir.accumulators import base
from rose.ir.callgraph import instructions
from rose.ir.sizes import Size, differ, plus, times
from rose.ir.types import Ref, Tuple, Type, Vec

from ..abi.layout import leaf_offsets, leaves, offsets, size
from .strength_reduction import step, stride

MOST = 6  # numbers of an element that are carried: an engine has so many registers to spare


@dataclass
class Carried:
    """A row, to whose elements the turns of a loop add."""

    row: Value  # the accumulator: of a vector, and opened outside of the loop
    stride: int
    ahead: dict[Value, int] = field(default_factory=dict[Value, int])  # part of an element -> index less the turn's
    start: dict[Value, int] = field(default_factory=dict[Value, int])  # part of an element -> where in the element
    added: dict[Value, None] = field(default_factory=dict[Value, None])  # the parts that something is added to
    numbers: dict[int, Type] = field(default_factory=dict[int, Type])  # in those: where in an element -> type
    adds: int = 0  # numbers that a turn adds, at least

    @property
    def first(self) -> int:
        return min(self.ahead.values())

    @property
    def moves(self) -> bool:
        """True if an element is handed on to the next turn."""
        return max(self.ahead.values()) > self.first

    def fits(self) -> bool:
        """True if an element is few numbers, and belongs to one turn, or to two."""
        return bool(self.added) and max(self.ahead.values()) <= self.first + 1 and len(self.numbers) <= MOST

    def pays(self) -> bool:
        """True if less goes through memory."""
        return self.moves or self.adds > len(self.numbers)

    def covers(self) -> bool:
        """True if the turns together add to all numbers of the first elements, one after the other."""
        covered: int | Size = 0
        for t in self.numbers.values():
            covered = plus(covered, size(t))
        return self.first == 0 and not differ(covered, self.stride)


def carried(block: Block) -> list[Carried]:
    """The rows of a loop whose elements are numbers in its turns."""
    found: dict[Value, Carried] = {}
    others: set[Value] = set()  # accumulators that are used in other ways
    for v in instructions(block):
        for k, a in enumerate(v.args):
            if isinstance(a.type, Ref) and not base(a).block.inside(block) and not _take(v, k, block, found):
                others.add(base(a))
    given = {ref for ref in (*found, *others) if ref.op is PARAM}
    if len(given) > 1:
        others |= given  # two parameters may be the same accumulator
    return [x for ref, x in found.items() if ref not in others and x.fits()]


def first_uses(block: Block) -> dict[Value, Value]:
    """For each accumulator, the instruction of its block that is the first to use it, or has in it what is."""
    found: dict[Value, Value] = {}
    for v in block.code:
        for w in (v, *instructions(v.attr)) if v.op is FOR else (v,):
            for a in w.args:
                if isinstance(a.type, Ref) and (ref := base(a)).block is block:
                    found.setdefault(ref, v)
        if v.op is FOR:
            found.update(first_uses(v.attr))
    return found


def _take(v: Value, k: int, block: Block, found: dict[Value, Carried]) -> bool:
    """Note how `v` uses an accumulator; False if not as an element that belongs to its turn."""
    a = v.args[k]
    ref = base(a)
    if v.op is AT and not a.block.inside(block):
        if len(v.args) != 2 or v.type.stacked:
            return False
        at, distance = step(v.args[1]), stride(a.type)
        if at.turn is not block.params[0] or at.times != 1 or isinstance(distance, Size):
            return False
        row = found.setdefault(ref, Carried(a, distance))
        row.ahead[v], row.start[v] = at.ahead, 0
        return row.row is a
    row = found.get(ref)
    if row is None or a not in row.ahead:
        return False
    if v.op is AT:
        start = _part(v)
        if start is None:
            return False
        row.ahead[v], row.start[v] = row.ahead[a], row.start[a] + start
        return True
    if v.op is not ADD_TO or k != 0:
        return False
    row.added[a] = None
    for t, start in parts(a):
        row.numbers[row.start[a] + start] = t
        row.adds += 1 if v.block is block else 2
    return all([t.scalar for t, _ in parts(a)])


def parts(ref: Value) -> list[tuple[Type, int]]:
    """The leaves of what an accumulator sums, and where they start."""
    assert isinstance(ref.type, Ref)
    t = ref.type.inner
    return [(leaf, at) for leaf, at in zip(leaves(t), leaf_offsets(t), strict=True) if isinstance(at, int)]


def _part(v: Value) -> int | None:
    """Where in an element a part of it is, if that is known."""
    index, t = v.args[1:], v.args[0].type
    t = t.inner if isinstance(t, Ref) else t
    if isinstance(t, Tuple):
        k: int = v.attr
        at = offsets(t)[k]
    elif isinstance(t, Vec) and index[0].op is CONST:
        k = index[0].attr
        at = times(k, size(t.elem))
    else:
        return None
    return None if isinstance(at, Size) else at

"""Register promotion of accumulators whose elements a loop visits in order: in an iteration, an element is in locals.

An iteration that adds to elements `i` and `i + 1` hands the second on to the next one, which adds to it as its first:
no sum goes to memory and back. The additions are the same, in the same order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rose.ir import ACCUM, ADD_TO, AT, CONST, FOR, PARAM, ZERO, Block, Value, loop_of, span_of
from rose.ir.sizes import Size, differ, plus, times
from rose.ir.types import Ref, Tuple, Type, Vec

from ..abi.layout import leaf_offsets, leaves, offsets, size, wasm_type
from . import costs
from .expressions import Expressions
from .strength_reduction import step, stride


@dataclass
class Promoted:
    """A row that is promoted: to whose elements the iterations of a loop add."""

    row: Value  # the accumulator: of a vector, and opened outside of the loop
    stride: int
    ahead: dict[Value, int] = field(default_factory=dict[Value, int])  # part of an element -> index less the loop's
    start: dict[Value, int] = field(default_factory=dict[Value, int])  # part of an element -> where in the element
    added: dict[Value, None] = field(default_factory=dict[Value, None])  # the parts that something is added to
    numbers: dict[int, Type] = field(default_factory=dict[int, Type])  # in those: where in an element -> type
    adds: int = 0  # numbers that an iteration adds, at least

    @property
    def first(self) -> int:
        return min(self.ahead.values())

    @property
    def moves(self) -> bool:
        """True if an element is handed on to the next iteration."""
        return max(self.ahead.values()) > self.first

    def fits(self) -> bool:
        """True if an element is few numbers, and belongs to one iteration, or to two."""
        return (
            bool(self.added)
            and max(self.ahead.values()) <= self.first + 1
            and len(self.numbers) <= costs.PROMOTED_NUMBERS
        )

    def pays(self) -> bool:
        """True if less goes through memory."""
        return self.moves or self.adds > len(self.numbers)

    def covers(self) -> bool:
        """True if the iterations together add to all numbers of the first elements, one after the other."""
        covered: int | Size = 0
        for t in self.numbers.values():
            covered = plus(covered, size(t))
        return self.first == 0 and not differ(covered, self.stride)


class RefUses:
    """How the accumulators of a function are used: found in one walk, however deep its loops are nested.

    In at most one loop is a use one of an element that belongs to the iteration: the owner, whose index that is.
    """

    def __init__(self, body: Block) -> None:
        self.first: dict[Value, Value] = {}  # of each accumulator: the instruction of its block that uses it first
        self.owned: dict[Block, dict[Value, list[tuple[Value, int]]]] = {}  # uses of each, with which operand it is
        self._bases: dict[Value, Value] = {}
        self._owner: dict[Value, Block] = {}
        self._index: dict[Value, Block] = {}  # of a loop -> its body
        self._position: dict[Value, int] = {}
        self._span: dict[Block, tuple[int, int]] = {}
        self._uses: dict[Value, list[int]] = {}  # of each accumulator: where it is used
        self._within: dict[Block, Value] = {}  # the instruction of each block that is visited
        self._visit(body)

    def is_outside(self, v: Value, block: Block) -> bool:
        """True if a value that a loop uses is made before it."""
        return self._position.get(v, -1) < self._span[block][0]

    def count(self, ref: Value, block: Block) -> int:
        """The number of uses of an accumulator in a loop."""
        found, (start, end) = self._uses.get(ref, []), self._span[block]
        return bisect_left(found, end) - bisect_left(found, start)

    def params(self, block: Block) -> int:
        """The number of accumulators that are parameters and used in a loop."""
        return sum([ref.op is PARAM and self.count(ref, block) > 0 for ref in self._uses])

    def _visit(self, block: Block) -> None:
        for v in block.code:
            self._within[block] = v
            here = self._position[v] = len(self._position)
            for k, a in enumerate(v.args):
                if isinstance(a.type, Ref):
                    self._use(v, k, a, here)
            if v.op is FOR:
                self._index[loop_of(v).index] = v.attr
                self._span[v.attr] = here + 1, here + 1
                self._visit(v.attr)
                self._span[v.attr] = here + 1, len(self._position)

    def _use(self, v: Value, k: int, a: Value, here: int) -> None:
        ref = self._bases.get(a, a)
        self._uses.setdefault(ref, []).append(here)
        self.first.setdefault(ref, self._within[ref.block])
        owner = self._owner.get(a)
        if v.op is AT:
            self._bases[v] = ref
            loop = self._index.get(step(v.args[1]).i) if len(v.args) == 2 else None
            if loop is not None and self.is_outside(a, loop):
                owner = loop
            if owner is not None:
                self._owner[v] = owner
        if owner is not None:
            self.owned.setdefault(owner, {}).setdefault(ref, []).append((v, k))


def promoted(block: Block, uses: RefUses) -> list[Promoted]:
    """The rows of a loop that can be promoted."""
    found: list[Promoted] = []
    for ref, owned in uses.owned.get(block, {}).items():
        if len(owned) < uses.count(ref, block) or (ref.op is PARAM and uses.params(block) > 1):
            continue  # it is used in other ways, or may be another one
        row = _row(owned, block, uses)
        if row is not None and row.fits():
            found.append(row)
    return found


def _row(owned: Sequence[tuple[Value, int]], block: Block, uses: RefUses) -> Promoted | None:
    """The row of an accumulator that is used in these ways; None if not always as an element of the iteration."""
    v, k = owned[0]
    distance = stride(v.args[k].type)
    if isinstance(distance, Size):
        return None
    row = Promoted(v.args[k], distance)
    return row if all([_take(v, k, row, block, uses) for v, k in owned]) else None


def _take(v: Value, k: int, row: Promoted, block: Block, uses: RefUses) -> bool:
    """Note how `v` uses an accumulator; False if not as an element that belongs to the iteration."""
    a = v.args[k]
    if v.op is AT and uses.is_outside(a, block):
        at = step(v.args[1])
        if v.type.stacked or at.times != 1 or isinstance(at.ahead, Size):
            return False
        row.ahead[v], row.start[v] = at.ahead, 0
        return row.row is a
    if a not in row.ahead:
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
    for t, start in leaves_at(a):
        row.numbers[row.start[a] + start] = t
        row.adds += 1 if v.block is block else 2
    return all([t.scalar for t, _ in leaves_at(a)])


def leaves_at(ref: Value) -> list[tuple[Type, int]]:
    """The leaves of what an accumulator sums, and their offsets."""
    assert isinstance(ref.type, Ref)
    t = ref.type.inner
    return [(leaf, at) for leaf, at in zip(leaves(t), leaf_offsets(t), strict=True) if isinstance(at, int)]


def _part(v: Value) -> int | None:
    """The offset of a part in its element, if that is known."""
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


class Sum(NamedTuple):
    """A number of the elements of a row that a loop adds to."""

    i: Value  # the index of the loop
    row: Promoted
    start: int  # where in an element it is
    type: Type
    now: int  # its local
    then: int  # that of the element after it: of the same one, if no element is handed on
    fresh: bool  # nothing was added to it before


class Promotion:
    """Which rows of a function's loops are promoted, and the code that loads and stores their elements."""

    def __init__(self, expr: Expressions) -> None:
        self.expr, self.frame, self.c = expr, expr.frame, expr.c
        self.elements: dict[Value, int] = {}  # the elements of accumulators that are in locals: they have no address
        self._rows: dict[Value, list[Promoted]] = {}  # of each loop
        self._uses: RefUses | None = None

    def rows(self, v: Value) -> list[Promoted]:
        """The promoted rows of a loop."""
        if v not in self._rows:
            rows = [x for x in promoted(v.attr, self.uses) if x.pays() or self.is_first(v, x)]
            # of a loop with a span nobody knows which element is the first one, that is handed on
            self._rows[v] = [x for x in rows if not x.moves] if span_of(v) is not None else rows
        return self._rows[v]

    def drop(self, v: Value) -> None:
        """Promote no row of a loop: its sums stay in memory."""
        self._rows[v] = []

    def is_first(self, v: Value, row: Promoted) -> bool:
        """True if a loop is the first to add to a sum that begins at zeros, to one element after the other."""
        ref, n = row.row, loop_of(v).size
        if span_of(v) is not None:
            return False
        if ref.op is not ACCUM or ref.args[0].op is not ZERO or ref.block is not v.block or not row.covers():
            return False
        return self.uses.first.get(ref) is v and not isinstance(n, Size) and n > 0

    @property
    def uses(self) -> RefUses:
        if self._uses is None:
            self._uses = RefUses(self.frame.f.body)
        return self._uses

    def written_first(self, ref: Value, t: Type) -> int:
        """The number of elements of a sum that a loop writes before all else: they need not be cleared."""
        v = self.uses.first.get(ref) if isinstance(t, Vec) and not isinstance(t.size, Size) else None
        if v is None or v.op is not FOR:
            return 0
        rows = [x for x in self.rows(v) if x.row is ref and self.is_first(v, x)]
        return sum([loop_of(v).size + x.moves for x in rows])

    def open(self, v: Value) -> list[Sum]:
        """Before a loop: take locals for its sums. Of an element that iterations hand on, the first one is loaded."""
        index, sums = loop_of(v).index, list[Sum]()
        for row in self.rows(v):
            local = {start: self.frame.local(index, wasm_type(t)) for start, t in row.numbers.items()}
            then = (
                {start: self.frame.local(index, wasm_type(t)) for start, t in row.numbers.items()}
                if row.moves
                else local
            )
            fresh = self.is_first(v, row)
            found = [Sum(index, row, start, t, local[start], then[start], fresh) for start, t in row.numbers.items()]
            for x in found if row.moves else ():
                self._read_sum(x, x.now, None)
            self.elements.update(row.ahead)
            for ref in row.added:
                ahead = then if row.ahead[ref] > row.first else local
                self.frame.location[ref] = tuple([ahead[row.start[ref] + start] for _, start in leaves_at(ref)])
            sums += found
        return sums

    def next(self, sums: list[Sum]) -> None:
        """At the start of an iteration: load the element that none before has loaded."""
        for x in sums:
            self._read_sum(x, x.then, x.i)

    def keep(self, sums: list[Sum]) -> None:
        """At the end of an iteration: store the element that none after will add to, and hand on the other."""
        for x in sums:
            self._store_sum(x)
        for x in sums:
            if x.row.moves:
                self.c.get(x.then)
                self.c.set(x.now)

    def close(self, sums: list[Sum]) -> None:
        """After the loop, when pointers are where the next iteration would be: store the element that was handed on."""
        for x in sums:
            if x.row.moves:
                self._store_sum(x)

    def _read_sum(self, x: Sum, to: int, index: Value | None) -> None:
        """Load the newest element of an iteration, or without an index the first of all."""
        at = self.frame.address(x.row.row).at(x.start + x.row.first * x.row.stride)
        if x.fresh:
            self.c.constant(x.type, 0)
        elif index is None:
            self.c.load(x.type, at)
        else:
            self.c.load_from(x.type, self.expr.scaled(index, x.row.stride, at.at(x.row.moves * x.row.stride)))
        self.c.set(to)

    def _store_sum(self, x: Sum) -> None:
        at = self.frame.address(x.row.row).at(x.start + x.row.first * x.row.stride)
        to = self.expr.scaled(x.i, x.row.stride, at)
        self.c.get(x.now)
        self.c.write(x.type, to)

"""Invariance: what of a block is the same in each iteration of its loop, or in each call with some arguments the same.

Of a block that runs at least once, all of it may be computed before: what is pure, and reads only what is the same. An
accumulator is the same if all that is added to it is; it moves with all that touches it, or not at all. Of a block that
may run never, `moves` says what may be computed before: no operation on numbers traps, but a division of indices by
zero does, and an element is read early only if it is certain to be there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import cached_property

from ..ir import (
    ACCUM,
    AT,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    PARAM,
    ZERO,
    Block,
    Func,
    Value,
    While,
    is_call,
    loop_of,
    span_of,
)
from ..ir.accumulators import base, is_ref
from ..ir.builder import LIBRARY
from ..ir.callgraph import instructions, is_table, reachable
from ..ir.ops import idiv, imod
from ..ir.sizes import Size
from ..ir.types import Ref, Vec


class Reads(dict[Value, tuple[Value, ...]]):
    """What each instruction reads; of a loop, what all that is in it reads from outside. No loop may change after."""

    def __missing__(self, v: Value) -> tuple[Value, ...]:
        found = v.args
        if v.op is FOR:
            block = loop_of(v)
            inside = [a for w in block.code for a in self[w]]
            found = tuple(dict.fromkeys([*v.args, *[a for a in (*inside, *block.results) if a.block is not block]]))
        self[v] = found
        return found


class Invariants:
    """The instructions of a block that are the same if nothing changes but `varying`: parameters, and values outside.

    Of a block within another, `around` has what is the same of that.
    """

    def __init__(self, block: Block, varying: Set[Value], reads: Reads, around: Invariants | None = None) -> None:
        self.block, self.varying, self.reads, self.around = block, varying, reads, around
        self.cost: dict[Value, int] = {}  # of each that is the same, with what it needs: in order
        self.groups: dict[Value, list[Value]] = {}  # what touches each accumulator that is opened here
        self.touched = {v: self.touches(v) for v in block.code}
        for v, refs in self.touched.items():
            for ref in refs:
                self.groups.setdefault(ref, []).append(v)
        varies: set[Value] = set()
        while self._vary(varies):
            pass

    def is_same(self, a: Value) -> bool:
        """True if an operand of the block is the same."""
        return a in self.cost or (a not in self.varying and (a.block is not self.block or a.op is PARAM))

    def again(self) -> Invariants:
        """The same question, after the block was edited."""
        return Invariants(self.block, self.varying, self.reads, self.around)

    def handed_on(self, costly: int) -> list[Value]:
        """What is the same, is read by what is not, and is worth handing on: what is cheap is computed again."""
        read = self.read()
        handed: list[Value] = []
        costs: dict[Value, int] = {}  # of what each needs besides what is handed on
        for v in self.cost:
            costs[v] = self.own_cost(v) + sum([costs[a] for a in self.before(v)])
            if v in read and costs[v] >= costly and not v.type.empty and not is_ref(v):
                handed.append(v)
                costs[v] = 0
        return handed

    def read(self) -> dict[Value, None]:
        """What is read by what is not the same, and what the block gives."""
        read = [a for v in self.block.code if v not in self.cost for a in self.reads[v]]
        return dict.fromkeys((*read, *self.block.results))

    def needed(self, wanted: Iterable[Value]) -> dict[Value, None]:
        """All of the block that is needed to compute some of what is the same, in order."""
        todo, seen = [v for v in wanted if v in self.cost], set[Value]()
        while todo:
            v = todo.pop()
            if v not in seen:
                seen.add(v)
                todo += [a for a in self.reads[v] if a in self.cost]
                todo += [w for ref in self.touched[v] for w in self.groups[ref]]
        return {v: None for v in self.cost if v in seen}

    def touches(self, v: Value) -> dict[Value, None]:
        """The accumulators of this block that an instruction opens, adds to or reads."""
        refs = [base(a) for a in self.reads[v] if is_ref(a)] + [v] * (v.op is ACCUM)
        return {ref: None for ref in refs if ref.block is self.block and ref.op is ACCUM}

    def _vary(self, varies: set[Value]) -> bool:
        """Find what is the same if no accumulator but those of `varies` changes; True if more of them do."""
        self.cost.clear()
        before = len(varies)
        for v in self.block.code:
            if self.stays(v) and not any([ref in varies for ref in self.touched[v]]):
                self.cost[v] = self.own_cost(v) + sum([self.cost[a] for a in self.before(v)])
            else:
                varies.update(self.touched[v])
        return len(varies) > before

    def before(self, v: Value) -> dict[Value, None]:
        """What an instruction that is the same needs of what is the same: of a sum, also what is added to it."""
        adds = [w for ref in self.touched[v] for w in self.groups[ref] if w is not v] if v.op is FREEZE else []
        return {a: None for a in (*self.reads[v], *adds) if a in self.cost}

    @cached_property
    def acts(self) -> bool:
        """True if something around is seen from outside."""
        return self.around.acts if self.around is not None else any(map(_acts, instructions(self.block)))

    def own_cost(self, v: Value) -> int:
        return own_cost(v)

    def stays(self, v: Value) -> bool:
        if not all([self.is_same(a) for a in self.reads[v]]) or v.type.stacked:
            return False
        if v.op is not AT and any([is_ref(a) and base(a) not in self.touched[v] for a in self.reads[v]]):
            return False  # it adds to what others read
        return not any([_acts(w) or (self.acts and _may_trap(w)) for w in _with_nested(v)])


def _with_nested(v: Value) -> Sequence[Value]:
    return [v, *instructions(v.attr)] if v.op is FOR else [v]


def _acts(v: Value) -> bool:
    return is_call(v) and not v.attr.pure


def _may_trap(v: Value) -> bool:
    """True for what may not come to an end, or stop the program: what was printed before is to be seen."""
    if is_call(v):
        return any([isinstance(g.kind, While) or _divides(g) for g in reachable(v.attr)])
    return v.op in (idiv, imod) and isinstance(v.args[1].attr, Size)


def _divides(g: Func) -> bool:
    return g.has_body and any([v.op in (idiv, imod) and isinstance(v.args[1].attr, Size) for v in instructions(g.body)])


def own_cost(v: Value) -> int:
    """About how many simple instructions take as long as this one."""
    if v.op is FOR:
        return LIBRARY
    if is_call(v):
        return 0 if is_table(v) else LIBRARY
    if v.op is PACK:
        return len(v.args)
    if v.op is CONST or not v.args:
        return 0
    return v.op.cost if v.op.eval is not None or v.op is INDEX else 0


def iterations(loop: Value) -> int:
    """How many iterations a loop has, whatever the arguments; 0 if they decide."""
    n = loop_of(loop).size
    return 0 if span_of(loop) is not None or isinstance(n, Size) else n


def outermost(block: Block, v: Value, args: tuple[Value, ...]) -> Block:
    """The outermost block around `block` in which `v`, with the operands `args`, can be computed."""
    if block.parent is None or not moves(v, args):
        return block
    while block.parent is not None:
        for a in args:
            if a.block is block:
                return block
        block = block.parent
    return block


def moves(v: Value, args: tuple[Value, ...]) -> bool:
    """True if it does no harm to compute `v` early, and more than once would be needed."""
    if v.op is GET or v.op is CONST or v.op is ZERO:
        return True
    if v.op is INDEX or v.op is AT:
        t = args[0].type
        t = t.inner if isinstance(t, Ref) else t
        # a vector has no element where its size, given at a call, is 0
        return not (len(args) > 1 and args[1].op is CONST and isinstance(t, Vec) and isinstance(t.size, Size))
    if v.op is idiv or v.op is imod:  # a size that is given at a call may be 0
        return not isinstance(args[1].attr, Size)
    return v.op.eval is not None and v.type.scalar

"""Loops that run two turns at a time, in vectors of two numbers: `rose.compile(f, simd=True)`.

Every bit is as it is without: the sums of a loop keep their order, as what two turns add is added one after the other.
With `simd="relaxed"` a product and a sum are one instruction, which some machines round once, and others twice.
"""

from __future__ import annotations

from rose.ir import ADD_TO, PACK, TUPLE, Block, Value
from rose.ir.sizes import Size
from rose.ir.types import Fin, Tuple

from ..abi.layout import size
from ..binary.encoder import I32, Body, Code, Module
from ..codegen.loops import State, Swap
from ..codegen.places import Literal, Place
from .plan import Kind, Plan, Unfit
from .reductions import SumWriter
from .vectors import At, Two

TURN = 3  # instructions that count a turn, and begin the next
LONGEST = 2000  # instructions of a turn that may be one of two: locals are not given back as soon as in single turns


class PairWriter(SumWriter):
    """Writes a function, in whose loops two turns are one where that is possible and pays."""

    def _turns(self, v: Value, block: Block, states: list[State], swaps: list[Swap]) -> None:
        plan = None if states else self._planned(v, block)
        if plan is None:
            super()._turns(v, block, states, swaps)
            return
        t = block.params[0].type
        assert isinstance(t, Fin)
        if isinstance(t.size, Size):
            self._open_pairs(v, plan, t.size)
            return
        self._write_pairs(v, plan, t.size // 2 * 2)
        last = Literal(t, t.size - 1)
        if t.size % 2:
            for row in self.sums.fresh.values():
                self._clear_elements(row, t.size - 1 + row.moves, 1)
            self._last_turn(v, block, last)
        elif any([x.op is PACK or x.op is TUPLE for x in block.code]):
            with self._aside(Body()):  # what a single turn builds has its place, so that all others stay the same
                self._last_turn(v, block, last)

    def _planned(self, v: Value, block: Block) -> Plan | None:
        n = block.params[0].type
        assert isinstance(n, Fin) and isinstance(v.type, Tuple)
        if (not isinstance(n.size, Size) and n.size < 2) or len(block.code) > LONGEST:
            return None
        read = [r for j, r in enumerate(block.results) if (v, j) in self.lives.items and not r.type.empty]
        try:
            plan = Plan(block, read, self.carried)
        except Unfit:
            return None
        for x, kind in plan.kinds.items():
            if kind is Kind.SAME and x not in self.carried:
                self.place[x] = self._alias(x)
        self.two = Two(plan)
        self.sums = self._sorted(plan)
        if not self._pays(plan):
            return None
        self._renew(v, plan)
        return plan

    def _pays(self, plan: Plan) -> bool:
        """True if two turns at once take less than one after the other.

        What takes longest are the instructions, of which machines do some 4 in a cycle, or the longest row of sums, of
        which each waits 3 cycles for the one before it. So in loops of few instructions nothing is won.
        """
        apart, once = plan.costs()
        sums = self.sums
        for at in sums.direct.values():
            apart, once = apart + 6, once + (3 if at.step == 8 else 7)
        apart, once = apart + 8 * len(sums.carried), once + 8 * len(sums.carried)
        apart, once = apart + 6 * len(sums.late), once + 7 * len(sums.late)
        apart, once = apart + 2 * len(sums.totals), once + 2 * len(sums.totals)
        waits = 24 * max([len(total.adds) for total in sums.totals.values()], default=0)
        return max(once + TURN, waits) <= 0.9 * max(apart + 2 * TURN, waits)

    def _open_pairs(self, v: Value, plan: Plan, n: Size) -> None:
        """A loop of a length that only the module knows."""
        self.c.extent(n)
        self.c.i32_const(2)
        self.c("i32.ge_u")
        self.c("if")
        self._write_pairs(v, plan, n)
        self.c("end")
        self.c.extent(n)
        self.c.i32_const(1)
        self.c("i32.and")
        self.c("if")
        i = self._local(plan.block.params[0], I32)
        self.c.extent(n)
        self.c.i32_const(1)
        self.c("i32.sub")
        self.c.set(i)
        self._last_turn(v, plan.block, i)
        self.c("end")

    def _last_turn(self, v: Value, block: Block, i: Place) -> None:
        """Turn `i`, which has no other beside it."""
        self.rows[v] = []  # its sums are in memory
        self.place[block.params[0]] = (i,)
        self._turn_addresses(v, block)
        self._block(block)
        self._end_of_turn(v, block, [], [])

    # the loop

    def _write_pairs(self, v: Value, plan: Plan, n: int | Size) -> None:
        outer, self.c.body = self.c.body, Body()
        two = self.two
        self._open_totals()
        self._both_turns(v)
        self._move(n)
        loop, self.c.body = self.c.body, outer
        self.c.splice(two.before)
        self.c("loop")
        self.c.splice(loop)
        self.c("end")
        self.c.splice(two.after)
        for type, k in two.held:
            self.free.setdefault(type, []).append(k)

    def _both_turns(self, v: Value) -> None:
        two, plan = self.two, self.two.plan
        for n, x in enumerate(plan.block.code):
            if x.op is ADD_TO:
                self._add_pair(x)
            elif x not in plan.deferred and x not in two.vectors:
                self._make_pair(x)
            self._give_back(n)
        self._late()
        for j, r in enumerate(plan.block.results):
            if (v, j) in self.lives.items and not r.type.empty:
                to = self._vector(v, j)
                stride = size(r.type)
                assert not isinstance(stride, Size)
                at = At(to.base, to.more, (), (), stride, to.offset)
                self._store_kept([(at._replace(offset=at.offset + k), self._keep(x)) for k, x in plan.parts[r]])
        self._give_back(len(plan.block.code))

    def _move(self, n: int | Size) -> None:
        """The end of two turns: all that moves goes on, and the loop ends where one of them has gone far enough."""
        two = self.two
        counter = None
        if not isinstance(n, Size):
            moved = [at for at in two.pointers if at.step > 0 and at._replace(step=0) == At(None, None, (), (), 0, 0)]
            counter = moved[0] if moved else None
        if counter is None and two.turn is None:
            self._turn()
        for at, k in two.pointers.items():
            if at.step and at is not counter:
                self._advance(k, 2 * at.step)
                self.c.set(k)
        if two.turn is not None:
            self._advance(two.turn, 2)
            (self.c.set if counter is not None else self.c.tee)(two.turn)
        if counter is not None:
            assert isinstance(n, int)
            self._advance(two.pointers[counter], 2 * counter.step)
            self.c.tee(two.pointers[counter])
            self.c.i32_const(n * counter.step)
        elif isinstance(n, Size):
            self.c.extent(n)
            self.c.i32_const(-2)
            self.c("i32.and")
        else:
            self.c.i32_const(n)
        self.c("i32.lt_u")
        self.c("br_if", 0)

    def _advance(self, k: int, by: int) -> None:
        self.c.get(k)
        self.c.i32_const(by)
        self.c("i32.add")


def probe(*, relaxed: bool) -> bytes:
    """The smallest module that an engine refuses if it cannot compute two numbers at once."""
    m, c = Module(), Code(0)
    for _ in range(3):
        c("v128.const", 0, 0)
    c("f64x2.relaxed_madd" if relaxed else "v128.bitselect")
    c("drop")
    m.define(m.reserve(m.type([], [])), c)
    return m.finish()

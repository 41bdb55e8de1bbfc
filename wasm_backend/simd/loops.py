"""Vectorised loops, with two iterations at a time in vectors of two numbers, or four: `rose.compile(f, simd=True)`.

Every bit is as it is without: the sums of a loop keep their order, as what iterations add is added one after the other.
A loop over rings runs in pieces (`codegen/rings.py`), so that neighbours on a ring are neighbours in memory.
With `simd="relaxed"` a product and a sum are one instruction, which some machines round once, and others twice.
"""

from __future__ import annotations

from collections.abc import Callable

from rose.ir import ADD_TO, PACK, TUPLE, Value
from rose.ir.sizes import Size

from ..abi.layout import size
from ..binary.encoder import I32, Body, Code, Module
from ..binary.shapes import F32X4, F64X2, Shape
from ..codegen import costs
from ..codegen.locations import Literal, Location
from ..codegen.loops import Loop
from ..codegen.rings import rings_of
from .estimate import pays
from .plan import Kind, Plan, Unfit
from .reductions import Reductions
from .vectors import At, VectorWriter


def vectorise(loop: Loop) -> bool:
    """Write a loop several iterations at a time, if that is possible and pays; False if nothing is written."""
    plan = None if loop.states else _planned(loop, F32X4 if loop.frame.program.single else F64X2)
    if plan is None:
        return False
    for x, kind in plan.kinds.items():
        if kind is Kind.SAME and x not in loop.writer.promotion.elements:
            loop.frame.location[x] = loop.frame.alias(x)
    vectors = VectorWriter(loop.expr, plan)
    sums = Reductions(vectors, loop.writer.promotion)
    if not pays(plan, sums, loop):
        return False
    VectorLoop(loop, vectors, sums).write()
    return True


def _planned(loop: Loop, shape: Shape) -> Plan | None:
    few = not isinstance(loop.size, Size) and loop.size < shape.lanes
    if few or len(loop.block.code) > costs.PAIRED_INSTRUCTIONS:
        return None
    items = loop.frame.lives.items
    read = [r for j, r in enumerate(loop.block.results) if (loop.v, j) in items and not r.type.empty]
    rings = rings_of(loop.v, loop.expr.index_uses, costs.PIECE_PAIRED_ITERATIONS)
    try:
        return Plan(loop.block, read, loop.writer.promotion.elements, rings, shape)
    except Unfit:
        return None


class VectorLoop:
    """The control flow of a vectorised loop, and its last iterations, if these fill no vector."""

    def __init__(self, loop: Loop, vectors: VectorWriter, sums: Reductions) -> None:
        self.loop, self.vectors, self.sums = loop, vectors, sums
        self.plan, self.frame, self.c, self.n = vectors.plan, loop.frame, loop.c, vectors.shape.lanes
        self.end: int | None = None  # the local of where the vectors of a piece end

    def write(self) -> None:
        """Write all of it."""
        self.sums.start_fresh(self.loop.v)
        n, block = self.loop.size, self.loop.block
        if self.plan.rings:
            self._pieces(n)
            return
        if isinstance(n, Size):
            self._dynamic(n)
            return
        left = n % self.n
        self._loop(n - left)
        for row in self.sums.fresh.values() if left else ():
            self.sums.clear(row, n - left + row.moves, left)
        last = Literal(self.loop.index.type, n - 1)
        if left == 1:
            self._last(last)
        elif left:
            i = self.frame.local(self.loop.index, I32)
            self.c.i32_const(n - left)
            self.c.set(i)
            self._rest(i, lambda: self.c.i32_const(n))
        elif any([x.op is PACK or x.op is TUPLE for x in block.code]):
            with self.c.aside(Body()):  # what one iteration builds has its place, so that all others stay the same
                self._last(last)

    def _dynamic(self, n: Size) -> None:
        """Write a loop of dynamic size."""
        c = self.c
        c.size(n)
        c.i32_const(self.n)
        c("i32.ge_u")
        c("if")
        self._loop(n)
        c("end")
        c.size(n)
        c.i32_const(self.n - 1)
        c("i32.and")
        c("if")
        i = self.frame.local(self.loop.index, I32)
        c.size(n)
        c.i32_const(-self.n)
        c("i32.and")
        c.set(i)
        self._rest(i, lambda: c.size(n))
        c("end")

    def _pieces(self, n: int | Size) -> None:
        """Write a loop in pieces, in which no index of a ring goes round: in each are vectors, and what is left."""
        c, frame, i, end = self.c, self.frame, self.frame.take(I32), self.frame.take(I32)
        self.end = frame.take(I32)
        self.vectors.index, self.vectors.in_pieces = i, True
        frame.location[self.loop.index] = (i,)
        if self.loop.may_be_none:
            c.size(n)
            c("if")
        c.i32_const(0)
        c.set(i)
        outer, c.body = c.body, Body()
        c("loop")
        c.size(n)
        c.set(end)
        for v, ring in self.plan.rings.items():
            ring.open(self.loop.expr, v, end)
        c.get(end)
        c.get(end)
        c.get(i)
        c("i32.sub")
        c.i32_const(self.n - 1)
        c("i32.and")
        c("i32.sub")
        c.tee(self.end)
        c.get(i)
        c("i32.gt_u")
        c("if")
        self._loop(n)
        c("end")
        c.get(i)
        c.get(end)
        c("i32.lt_u")
        c("if")
        self._rest(i, lambda: c.get(end))
        c("end")
        c.get(i)
        c.size(n)
        c("i32.lt_u")
        c("br_if", 0)
        c("end")
        pieces, c.body = c.body, outer
        c.splice(pieces)
        if self.loop.may_be_none:
            c("end")
        frame.free[I32] += [i, end, self.end]

    def _rest(self, i: int, end: Callable[[], None]) -> None:
        """Write the iterations that fill no vector, from the index in a local on: there is one, at least."""
        c, many = self.c, self.n > 2
        if many:
            c("loop")
        if self.end is not None:
            self.sums.clear_at(self.loop.index)
        self._last(i)
        if many or self.end is not None:
            self._advance(i, 1)
            c.set(i)
        if many:
            c.get(i)
            end()
            c("i32.lt_u")
            c("br_if", 0)
            c("end")

    def _last(self, i: Location) -> None:
        """Write iteration `i`, which has no other beside it."""
        self.loop.writer.promotion.drop(self.loop.v)
        self.frame.location[self.loop.index] = (i,)
        self.loop.iteration()

    def _loop(self, n: int | Size) -> None:
        c, vectors = self.c, self.vectors
        outer, c.body = c.body, Body()
        alone = self.loop.may_be_none or self.loop.size != n or self.end is not None
        stay = set[Value]() if alone else self.loop.staying([v.args[0] for v in self.sums.totals])
        self.sums.open(stay)
        self._vector()
        self._next(n)
        iteration, c.body = c.body, Body()
        c.splice(vectors.before)
        c("loop")
        c.splice(iteration)
        c("end")
        c.splice(vectors.after)
        loop, c.body = c.body, outer
        self.loop.wrap(loop, self.sums.pairs, stay)
        vectors.release()

    def _vector(self) -> None:
        """Write the instructions of the iterations of a vector."""
        vectors, plan = self.vectors, self.plan
        for n, x in enumerate(plan.block.code):
            if x.op is ADD_TO:
                self.sums.add(x)
            elif x not in plan.deferred and x not in vectors.vectors and not vectors.waits(x):
                vectors.make(x)
            vectors.give_back(n)
        self.sums.add_late()
        for j, r in enumerate(plan.block.results):
            if (self.loop.v, j) in self.frame.lives.items and not r.type.empty:
                to = self.loop.vector(j)
                stride = size(r.type)
                assert not isinstance(stride, Size)
                at = At(to.base, to.more, (), (), stride, to.offset)
                vectors.store_kept([(at._replace(offset=at.offset + k), vectors.keep(x)) for k, x in plan.parts[r]])
        vectors.give_back(len(plan.block.code))

    def _next(self, n: int | Size) -> None:
        """Write the end of these iterations: advance all that moves; one of them tells when the loop ends."""
        c, vectors = self.c, self.vectors
        counter = None
        if self.end is None and not isinstance(n, Size):
            fixed = At(None, None, (), (), 0, 0)
            moved = [at for at in vectors.pointers if at.step > 0 and at._replace(step=0) == fixed]
            counter = moved[0] if moved else None
        if counter is None and vectors.index is None:
            vectors.first_index()
        for at, k in vectors.pointers.items():
            if at.step and at is not counter:
                self._advance(k, self.n * at.step)
                c.set(k)
        if vectors.index is not None:
            self._advance(vectors.index, self.n)
            (c.set if counter is not None else c.tee)(vectors.index)
        if counter is not None:
            assert isinstance(n, int)
            self._advance(vectors.pointers[counter], self.n * counter.step)
            c.tee(vectors.pointers[counter])
            c.i32_const(n * counter.step)
        elif self.end is not None:
            c.get(self.end)
        elif isinstance(n, Size):
            c.size(n)
            c.i32_const(-self.n)
            c("i32.and")
        else:
            c.i32_const(n)
        c("i32.lt_u")
        c("br_if", 0)

    def _advance(self, k: int, by: int) -> None:
        self.c.get(k)
        self.c.i32_const(by)
        self.c("i32.add")


def probe(*, relaxed: bool) -> bytes:
    """The smallest module that an engine refuses if it cannot compute several numbers at once."""
    m, c = Module(), Code(0)
    for _ in range(3):
        c("v128.const", 0, 0)
    c("f64x2.relaxed_madd" if relaxed else "v128.bitselect")
    c("drop")
    m.define(m.reserve(m.type([], [])), c)
    return m.finish()

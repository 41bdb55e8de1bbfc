"""The code of one function: the dispatch from each instruction to what writes it."""

from __future__ import annotations

from collections.abc import Callable

from rose.ir import ACCUM, ADD_TO, AT, CALL, CONST, FOR, INDEX, PACK, PURE_CALL, TUPLE, ZERO, Block, Op, Value
from rose.ir.puts import PUT
from rose.ir.sizes import plus, times
from rose.ir.stacks import JOIN, POP, PUSH
from rose.ir.types import Ref, Tuple, Vec

from ..abi.layout import item_offsets, leaf_offsets, leaves, offsets, size, wasm_type
from ..binary.encoder import LOCAL_SET
from . import stacks
from .accumulators import accum, add_to
from .assembler import noted
from .calls import call
from .expressions import Expressions
from .frame import Frame
from .locations import Location, Mem, leaves_at
from .loops import Loop
from .puts import put


class FunctionWriter:
    """Writes the instructions of a function into its frame.

    `vectorise` may write the iterations of a loop in another way, and then returns True.
    """

    def __init__(self, frame: Frame, vectorise: Callable[[Loop], bool] | None = None) -> None:
        self.frame, self.c, self.vectorise = frame, frame.c, vectorise
        self.expr = Expressions(frame)
        self.promotion = frame.program.analyses.promotion(self.expr)
        self.loop: Loop | None = None
        self.start, self.early = frame.lives.start, frame.lives.early

    def write(self) -> None:
        """Write all of it, and leave the numbers of the results on the stack."""
        frame = self.frame
        self.block(frame.f.body)
        parts = [(r, leaf, t) for r in frame.f.body.results for leaf, t in enumerate(leaves(r.type))]
        for (r, leaf, t), to in zip(parts, frame.results, strict=True):
            if not t.scalar:
                self.expr.store(r, leaf, t, to)
        for (r, leaf, t), to in zip(parts, frame.results, strict=True):
            if t.scalar and frame.out is not None:
                self.expr.store(r, leaf, t, to)
            elif t.scalar:
                self.expr.push(r, leaf)

    def block(self, block: Block) -> None:
        """Write the instructions of a block."""
        frame, lives = self.frame, self.frame.lives
        deferred, dies, computed, start = lives.deferred, lives.dies, lives.computed, lives.start
        unread = self.expr.unread
        for v in block.code:
            if v not in deferred and v not in unread:
                if v in computed:
                    self.define(v)
                elif v.op is not CONST and v.op is not ZERO:
                    self.instruction(v)
            if (n := start[v]) in dies:
                frame.release(n)

    @noted
    def define(self, v: Value, /) -> None:
        """Put a number into a local, and into the aggregates that it is an item of."""
        frame, c, compute = self.frame, self.c, self.expr.number
        early = self.early.get(v)
        if early is None:
            compute(v)
            frame.release(self.start[v])
            k = frame.local(v, wasm_type(v.type))
            c.body += LOCAL_SET[k]
            frame.location[v] = (k,)
            return
        if len(early) == 1 and frame.lives.reader[v] is not None:
            to = self._item(*early[0])
            c.base(to)
            compute(v)
            c.write(v.type, to)
            return
        compute(v)
        frame.release(self.start[v])
        k = frame.set(v, v.type)
        frame.location[v] = (k,)
        for whole, item in early:
            to = self._item(whole, item)
            c.base(to)
            c.get(k)
            c.write(v.type, to)

    @noted
    def instruction(self, v: Value, /) -> None:
        """Write an instruction that does not make a number."""
        if v in self.promotion.elements:
            return
        if v in self.frame.lives.aliases:
            self.frame.location[v] = self.frame.alias(v)
        else:
            _EMITTERS.get(v.op, FunctionWriter.select)(self, v)

    def _item(self, whole: Value, k: int) -> Mem:
        """The address of an item of an aggregate that is being built."""
        if isinstance(whole.type, Vec):
            offset = times(k, size(whole.type.elem))
        else:
            assert isinstance(whole.type, Tuple)
            offset = offsets(whole.type)[k]
        return self.frame.build_at(whole, 0, whole.type).at(offset)

    def element(self, v: Value) -> None:
        """Find the address of an aggregate in a vector, or of an element of an accumulator."""
        whole, i = v.args
        t = whole.type.inner if isinstance(whole.type, Ref) else whole.type
        assert isinstance(t, Vec)
        if v.type.empty:
            self.frame.location[v] = ()
            return
        at = self.expr.element_at(i, v, size(t.elem), self.frame.address(whole))
        self.frame.location[v] = leaves_at(t.elem, at)

    def aggregate(self, v: Value) -> None:
        """Build a vector or a large tuple from its items; some are there already."""
        frame = self.frame
        if v.type.empty:
            frame.location[v] = ()
            return
        to = frame.build_at(v, 0, v.type)
        frame.location[v] = (to,)
        for k, (x, start) in enumerate(zip(v.args, item_offsets(v), strict=True)):
            if (v, k) in frame.lives.stored:
                continue
            for leaf, (t, at) in enumerate(zip(leaves(x.type), leaf_offsets(x.type), strict=True)):
                self.expr.store(x, leaf, t, to.at(plus(start, at)))

    def select(self, v: Value) -> None:
        """Select between aggregates: between addresses, and between the numbers that are kept apart."""
        frame, push = self.frame, self.expr.push
        mask, x, y = v.args
        locations: list[Location] = []
        for leaf, t in enumerate(leaves(v.type)):
            push(x, leaf)
            push(y, leaf)
            push(mask)
            frame.c("select")
            k = frame.local(v, wasm_type(t))
            frame.c.set(k)
            locations.append(k if t.scalar else Mem(k, 0))
        frame.location[v] = tuple(locations)


# what writes each instruction that is neither a number nor an alias; else it is a `select` of aggregates
_EMITTERS: dict[Op, Callable[[FunctionWriter, Value], None]] = {
    FOR: lambda w, v: Loop(w, v).write(),
    PACK: FunctionWriter.aggregate,
    TUPLE: FunctionWriter.aggregate,
    PUT: lambda w, v: put(w.expr, v),
    INDEX: FunctionWriter.element,
    AT: FunctionWriter.element,
    ACCUM: lambda w, v: accum(w.expr, w.promotion, v),
    ADD_TO: lambda w, v: add_to(w.expr, v),
    CALL: lambda w, v: call(w.expr, v),
    PURE_CALL: lambda w, v: call(w.expr, v),
    PUSH: lambda w, v: stacks.push(w.expr, v),
    POP: lambda w, v: stacks.pop(w.expr, v),
    JOIN: lambda w, v: stacks.join(w.expr, v),
}

"""The plan of the tape: which primal values the linear half of a function reads, and where it finds each of them.

It reads what the transposed rules read. Of that, what is cheap is recomputed, parameters are passed on, and the rest
are residuals, which the forward half puts on the tape: a vector, and not each element of it. Each block has a tape;
that of the block around a loop has a vector for each entry of the tape of the loop.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir import ADD_TO, AT, CONST, FOR, GET, INDEX, PARAM, ZERO, Block, Func, Value, is_call
from ..ir.callgraph import is_table
from ..ir.ops import iadd, ifrom, imul, real, select
from ..ir.types import primal_part
from .half_signature import HalfSignature
from .linearity import Loops
from .select_masks import Guard, around, masks_of, visible

# An entry of a tape: a value of the block, the tape of a call, or an entry of the tape of a loop in the block.
Entry = Value | tuple[Value, "Entry | None"]


class Residuals:
    """What the linear half of `g` reads. `signature_of` has the calling convention of the halves of its callees."""

    def __init__(self, g: Func, signature_of: Callable[[Func], HalfSignature]) -> None:
        self.g, self.signature_of = g, signature_of
        self.loops = Loops(g.body)
        self.masks = masks_of(g.body, self.loops)
        self.positions = {p: k for k, p in enumerate(g.params)}
        self.params: dict[Value, int] = {}  # the residual parameters, and their positions
        self.tapes: dict[Block, dict[Entry, int]] = {}  # the tape of each block: entry -> position
        self.readers: dict[Entry, dict[Guard | None, None]] = {}  # the guards of what reads an entry
        self.loop_of: dict[Block, Value] = {}
        self.tested: dict[Guard, None] = {}  # the guards that masks of the linear half test
        self.asked: dict[Block, dict[Value, Guard]] = {}  # for each loop, what masks ask of all its iterations
        self._block(g.body)
        self._conditions()

    def guard_of(self, entry: Entry) -> Guard | None:
        """The guard of all that reads an entry of a tape."""
        return self.masks.outside(self.readers[entry], (entry if isinstance(entry, Value) else entry[0]).block)

    def is_index(self, v: Value) -> bool:
        """True for the index of a loop: the loop of the linear half has its own."""
        return v.op is PARAM and v is v.block.params[0]

    # what is read

    def _block(self, block: Block) -> None:
        self.tapes[block] = {}
        for v in self.loops.code[block]:
            if v.op is FOR:
                self._for(v)
            else:
                self._instruction(v)
            for g in self.masks.crossed(v):
                self._mask(g)

    def _instruction(self, v: Value) -> None:
        under = self.masks.under(v)
        if v.op.transpose is not None:
            for a in v.args:
                if not a.type.linear:
                    self._need(a, under)
        elif is_call(v):
            self._keep(v.block, (v, None), under)
            for k in self.signature_of(v.attr).residuals:
                self._need(v.args[k], under)
            for a in v.args:
                self._need_path(a)
        elif v.op is ADD_TO:
            self._need_path(v.args[0])
        elif v.op is INDEX:
            self._need(v.args[1], under)
        elif v.op is select:
            self._need(v.args[0], under)

    def _for(self, v: Value) -> None:
        self.loop_of[v.attr] = v
        self._block(v.attr)
        for entry in self.tapes[v.attr]:
            self._keep(v.block, (v, entry), visible(self.guard_of(entry), v.block))

    def _mask(self, g: Guard | None) -> None:
        while g is not None and g not in self.tested:
            self.tested[g] = None
            if g.condition is not None:
                self._need(g.condition, None)
            for x in g.either:
                self._mask(x)
            g = g.outer

    def _need_path(self, ref: Value) -> None:
        """The linear half reads the cotangent of a part of an accumulator: it needs the indices to it."""
        while ref.op is AT:
            ref, *index = ref.args
            for i in index:
                self._need(i, None)

    def _need(self, v: Value, under: Guard | None, depth: int = 0) -> None:
        """The linear half reads the primal `v`: it is recomputed if that is cheap, else a residual."""
        if v in self.positions:
            self.params[v] = self.positions[v]
        elif not v.type.empty and not self.is_index(v):
            if depth < 8 and is_cheap(v, self.positions):
                for a in v.args:
                    self._need(a, under, depth + 1)
            else:
                self._keep(v.block, v, under)

    def _keep(self, block: Block, entry: Entry, under: Guard | None) -> None:
        tape = self.tapes[block]
        tape.setdefault(entry, len(tape))
        self.readers.setdefault(entry, {})[under] = None

    # what the masks of both halves ask of all iterations of a loop

    def _conditions(self) -> None:
        for e in [e for tape in self.tapes.values() for e in tape]:
            if isinstance(e, Value):
                self._ask(e)
            if self._has_numbers(e):
                self._ask_all(self.guard_of(e), None)

    def _ask(self, condition: Value) -> None:
        g = self.masks.some_iteration.get(condition)
        if g is not None and condition not in self.asked.setdefault(g.scope, {}):
            self.asked[g.scope][condition] = g
            self._ask_all(g, around(g))

    def _ask_all(self, g: Guard | None, outer: Guard | None) -> None:
        while g is not None and g is not outer:
            if g.condition is not None:
                self._ask(g.condition)
            for x in g.either:
                self._ask_all(x, g.outer)
            g = g.outer

    def _has_numbers(self, e: Entry) -> bool:
        """True if an entry of a tape may have a derivative."""
        while not isinstance(e, Value) and e[1] is not None:
            e = e[1]
        return primal_part(e.type).real if isinstance(e, Value) else self.signature_of(e[0].attr).tape.real


def is_cheap(v: Value, params: dict[Value, int]) -> bool:
    """True if the linear half recomputes `v`."""
    if v.op is GET or v.op is INDEX:
        whole = v.args[0]
        return whole in params or is_cheap(whole, params) or (v.op is INDEX and whole.block is not v.block)
    return v.op in (CONST, ZERO, real, ifrom, iadd, imul) or is_table(v)

"""The plan of the tape: which primal values the linear half of a function reads, and where it finds each of them.

It reads what the transposed rules read. Of that, what is cheap is recomputed, parameters are passed on, and the rest
are residuals, which the forward half puts on the tape: a vector, and not each element of it. Each block has a tape;
that of the block around a loop has a vector for each entry of the tape of the loop. So an entry that takes a few
operations on others, or on values from outside of the loop, is taken off again: the differences of positions are not
kept for each pair of bodies, but the positions.
"""

from __future__ import annotations

from collections.abc import Callable

from ..ir import (
    ADD_TO,
    AT,
    CONST,
    FOR,
    GET,
    INDEX,
    PACK,
    TUPLE,
    ZERO,
    Block,
    Func,
    Value,
    is_call,
    is_index,
    loop_of,
    span_of,
)
from ..ir.callgraph import is_table
from ..ir.columns import is_simple
from ..ir.ops import and_, not_, select
from ..ir.reshapes import RESHAPE
from ..ir.types import Fin, Span
from ..optimise import costs
from .half_signature import HalfSignature
from .linearity import Loops
from .versions import Versions

# An entry of a tape: a value of the block, the tape of a call, or an entry of the tape of a loop in the block.
Entry = Value | tuple[Value, "Entry | None"]


class Residuals:
    """What the linear half of `g` reads: `loops` has its instructions, `signature_of` the halves of its callees.

    Of a half that is `in_scope` of the other, only what is in loops is on a tape: see `sweep.py`.
    """

    def __init__(
        self, g: Func, loops: Loops, signature_of: Callable[[Func], HalfSignature], *, in_scope: bool = False
    ) -> None:
        self.g, self.loops, self.signature_of, self.in_scope = g, loops, signature_of, in_scope
        self.positions = {p: k for k, p in enumerate(g.params)}
        self.params: dict[Value, int] = {}  # the residual parameters, and their positions
        self.items: dict[int, dict[int, None]] = {}  # of those that are tuples, the items that are read, if not all
        self.tapes: dict[Block, dict[Entry, int]] = {}  # the tape of each block: entry -> position
        self.loop_of: dict[Block, Value] = {}
        self.versions = Versions(g)
        self._block(g.body)

    # what is read

    def _block(self, block: Block) -> None:
        self.tapes[block] = {}
        for v in self.loops.code[block]:
            if v.op is FOR:
                self._for(v)
            elif not self._sees(block):
                self._instruction(v)
        if not self._sees(block):
            self._thin(block)

    def _sees(self, block: Block) -> bool:
        """True if the linear half has all values of a block in scope."""
        return self.in_scope and block is self.g.body

    def _instruction(self, v: Value) -> None:
        if is_call(v):
            self._call(v)
        elif v.op is ADD_TO:
            self._need_path(v.args[0])
        else:
            for a, linear in zip(v.args, v.op.is_linear_in(len(v.args)), strict=True):
                if not linear:
                    self._need(a)
            if v.op is select:
                self._need_parts(v.args[0])

    def _call(self, v: Value) -> None:
        signature = self.signature_of(v.attr)
        self._keep(v.block, (v, None))
        for k in signature.residuals:
            if k in signature.kept.items and v.args[k] in self.positions:
                for item in signature.kept.items[k]:
                    self._need_item(v.args[k], item)
            else:
                self._need(v.args[k])
        for a in v.args:
            self._need_path(a)

    def _for(self, v: Value) -> None:
        block = loop_of(v)
        self.loop_of[block] = v
        if (span := span_of(v)) is not None:
            self._need(span)
        self._block(block)
        for entry in self.tapes[v.attr]:
            self._keep(v.block, (v, entry))

    def _need_parts(self, condition: Value) -> None:
        """Masks test the conditions that another joins: see `select_masks.py`."""
        todo = [condition]
        for c in todo:
            if c.op is and_ or c.op is not_:
                for a in c.args:
                    self._need(a)
                    todo.append(a)

    def _need_path(self, ref: Value) -> None:
        """The linear half reads the cotangent of a part of an accumulator: it needs the indices to it."""
        while ref.op is AT:
            ref, *index = ref.args
            for i in index:
                self._need(i)

    def _need(self, v: Value, depth: int = 0) -> None:
        """The linear half reads the primal `v`: it is recomputed if that is cheap, else a residual."""
        if self._sees(v.block):
            return
        if v in self.positions:
            self.params[v] = self.positions[v]
            self.items.pop(self.positions[v], None)
        elif v.op is GET and v.args[0] in self.positions and not v.type.empty:
            self._need_item(v.args[0], v.attr)
        elif not v.type.empty and not is_index(v):
            if (depth < 8 or not v.args) and is_cheap(v, self.positions, self.versions):  # a literal is never on a tape
                for a in v.args:
                    self._need(a, depth + 1)
            else:
                self._keep(v.block, v)

    def _need_item(self, p: Value, k: int) -> None:
        """The linear half reads an item of a parameter."""
        if p not in self.params:
            self.params[p] = self.positions[p]
            self.items[self.positions[p]] = {}
        if self.positions[p] in self.items:
            self.items[self.positions[p]][k] = None

    def _thin(self, block: Block) -> None:
        """Take off the tape of a block what a few operations on the rest of it, or on what is outside, make again."""
        tape = self.tapes[block]
        for v in block.code if tape else ():
            if v in tape and _is_simple(v):
                leaves: list[Value] = []
                if self._again(v, costs.RECOMPUTED_COST, leaves) >= 0:
                    del tape[v]
                    for a in leaves:
                        self._need(a)
        self.tapes[block] = {e: k for k, e in enumerate(tape)}

    def _again(self, v: Value, limit: int, leaves: list[Value]) -> int:
        """What is left of a limit when `v` was computed again, of `leaves`; negative if that is not cheap."""
        for a in v.args:
            if self._is_free(a, v.block):
                leaves.append(a)
            elif limit < 0 or not _is_simple(a) or a.block is not v.block:
                return -1
            else:
                limit = self._again(a, limit, leaves)
        return limit - v.op.cost

    def _is_free(self, v: Value, block: Block) -> bool:
        """True for what the linear half reads without another entry of the tape of a block, or of a caller's."""
        if v in self.tapes[block] or v.block is not block:
            return True
        if v in self.positions:
            return v in self.params and self.positions[v] not in self.items
        if v.op is GET and v.args[0] in self.params:
            return v.attr in self.items.get(self.positions[v.args[0]], (v.attr,))
        if is_index(v):
            return True
        return is_cheap(v, self.positions, self.versions) and all([self._is_free(a, block) for a in v.args])

    def _keep(self, block: Block, entry: Entry) -> None:
        tape = self.tapes[block]
        tape.setdefault(entry, len(tape))


def is_cheap(v: Value, params: dict[Value, int], versions: Versions) -> bool:
    """True if the linear half recomputes `v`."""
    if v.op is GET or v.op is INDEX:
        whole = v.args[0]
        if versions.has(v):
            return False
        return whole in params or is_cheap(whole, params, versions) or (v.op is INDEX and whole.block is not v.block)
    of_indices = v.op.eval is not None and all([isinstance(a.type, Fin) for a in v.args])  # such as (i + 1) % n
    return of_indices or v.op in (CONST, ZERO, RESHAPE) or isinstance(v.type, Span) or is_table(v)


def _is_simple(v: Value) -> bool:
    """True for a simple operation on numbers and conditions, or what is made of such."""
    return (v.op is PACK or v.op is TUPLE or is_simple(v.op)) and not v.type.linear

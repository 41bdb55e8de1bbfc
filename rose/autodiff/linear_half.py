"""The linear half of a JVP: a walk over the linear instructions, with the tape at hand."""

from __future__ import annotations

from ..ir import CONST, GET, INDEX, ZERO, Block, Builder, Value, is_call
from ..ir.stacks import pop
from ..ir.types import Stack, primal_part
from .half_signature import Arguments
from .unzip import Entry, UnzippedBody


class LinearHalf:
    """What the linear half reads, whichever way it goes: saved parameters, and the tape."""

    def __init__(self, of: UnzippedBody) -> None:
        self.of, self.g = of, of.g
        self.turn: dict[Block, Value] = {}  # the index of the turn, of each loop
        self.given: dict[Value, Value] = {}  # the saved parameters
        self.remade: dict[Value, Value] = {}  # what belongs to no loop, once it was asked for
        self.tape: Value | None = None

    def take(self, b: Builder, given: Arguments) -> None:
        """Read the residual parameters and the tape from the parameters of a half."""
        self.given = {self.g.params[k]: x for k, x in given.primals.items()}
        self.tape = pop(b, given.tape)[0] if isinstance(given.tape.type, Stack) else given.tape

    def again(self, b: Builder, v: Value) -> Value:
        """The primal `v`: a saved parameter, from the tape, or made again."""
        if v in self.given:
            return self.given[v]
        if v.block is self.g.body:
            if v not in self.remade:
                inner, b.block = b.block, b.root
                self.remade[v] = self._made(b, v)
                b.block = inner
            return self.remade[v]
        # it is made in the loop it belongs to, not anew in each turn of a loop inside
        inner, b.block = b.block, self.turn[v.block].block if v.block in self.turn else b.root
        made = self._made(b, v)
        b.block = inner
        return made

    def _made(self, b: Builder, v: Value) -> Value:
        if v.block in self.of.kept and v in self.of.kept[v.block]:
            return self.from_tape(b, v.block, v)
        if self.of.is_turn(v):
            return self.turn[v.block]
        if v.op is CONST:
            return b.const(v.attr, v.type)
        if v.op is ZERO or v.type.empty:
            return b.zero(primal_part(v.type))
        args = [self.again(b, a) for a in v.args]
        if is_call(v):
            return b.call(v.attr, args)
        if v.op is GET:
            return b.get(args[0], v.attr)
        return b.index(*args) if v.op is INDEX else b.emit(v.op, tuple(args), v.attr)

    def from_tape(self, b: Builder, block: Block, e: Entry) -> Value:
        k = self.of.kept[block][e]
        if block is self.g.body:
            assert self.tape is not None
            return b.get(self.tape, k)
        loop = self.of.loop_of[block]
        return b.index(self.from_tape(b, loop.block, (loop, e)), self.turn[block])

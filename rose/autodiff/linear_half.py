"""The linear half of a function: a walk over its linear instructions, with the residuals at hand."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ..ir import AT, CONST, FOR, ZERO, Block, Builder, Func, Value, is_call, is_index, span_of
from ..ir.stacks import pop
from ..ir.types import Stack, primal_part
from .half_signature import Arguments, Way
from .residuals import Entry, Residuals
from .unzip import UnzippedBody


class LinearHalf(ABC):
    """The walk over the linear instructions, either way, and what it reads."""

    way: Way

    def __init__(self, of: UnzippedBody, marked: bool = False, residuals: Residuals | None = None) -> None:
        self.marked = marked  # whether the cotangents that a backward half takes and gives are
        self.residuals = of.residuals if residuals is None else residuals  # what is on the tape, and where
        self.signature, self.g = of.signature, of.signature.g
        self.indices: dict[Block, Value] = {}  # the index of each loop
        self.primals: dict[Value, Value] = {}  # the residual parameters; and values of no loop, once they were read
        self.tape: Value | None = None

    def half(self) -> Func:
        with self.signature.building(self.way, self.marked) as b:
            given = self.signature.declare(b, self.way, self.marked)
            self.primals = {self.g.params[k]: x for k, x in given.primals.items()}
            self.tape = pop(b, given.tape)[0] if isinstance(given.tape.type, Stack) else given.tape
            return b.func(self.body(b, given))

    def block(self, b: Builder, block: Block) -> None:
        code = self.residuals.loops.code[block]
        for v in reversed(code) if self.way is Way.BACKWARD else code:
            b.loc = v.loc
            if v.op is FOR:
                self.loop(b, v)
            elif v.op is not AT:
                self.instruction(b, v)

    @abstractmethod
    def body(self, b: Builder, given: Arguments) -> Value:
        """Write the half, and return its result."""

    @abstractmethod
    def loop(self, b: Builder, v: Value) -> None: ...

    @abstractmethod
    def instruction(self, b: Builder, v: Value) -> None: ...

    # primals

    def primal(self, b: Builder, v: Value) -> Value:
        """The primal `v`: a parameter, from the tape, or recomputed."""
        if v in self.primals:
            return self.primals[v]
        # in the block that it belongs to, not anew in each iteration of a loop inside
        inner, b.block = b.block, self.indices[v.block].block if v.block in self.indices else b.root
        made = self._read(b, v)
        b.block = inner
        if v.block is self.g.body:
            self.primals[v] = made
        return made

    def _read(self, b: Builder, v: Value) -> Value:
        if v in self.residuals.tapes.get(v.block, {}):
            return self.from_tape(b, v.block, v)
        if is_index(v):
            return self.indices[v.block]
        if v.op is CONST:
            return b.const(v.attr, v.type)
        if v.op is ZERO or v.type.empty:
            return b.zero(primal_part(v.type))
        args = [self.primal(b, a) for a in v.args]
        if is_call(v):
            return b.call(v.attr, args)
        return b.make(v.op, tuple(args), v.attr, v.type)

    def span(self, b: Builder, loop: Value) -> Value | None:
        """The span of a loop, if it has one."""
        span = span_of(loop)
        return None if span is None else self.primal(b, span)

    def call_tape(self, b: Builder, call: Value) -> Value:
        """The tape of a call."""
        return self.from_tape(b, call.block, (call, None))

    def from_tape(self, b: Builder, block: Block, e: Entry) -> Value:
        k = self.residuals.tapes[block][e]
        if block is self.g.body:
            assert self.tape is not None
            return b.get(self.tape, k)
        loop = self.residuals.loop_of[block]
        return b.index(self.from_tape(b, loop.block, (loop, e)), self.indices[block])

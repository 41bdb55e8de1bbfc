"""One function that is a loop of unknown length: it calls a test and a body, again and again."""

from __future__ import annotations

from collections.abc import Sequence

from rose.host.effects import endless
from rose.ir import CALL, FOR, GET, PARAM, TUPLE, Block, Func, Value, While
from rose.ir.types import Fin, Tuple

from ..binary.encoder import I32
from .function import FunctionWriter
from .loops import State, Swap
from .memory import Memory
from .places import Mem
from .values import Program


class TurnsWriter(FunctionWriter):
    """Writes a loop whose turns are calls. It has the body of a `for`, which the test leaves."""

    def __init__(
        self, program: Program, f: Func, frame: Memory, at: Sequence[Mem | None] | None = None, out: Mem | None = None
    ) -> None:
        assert isinstance(f.kind, While) and isinstance(f.result, Tuple)
        self.loop, types = f.kind, f.result.items
        loc = self.loc = f.params[0].loc
        body = Block()
        body.params = [Value(PARAM, p.type, (), p.attr, p.loc, body) for p in f.params]
        inits, rest = body.params[: len(types)], body.params[len(types) :]
        turn = Block(body)
        turn.params = [Value(PARAM, t, (), None, loc, turn) for t in (Fin(1), *types)]
        args = (*turn.params[1:], *rest)
        self.test = Value(CALL, f.kind.test.result, args, f.kind.test, loc, turn)
        after = Value(CALL, f.result, args, f.kind.body, loc, turn)
        turn.results = tuple([Value(GET, t, (after,), k, loc, turn) for k, t in enumerate(types)])
        turn.code = [self.test, after, *turn.results]
        loop = Value(FOR, f.result, tuple(inits), turn, loc, body)
        last = [Value(GET, t, (loop,), k, loc, body) for k, t in enumerate(types)]
        result = Value(TUPLE, f.result, tuple(last), None, loc, body)
        body.code, body.results = [loop, *last, result], (result,)
        super().__init__(program, Func(f.name, body, f.result, pure=f.pure), frame, at, out)
        self.count = self.c.local(I32) if f.kind.most is not None else None

    def _turns(self, v: Value, block: Block, states: list[State], swaps: list[Swap]) -> None:
        self.c("block")
        self.c("loop")
        self._block(block)
        self._end_of_turn(v, block, states, swaps)
        self.c("br", 0)
        self.c("end")
        self.c("end")

    def _instruction(self, v: Value) -> None:
        super()._instruction(v)
        if v is self.test:
            self._push(v)
            self.c("i32.eqz")
            self.c("br_if", 1)
            self._count()

    def _count(self) -> None:
        if self.count is None or self.loop.most is None:
            return
        self.c.get(self.count)
        self.c.i32_const(self.loop.most)
        self.c("i32.eq")
        self.c("if")
        self.c.fail(self.program.failure(endless(self.loop.most, self.loc)))
        self.c("end")
        self.c.get(self.count)
        self.c.i32_const(1)
        self.c("i32.add")
        self.c.set(self.count)

"""The code of a while loop: a function that calls a test and a body, again and again."""

from __future__ import annotations

from rose.host.effects import endless
from rose.ir import While
from rose.ir.sizes import Size, plus
from rose.ir.types import Tuple

from ..abi.layout import is_flat, leaf_offsets, leaves, offsets, wasm_type
from ..abi.signature import Stop
from ..binary.encoder import I32
from .calls import enter, place
from .copying import items_apart
from .expressions import Expressions
from .frame import Frame
from .locations import Mem
from .loops import State, open_state, swap_buffers


class WhileLoop:
    """A while loop, while it is written. Its parameters are the states, and then what stays the same."""

    def __init__(self, frame: Frame) -> None:
        assert isinstance(frame.f.kind, While) and isinstance(frame.f.result, Tuple)
        self.frame, self.c, self.kind, self.type = frame, frame.c, frame.f.kind, frame.f.result
        self.expr = Expressions(frame)
        self.count = frame.take(I32) if self.kind.most is not None else None
        self.states: list[State] = []

    def write(self) -> None:
        """Write all of it, and leave the numbers of the result on the stack."""
        frame, c = self.frame, self.c
        inits = frame.f.params[: len(self.type.items)]
        for j, p in enumerate(inits):
            self.states += [open_state(self.expr, p, j, leaf, frame.take) for leaf in range(len(leaves(p.type)))]
        for j, p in enumerate(inits):
            frame.location[p] = tuple([s.location for s in self.states if s.item == j])
            frame.give_back(p)
        if self.count is not None:  # it may be in another loop, or have the local of another
            c.i32_const(0)
            c.set(self.count)
        c("block")
        c("loop")
        c.stop(Stop(frame.f.loc, tuple(frame.live())))
        enter(self.expr, self.kind.test, frame.f.params, ())
        c("i32.eqz")
        c("br_if", 1)
        self._count()
        self._body()
        c("br", 0)
        c("end")
        c("end")
        self._result()
        self._leave()

    def _count(self) -> None:
        """Fail after too many iterations."""
        frame, c = self.frame, self.c
        if self.count is None or self.kind.most is None:
            return
        c.get(self.count)
        c.i32_const(self.kind.most)
        c("i32.eq")
        c("if")
        c.fail(frame.program.failure(endless(self.kind.most, frame.f.loc)))
        c("end")
        c.get(self.count)
        c.i32_const(1)
        c("i32.add")
        c.set(self.count)

    def _body(self) -> None:
        """Call the body, and let what it makes be the states: small tuples are apart, a large one is in memory."""
        body = self.kind.body
        apart = items_apart(body) if body in self.frame.program.placed and not is_flat(self.type) else None
        if apart is None and not is_flat(self.type):
            self._body_in_memory(self.frame.memory.reserve(self.type))
            return
        built = [Mem(s.then, 0) for s in self.states if not s.type.scalar]
        if apart is None:
            enter(self.expr, body, self.frame.f.params, built)
        else:
            place(self.expr, apart, self.frame.f.params, built)
        for s in reversed(self.states):
            if s.type.scalar:
                self.c.set(s.now)
        swap_buffers(self.expr, self.states)

    def _body_in_memory(self, made: Mem) -> None:
        enter(self.expr, self.kind.body, self.frame.f.params, (made,))
        numbers: list[int] = []
        for s, at in zip(self.states, self._starts(), strict=True):
            if s.type.scalar:
                self.c.load(s.type, made.at(at))
                numbers.append(s.now)
            else:
                self.c.copy(s.type, made.at(at), Mem(s.then, 0))
        for now in reversed(numbers):
            self.c.set(now)
        swap_buffers(self.expr, self.states)

    def _starts(self) -> list[int | Size]:
        """The offset of each leaf of the states in the result, if that is in memory as a whole."""
        starts = offsets(self.type)
        return [plus(starts[s.item], leaf_offsets(self.type.items[s.item])[s.leaf]) for s in self.states]

    def _result(self) -> None:
        results = self.frame.results
        if is_flat(self.type):
            for s, to in zip(self.states, results, strict=True):
                if not s.type.scalar:
                    self.c.copy(s.type, Mem(s.now, 0), to)
            for s in self.states:
                if s.type.scalar:
                    self.c.get(s.now)
            return
        for s, at in zip(self.states, self._starts(), strict=True):
            if s.type.scalar:
                self.c.base(results[0].at(at))
                self.c.get(s.now)
                self.c.write(s.type, results[0].at(at))
            else:
                self.c.copy(s.type, Mem(s.now, 0), results[0].at(at))

    def _leave(self) -> None:
        """Free the locals of the states, as others may follow in the same function."""
        free = self.frame.free
        for s in self.states:
            free[wasm_type(s.type)].append(s.now)
            if not s.type.scalar:
                free[I32].append(s.then)
        if self.count is not None:
            free[I32].append(self.count)

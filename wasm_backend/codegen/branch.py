"""One function that is a choice between two others."""

from __future__ import annotations

from collections.abc import Sequence

from rose.ir import CALL, Block, Branch, Func, Value

from ..abi.layout import leaves, wasm_type
from ..binary.encoder import Code
from .function import FunctionWriter
from .memory import Memory
from .places import Mem
from .values import Program


class ChoiceWriter(FunctionWriter):
    """Writes a function that calls one of two others, which put their results where its own go."""

    def __init__(
        self, program: Program, f: Func, frame: Memory, at: Sequence[Mem | None] | None = None, out: Mem | None = None
    ) -> None:
        assert isinstance(f.kind, Branch)
        body = Block()
        body.params = [Value(p.op, p.type, (), p.attr, p.loc, body) for p in f.params]
        c, *args = body.params
        self.calls = [Value(CALL, f.result, tuple(args), g, c.loc, body) for g in (f.kind.then, f.kind.otherwise)]
        body.code, body.results = [*self.calls], (self.calls[0],)
        super().__init__(program, Func(f.name, body, f.result, pure=f.pure), frame, at, out)

    def write(self) -> Code:
        parts = leaves(self.f.result)
        numbers = [self.c.local(wasm_type(t)) for t in parts if t.scalar]
        self._push(self.f.params[0])
        self.c("if")
        for v in self.calls:
            if v is self.calls[1]:
                self.c("else")
            for leaf, (t, at) in enumerate(zip(parts, self.results, strict=True)):
                if not t.scalar:
                    self.built[(v, leaf)] = at
            self._call(v)
            for to, leaf in zip(numbers, [k for k, t in enumerate(parts) if t.scalar], strict=True):
                self._push(v, leaf)
                self.c.set(to)
        self.c("end")
        for k in numbers:
            self.c.get(k)
        return self.c

"""Which instructions are linear: those that a `Tan` goes through."""

from __future__ import annotations

from ..ir import ADD_TO, CALL, FOR, PURE_CALL, Block, Value


def is_linear(v: Value) -> bool:
    """True if `v` has a part in the tangents: it makes one, or it adds one to an accumulator."""
    if v.type.linear:
        return True
    op = v.op
    return (op is ADD_TO or op is CALL or op is PURE_CALL) and any([a.type.linear for a in v.args])


class Loops:
    """Facts about each loop: whether it is linear, and which linear values it uses from outside.

    And for each block, unless it is part of a loop that is not linear: its linear instructions and loops, in order.
    """

    def __init__(self, body: Block) -> None:
        self.linear: dict[Value, bool] = {}
        self.outside: dict[Value, list[Value]] = {}
        self.code: dict[Block, list[Value]] = {}
        self._visit(body)

    def _visit(self, block: Block) -> tuple[bool, dict[Value, None]]:
        used: dict[Value, None] = {}
        code = self.code[block] = []
        for v in block.code:
            if block.parent is not None:
                for a in v.args:
                    if a.block is not block and a.type.linear:
                        used[a] = None
            if v.op is FOR:
                inner, seen = self._visit(v.attr)
                self.linear[v] = inner or v.type.linear
                self.outside[v] = list(seen)
                for a in seen:
                    if a.block is not block:
                        used[a] = None
                if self.linear[v]:
                    code.append(v)
            elif is_linear(v):
                code.append(v)
        for r in block.results:
            if r.block is not block and r.type.linear:
                used[r] = None
        return bool(code), used

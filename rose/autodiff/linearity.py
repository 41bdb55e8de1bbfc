"""Which instructions are linear: those that a `Tan` goes through."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..ir import ADD_TO, CALL, FOR, GET, PARAM, PURE_CALL, Block, Func, Value, is_call, loop_of
from ..ir.accumulators import base, is_ref
from ..ir.callgraph import operations
from ..ir.sizes import differ
from ..ir.types import Tan


def is_linear(v: Value) -> bool:
    """True if `v` has a part in the tangents: it makes one, or it adds one to an accumulator."""
    if v.type.linear:
        return True
    op = v.op
    return (op is ADD_TO or op is CALL or op is PURE_CALL) and any([a.type.linear for a in v.args])


class Loops:
    """Facts about each loop: whether it is linear, and which linear values it uses from outside.

    And for each block, unless it is part of a loop that is not linear: its linear instructions and loops, in order.
    What nothing reads is not among them: a zero is its cotangent, which may not meet an infinity. Nothing in a loop
    without iterations is read. `unread` are the positions of the linear parameters that nothing reads. `given` has the
    linear arguments that a call reads, and its accumulators.
    """

    def __init__(self, g: Func, given: Callable[[Value], Iterable[Value]]) -> None:
        self.given = given
        self.linear: dict[Value, bool] = {}
        self.outside: dict[Value, list[Value]] = {}
        self.code: dict[Block, list[Value]] = {}
        self._live: dict[Value, None] = {}  # the linear values that something reads
        self._parts: dict[tuple[Value, int], None] = {}  # of the results of loops
        self._adds: dict[Value, dict[Value, None]] = {}  # the accumulators from outside to which a loop adds
        if FOR in operations(g):
            self._survey(g.body)
        self._read(g.body.results)
        self._visit(g.body)
        self.unread = [k for k, p in enumerate(g.params) if p.type.linear and p not in self._live]
        self._live, self._parts = {}, {}  # which take more memory than what is kept

    def _survey(self, block: Block) -> dict[Value, None]:
        """The accumulators from outside of a block to which it adds."""
        added = dict[Value, None]()
        for v in block.code:
            if v.op is FOR:
                added |= (made := self._survey(v.attr))
                self._adds[v] = made
            elif v.op is ADD_TO or is_call(v):
                added |= {base(a): None for a in v.args if is_ref(a) and a.type.linear}
        return {ref: None for ref in added if ref.block is not block}

    def _read(self, args: Iterable[Value]) -> None:
        for a in args:
            if a.type.linear:
                self._live[a] = None
                if a.op is FOR:
                    self._parts |= dict.fromkeys([(a, j) for j in range(len(loop_of(a).results))])

    def _is_read(self, v: Value) -> bool:
        """True if something reads what `v` makes, or the accumulators that it adds to."""
        if v in self._live:
            return True
        refs = [base(a) for a in v.args if is_ref(a)] if v.op is ADD_TO or is_call(v) else []
        return any([ref in self._live or ref.op is PARAM for ref in refs if ref.type.linear])

    def _visit(self, block: Block) -> dict[Value, None]:
        """Find what is read in a block, from its last instruction to its first; the linear values from outside."""
        code, used, read = self.code.setdefault(block, []), dict[Value, None](), self._live
        for v in reversed(block.code):
            if v.type is Tan and v.op.transpose is not None:  # a row of the table: most are
                if v in read:
                    code.append(v)
                    for a in v.args:
                        if a.type is Tan:
                            read[a] = None
                            if a.block is not block:
                                used[a] = None
            elif v.op is FOR:
                used |= self._loop(v)
                if self.linear[v]:
                    code.append(v)
                    used |= dict.fromkeys(v.args)
            elif is_linear(v) and self._is_read(v):
                code.append(v)
                args = self.given(v) if is_call(v) else v.args
                if v.op is GET and v.args[0].op is FOR:
                    self._parts[v.args[0], v.attr] = None
                else:
                    self._read(args)
                used |= dict.fromkeys(args)
        code.reverse()
        used |= dict.fromkeys(block.results)
        return {a: None for a in used if a.type.linear and a.block is not block}

    def _loop(self, v: Value) -> dict[Value, None]:
        """A loop has all of its states, if any of its results is read or any sum it adds to."""
        block = loop_of(v)
        k = block.carried
        results = [j for j, r in enumerate(block.results) if r.type.linear]
        read = [j for j in results if (v, j) in self._parts]
        lives = bool(read) or any([ref in self._live or ref.op is PARAM for ref in self._adds[v]])
        self.linear[v], self.outside[v] = lives, []
        if not lives:
            return {}
        self._read(v.args)
        if not differ(block.size, 0):
            self.code[block] = []
            return {}
        self._read([block.results[j] for j in results if j < k or j in read])
        used = self._visit(block)
        self.outside[v] = list(used)
        return used

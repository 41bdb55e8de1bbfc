"""Stops: where a run looks up, to see whether it is to end. They are offsets in a module, whose bytes stay as they are.

A runtime that can be asked to stop writes a test at each of them before it compiles the module. What lies in between is
short, so that a run soon comes to one, and long, so that nobody can measure the tests: a stop is in each while loop,
and in each loop that does much between two of its own. A nest of loops that is done in some milliseconds has none, and
a long loop that does little in an iteration becomes two: one of many iterations in one that has a stop.
"""

from __future__ import annotations

from rose.ir import CALL, FOR, PURE_CALL, Block, Branch, Func, Value, While, is_call, loop_of
from rose.ir.builder import LIBRARY
from rose.ir.sizes import Size

from . import costs

_LONG = {FOR, CALL, PURE_CALL}


class Stops:
    """The loops that have a stop, and the instructions that functions do at most without one.

    Functions are asked for in the order in which they are written: after those that they call.
    """

    def __init__(self) -> None:
        self.every: dict[Value, int] = {}  # loop -> how many of its iterations come between two stops
        self._work: dict[Func, int] = {}

    def work(self, f: Func) -> int:
        """The instructions that come without a stop when a function is called."""
        if f not in self._work:
            self._work[f] = self._function(f)
        return self._work[f]

    def _function(self, f: Func) -> int:
        match f.kind:
            case Branch(then, otherwise):
                return max(self.work(then), self.work(otherwise))
            case While():
                return self.work(f.kind.test) + self.work(f.kind.body)
            case _:
                return self._block(f.body) if f.has_body else 1

    def _block(self, block: Block) -> int:
        more = [self._instruction(v) - 1 for v in block.code if v.op in _LONG or v.op.library]
        return len(block.code) + sum(more) + 1

    def _instruction(self, v: Value) -> int:
        if v.op is FOR:
            return self._loop(v)
        return self.work(v.attr) if is_call(v) else LIBRARY

    def _loop(self, v: Value) -> int:
        n, once = loop_of(v).size, self._block(v.attr)
        total = once * (costs.STOP_UNKNOWN if isinstance(n, Size) else n)
        if total <= costs.STOP_INSTRUCTIONS:
            return total
        each = isinstance(n, Size) or once >= costs.STOP_ITERATION
        self.every[v] = 1 if each else costs.STOP_INSTRUCTIONS // 16 // once
        return once * self.every[v]

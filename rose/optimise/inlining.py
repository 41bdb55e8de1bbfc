"""Inlining: a small function, or one that is called once, is written where it is called; the others stay calls.

One of up to 200 instructions is written into the loop that calls it, and one of up to 100 into a function that a loop
calls, as long as the program grows by a tenth at most: so that what is the same in each iteration is computed once, and
is not on a tape, and small arrays that a step gives to its rate are numbers.

Functions are written again, callees first, each in one walk, by the simplifier of `rewriter.py`. What was a tape
between the halves of a derivative is then a tuple that is made and taken apart in one function, so nothing is left of
it. Measured: all programs need it; a matrix that is read by columns executes 1.53 x as many instructions without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping

from ..ir import ACCUM, FOR, Func, Value, While
from ..ir.callgraph import callees, calls, length, operations, reachable
from . import costs
from .rewriter import IF_CONVERT, Simplifier

_EDITED = {ACCUM, FOR}  # what later passes edit, in a function that is made here


class Inliner:
    """Inlines the functions of a program, callees first. The cost model is their length and their number of calls."""

    def __init__(
        self, roots: Iterable[Func], made: Mapping[Func, Func], always: Container[Func], without: Collection[str] = ()
    ) -> None:
        self.made, self.always, self.without = made, always, without
        self.is_cheap = IF_CONVERT.chosen(without)
        self.calls: dict[Func, int] = {}
        self.layers: dict[Func, int] = {}  # how often the oldest part of it was inlined
        self.fitting: dict[tuple[Func, Func], bool] = {}  # a function that is called in a loop, and one that it calls
        todo, whiles, loops, total = list(roots), set[Func](), set[Func](), 0
        seen = set(todo)
        for f in todo:
            self.calls[f] = self.calls.get(f, 0) + 1  # it is called from outside
        for f in todo:
            total += length(f)
            for g in callees(f):
                self.calls[g] = self.calls.get(g, 0) + 1
                if g not in seen:
                    seen.add(g)
                    todo.append(g)
            whiles.update(callees(f) if isinstance(f.kind, While) else ())
            loops.update([v.attr for v in calls(f) if _in_loop(v)])
        self.whiles, self.loops = set(reachable(*whiles)), set(reachable(*loops))
        self.room = max(costs.INLINED_ROOM, int(costs.INLINED_GROWTH * total))

    def inlined(self, f: Func) -> Func:
        """`f` with callees, which are done, inlined; itself where there is nothing to do."""
        made = self.made
        here = self.chosen(f)
        if not here and all([made[g] is g for g in callees(f)]) and _EDITED.isdisjoint(operations(f)):
            return f
        new = Simplifier(made, here, self.without).function(f)
        inlined = [g for g in here.values() if g.has_body]
        layers = [self.layers.get(g, 0) + (length(g) > costs.INLINED_INSTRUCTIONS) for g in inlined]
        self.layers[new] = max(layers, default=0)
        return new

    def chosen(self, f: Func) -> dict[Value, Func]:
        """The calls in `f` that are inlined, each with the function."""
        out: dict[Value, Func] = {}
        total = length(f)
        longest, copies = max(costs.LONG_BLOCK_INSTRUCTIONS, 2 * total), Counter([v.attr for v in calls(f)])
        for v in calls(f):
            g = self.made[v.attr]
            if self.is_cheap(g):
                out[v] = g
                total += sum([length(h) for h in callees(g)])
            elif g.has_body and not v.attr.remat:
                n = length(g)
                if g in self.always:
                    out[v] = g
                    total += n
                    continue
                once = self.calls[v.attr] == 1 and self.layers.get(g, 0) < costs.INLINED_LAYERS
                most = longest if once or n <= costs.INLINED_INSTRUCTIONS else 0
                if once and not any(callees(g)):
                    most = max(most, costs.LONG_INSTRUCTIONS)
                if not most and self.fits(f, v, n, copies[v.attr]):
                    most, self.room = longest, self.room - n
                if total + n <= most:
                    out[v] = g
                    total += n
        return out

    def fits(self, f: Func, v: Value, n: int, copies: int) -> bool:
        """True if there is room for a callee of `n` instructions in a loop; in a function that one calls, for all."""
        if _in_loop(v) or f in self.whiles:
            return n <= min(costs.INLINED_LOOP_INSTRUCTIONS, self.room)
        if f not in self.loops or n > costs.INLINED_STEP_INSTRUCTIONS:
            return False
        return self.fitting.setdefault((f, v.attr), n * copies <= self.room)


def _in_loop(call: Value) -> bool:
    return call.block.parent is not None

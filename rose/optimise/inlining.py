"""Inlining: a small function, or one that is called once, is written where it is called; the others stay calls.

One of up to 200 instructions is written into the loop that calls it, as long as the program grows by a tenth at most:
so that what is the same in each iteration is computed once, and is not on a tape.

Functions are written again, callees first, each in one walk, by the simplifier of `rewriter.py`. What was a tape
between the halves of a derivative is then a tuple that is made and taken apart in one function, so nothing is left of
it. Measured: all programs need it; a matrix that is read by columns executes 1.53 x as many instructions without it.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping

from ..ir import ACCUM, FOR, Func, Value, While
from ..ir.callgraph import callees, calls, length, operations
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
        todo = list(roots)
        for f in todo:
            self.calls[f] = self.calls.get(f, 0) + 1  # it is called from outside
        self.parts: set[Func] = set()  # the parts of while loops, with what they call: it is in a loop as well
        seen, total = set(todo), 0
        while todo:
            f = todo.pop()
            total += length(f)
            if isinstance(f.kind, While):
                self.parts.update(callees(f))
            for g in callees(f):
                self.calls[g] = self.calls.get(g, 0) + 1
                if f in self.parts:
                    self.parts.add(g)
                if g not in seen:
                    seen.add(g)
                    todo.append(g)
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
        longest = max(costs.LONG_BLOCK_INSTRUCTIONS, 2 * total)
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
                if not most and self.is_inside(f, v) and n <= min(costs.INLINED_LOOP_INSTRUCTIONS, self.room):
                    most, self.room = longest, self.room - n
                if total + n <= most:
                    out[v] = g
                    total += n
        return out

    def is_inside(self, f: Func, v: Value) -> bool:
        """True if a call in `f` is in a loop."""
        return v.block.parent is not None or f in self.parts

"""Inlining: a small function, or one that is called once, is written where it is called; the others stay calls.

Functions are written again, callees first, each in one walk, by the simplifier of `rewriter.py`. What was a tape
between the halves of a derivative is then a tuple that is made and taken apart in one function, so nothing is left of
it. Measured: all programs need it; a matrix that is read by columns executes 57 x as many instructions without it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..ir import FOR, Func, Value
from ..ir.callgraph import callees, calls, weight
from .outlining import LONG, LONGEST
from .rewriter import IF_CONVERT, Simplifier

SMALL = 30  # instructions: a function with no more is inlined in all that call it
LAYERS = 3  # how often a larger one is inlined again: else each function of a chain of calls becomes the whole rest


class Inliner:
    """Inlines the functions of a program, callees first. The cost model is their length and their number of calls."""

    def __init__(self, roots: Iterable[Func], made: Mapping[Func, Func], without: Collection[str] = ()) -> None:
        self.made, self.without = made, without
        self.is_cheap = IF_CONVERT.chosen(without)
        self.calls: dict[Func, int] = {}
        self.weights: dict[Func, int] = {}
        self.layers: dict[Func, int] = {}  # how often the oldest part of it was inlined
        todo = list(roots)
        for f in todo:
            self.calls[f] = self.calls.get(f, 0) + 1  # it is called from outside
        seen = set(todo)
        while todo:
            for g in callees(todo.pop()):
                self.calls[g] = self.calls.get(g, 0) + 1
                if g not in seen:
                    seen.add(g)
                    todo.append(g)

    def inlined(self, f: Func) -> Func:
        """`f` with callees, which are done, inlined; itself where there is nothing to do."""
        made = self.made
        here = self.chosen(f)
        if not here and all([made[g] is g for g in callees(f)]) and not any([v.op is FOR for v in f.body.code]):
            return f
        new = Simplifier(made, here, self.without).function(f)
        self.layers[new] = max(
            [self.layers.get(g, 0) + (self.weight(g) > SMALL) for g in here.values() if g.has_body], default=0
        )
        return new

    def chosen(self, f: Func) -> dict[Value, Func]:
        """The calls in `f` that are inlined, each with the function."""
        out: dict[Value, Func] = {}
        total = self.weight(f)
        for v in calls(f):
            g = self.made[v.attr]
            if self.is_cheap(g):
                out[v] = g
                total += sum([self.weight(h) for h in callees(g)])
            elif g.has_body and not v.attr.remat:
                n = self.weight(g)
                once = self.calls[v.attr] == 1 and self.layers.get(g, 0) < LAYERS
                most = LONG if once and not any(callees(g)) else LONGEST if once or n <= SMALL else 0
                if total + n <= most:
                    out[v] = g
                    total += n
        return out

    def weight(self, f: Func) -> int:
        if f not in self.weights:
            self.weights[f] = weight(f.body)
        return self.weights[f]

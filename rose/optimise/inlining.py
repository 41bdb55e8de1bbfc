"""Inlining: a small function, or one that is called once, is put where it is called; the others stay calls.

Functions are written again, callees first, each in one walk. What was a tape between two functions is then a tuple
that is made and taken apart in one, so nothing of it is left; what the builder knows of each operation, and what
`motion.py` and `delay.py` know of loops, is done on the way.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir import (
    FOR,
    Func,
    Value,
)
from ..ir.callgraph import callees, callees_first, calls, of_parts, weight
from ..ir.progress import step
from .dead_code import remove_dead_code
from .if_conversion import is_cheap
from .loop_fusion import fuse
from .outlining import LONG, LONGEST
from .rewriter import Writer
from .sum_forwarding import merge_sums

SMALL = 30  # instructions: a function with no more is put into all that call it
LAYERS = 3  # so often a larger one is written again: of a chain of calls not each takes in the whole rest


def inline(roots: Iterable[Func], *, simd: bool = False) -> dict[Func, Func]:
    """For each of these functions, and all that they call, what takes its place."""
    roots = list(roots)
    program = _Program(roots, simd)
    for root in roots:
        for f in callees_first(root, lambda g: g not in program.made):
            program.made[f] = program.rewritten(f)
            step("optimise")
    return program.made


class _Program:
    """What is known of all functions: what takes their place, how long that is, and how often each is called."""

    def __init__(self, roots: Iterable[Func], simd: bool) -> None:
        self.simd = simd
        self.made: dict[Func, Func] = {}
        self.calls: dict[Func, int] = {}
        self.weights: dict[Func, int] = {}
        self.layers: dict[Func, int] = {}  # how often the oldest part of it was written again
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

    def rewritten(self, f: Func) -> Func:
        """What takes the place of `f`, when all that it calls is done: `f` itself where there is nothing to do."""
        made = self.made
        if not f.has_body:
            return of_parts(f, made)
        here = self.chosen(f)
        if not here and all([made[g] is g for g in callees(f)]) and not any([v.op is FOR for v in f.body.code]):
            return f
        new = remove_dead_code(fuse(merge_sums(Writer(self.made, here).function(f)), simd=self.simd))
        self.layers[new] = max(
            [self.layers.get(g, 0) + (self.weight(g) > SMALL) for g in here.values() if g.has_body], default=0
        )
        return new

    def chosen(self, f: Func) -> dict[Value, Func]:
        """The calls in `f` that make way for what they call."""
        out: dict[Value, Func] = {}
        total = self.weight(f)
        for v in calls(f):
            g = self.made[v.attr]
            if is_cheap(g):
                out[v] = g
                total += sum([self.weight(arm) for arm in g.arms or ()])
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

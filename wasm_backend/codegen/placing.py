"""Which functions are written where they are called, and not as functions of the module.

Branches, while loops and their parts are functions of the IR, so that passes meet one kind of thing. In a module a call
costs: its aggregates go through memory, an engine keeps no number of its caller in a register, and what a loop carries
is handed over in each iteration. So one that is called once is code of its caller, and so is a very short one.
Measured: GradBench's saddle point takes 1.7 x as long without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from rose.ir import Branch, Func
from rose.ir.callgraph import length

from . import costs


class Placing:
    """Decides over the functions of a module; `calls` has the callees of each, once for each call, callees first."""

    def __init__(self, calls: Mapping[Func, list[Func]], exports: Iterable[Func], fixed: Iterable[Func]) -> None:
        self.placed: dict[Func, None] = {}
        cut = [g for f, called in calls.items() if f.has_body for g in called if g.has_body]  # by inlining, on purpose
        self.fixed = {*exports, *fixed, *cut}
        self._counts = Counter([g for called in calls.values() for g in called])
        self._size: dict[Func, int] = {}
        self._depth: dict[Func, int] = {}
        for f, called in calls.items():
            self._size[f] = length(f) if f.has_body else len(f.params)
            self._depth[f] = 0
            for g in called:
                self._join(f, g)
            if self._size[f] <= costs.PLACED_INSTRUCTIONS and self._may(f):
                self.placed[f] = None

    def _join(self, f: Func, g: Func) -> None:
        """Let `g` be written in `f`, where it is called there alone."""
        if g not in self.placed:
            fits = self._size[f] + self._size[g] <= costs.PLACED_TOGETHER
            once = fits and self._counts[g] == 1 and not self._is_forked(f)
            if not once or not self._may(g):
                return
            self.placed[g] = None
        self._size[f] += self._size[g]
        self._depth[f] = max(self._depth[f], self._depth[g] + 1)

    def _is_forked(self, f: Func) -> bool:
        """True for a branch that is written in several places, and calls what is not tiny."""
        tiny = costs.PLACED_INSTRUCTIONS
        return isinstance(f.kind, Branch) and self._counts[f] > 1 and len(f.params) <= tiny < self._size[f]

    def _may(self, g: Func) -> bool:
        return not g.is_opaque and g not in self.fixed and self._depth[g] < costs.PLACED_DEPTH

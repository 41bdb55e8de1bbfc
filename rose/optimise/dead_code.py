"""Dead code elimination: instructions that nobody reads, and accumulators that nobody reads with all that is added.

It cleans up after all other passes, and keeps what is traced in vain from being differentiated and compiled.
"""

from __future__ import annotations

from ..ir import ADD_TO, CALL, FOR, GET, PARAM, ZERO, Block, Func, Value, loop_of, span_of
from ..ir.accumulators import base
from ..ir.callgraph import changed
from ..ir.types import Ref


def remove_dead_code(f: Func) -> Func:
    """`f` without its dead instructions, edited in place."""
    live = _Live()
    live.block(f.body)
    _sweep(f.body, live)
    changed(f)
    f.body.known.clear()  # nothing is built on: it takes more memory than the instructions
    return f


class _Live:
    """Liveness: the values that are read, found backwards, as every reader comes after what it reads."""

    def __init__(self) -> None:
        self.values: dict[Value, None] = {}
        self.items: dict[tuple[Value, int], None] = {}  # the results of a loop that are read
        self.nests: set[Block] = set()  # the blocks with loops

    def block(self, block: Block) -> None:
        """Mark what a block needs for all of its results."""
        for r in block.results:
            self.values[r] = None
        self.code(block)

    def code(self, block: Block) -> None:
        values = self.values
        for v in reversed(block.code):
            op = v.op
            if op is FOR:
                self.nests.add(block)
                self.loop(v)
                continue
            if v not in values:
                if (op is not ADD_TO and op is not CALL) or not self.acts(v):
                    continue
                values[v] = None
            elif op is GET and v.args[0].op is FOR:
                self.items[(v.args[0], v.attr)] = None
            for a in v.args:
                values[a] = None

    def acts(self, v: Value) -> bool:
        """True if `v` has an effect besides its result, and somebody can see it."""
        if v.op is ADD_TO:
            return self.is_read(v.args[0])
        if v.op is CALL:
            return not v.attr.pure or any([isinstance(a.type, Ref) and self.is_read(a) for a in v.args])
        return False

    def is_read(self, ref: Value) -> bool:
        ref = base(ref)
        return ref.op is PARAM or ref in self.values

    def loop(self, v: Value) -> None:
        """A loop lives if a result of it is read, or if something in its body acts.

        A state lives if it is read after the loop, or in an iteration by something that lives: a fixpoint.
        """
        block = loop_of(v)
        before = len(self.values)
        fresh = [j for j in range(len(block.results)) if (v, j) in self.items]
        if fresh:
            self.values[v] = None
        while True:
            for j in fresh:
                self.items[(v, j)] = None
                self.values[block.results[j]] = None
            self.code(block)
            fresh = [j for j, p in enumerate(block.states) if p in self.values and (v, j) not in self.items]
            if not fresh:
                break
        if len(self.values) > before:
            self.values[v] = None
        if v in self.values:
            if span_of(v) is not None:
                self.items[(v, 0)] = None
            for j, a in enumerate(v.args):
                if (v, j) in self.items:
                    self.values[a] = None


def _sweep(block: Block, live: _Live) -> None:
    if block not in live.nests:
        values = live.values
        block.code = [v for v in block.code if v in values]
        return
    kept: list[Value] = []
    for v in block.code:
        if v in live.values:
            if v.op is FOR:
                _sweep_loop(v, live, kept)
            kept.append(v)
    block.code = kept


def _sweep_loop(v: Value, live: _Live, before: list[Value]) -> None:
    """Sweep the body of a loop. Results that nobody reads become zeros, which cost nothing."""
    block = loop_of(v)
    _sweep(block, live)
    results, args = list(block.results), list(v.args)
    for j, r in enumerate(results):
        if (v, j) not in live.items:
            results[j] = _zero(r, v, block, live, block.code)
            if j < len(args):
                args[j] = _zero(args[j], v, v.block, live, before)
    block.results, v.args = tuple(results), tuple(args)


def _zero(x: Value, v: Value, block: Block, live: _Live, code: list[Value]) -> Value:
    """A zero in the place of `x`, which may be one already."""
    if x.op is ZERO and x in live.values:
        return x
    zero = Value(ZERO, x.type, (), None, v.loc, block)
    code.append(zero)
    return zero

"""Dead code: drop what nobody reads, and sums that nobody reads with all that is added to them."""

from __future__ import annotations

from ..ir import ADD_TO, CALL, FOR, GET, PARAM, ZERO, Block, Func, Value
from ..linear import base
from ..types import Ref


def remove_dead_code(f: Func) -> Func:
    """`f` without its dead instructions: this pass, and no other, edits a function in place."""
    live = _Live()
    live.block(f.body)
    _sweep(f.body, live)
    return f


class _Live:
    """The values that are read, found backwards: every reader comes after what it reads."""

    def __init__(self) -> None:
        self.values: dict[Value, None] = {}
        self.items: dict[tuple[Value, int], None] = {}  # the results of a loop that are read

    def block(self, block: Block) -> None:
        """Mark what a block needs for all of its results."""
        for r in block.results:
            self.values[r] = None
        self.code(block)

    def code(self, block: Block) -> None:
        for v in reversed(block.code):
            if v.op is FOR:
                self.loop(v)
            elif v in self.values or self.acts(v):
                self.values[v] = None
                if v.op is GET and v.args[0].op is FOR:
                    self.items[(v.args[0], v.attr)] = None
                for a in v.args:
                    self.values[a] = None

    def acts(self, v: Value) -> bool:
        """True if `v` does something besides making its result, that somebody can see."""
        if v.op is ADD_TO:
            return self.is_read(v.args[0])
        if v.op is CALL:
            return not v.attr.pure or any([isinstance(a.type, Ref) and self.is_read(a) for a in v.args])
        return False

    def is_read(self, ref: Value) -> bool:
        ref = base(ref)
        return ref.op is PARAM or ref in self.values

    def loop(self, v: Value) -> None:
        """A loop lives if a result of it is read, or if something in its body acts; states live together."""
        block: Block = v.attr
        k = len(v.args)
        read = [(v, j) in self.items for j in range(len(block.results))]
        before = len(self.values)
        if any(read):
            self.values[v] = None
        for j, r in enumerate(block.results):
            if read[j] or (j < k and any(read)):
                self.values[r] = None
        self.code(block)
        if v not in self.values and len(self.values) > before:
            # something in its body acts, and its states may matter to that
            self.values[v] = None
            for r in block.results[:k]:
                self.values[r] = None
            if k:
                self.code(block)
        if v in self.values:
            for a in v.args:
                self.values[a] = None


def _sweep(block: Block, live: _Live) -> None:
    kept: list[Value] = []
    for v in block.code:
        if v in live.values:
            kept.append(v)
            if v.op is FOR:
                _sweep_loop(v, live)
    block.code = kept


def _sweep_loop(v: Value, live: _Live) -> None:
    """The body of a loop; a vector that nobody reads is made of zeros, which cost nothing."""
    block: Block = v.attr
    _sweep(block, live)
    results = list(block.results)
    for j in range(len(v.args), len(results)):
        if (v, j) not in live.items and not (results[j].op is ZERO and results[j] in live.values):
            results[j] = Value(ZERO, results[j].type, (), None, v.loc, block)
            block.code.insert(0, results[j])
    block.results = tuple(results)

"""Reverse mode in one sweep: the value of a function, and behind it the reverse of its derivative, in one block.

What the reverse reads of what is outside of loops is in scope there: it needs no tape, and no function for either half.
Calls outside of loops are written into the block with what they call, each with sums of its own, so that cotangents are
added in the order of the halves, and to the same bits. Loops, and what is called elsewhere, keep their halves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..ir import Block, Builder, Func, Value
from ..ir.callgraph import callees_first, calls, done, has_tangents, length, reachable
from ..ir.types import as_tuple
from ..optimise import costs
from .cotangents import Cotangent, by_value, plain
from .half_signature import Total
from .residuals import Entry
from .transpose import Backward, backward
from .unzip import ForwardHalf, UnzippedBody, unzip


class Sweep:
    """A function that has tangents, written into the block that calls it: first forward, later backward."""

    def __init__(self, of: UnzippedBody, room: Room, once: bool = True, depth: int = 0) -> None:
        self.of, self.room, self.once, self.depth = of, room, once, depth
        self.half = _Forward(self)

    @staticmethod
    def of_func(g: Func, *, short: bool = False) -> Sweep | None:
        """The sweep of `g`; None if it has no instructions of its own, or is recomputed, or not `short`.

        A rule of a user's is never short: where it is written no longer says that it is one.
        """
        of = unzip(g)
        if Room not in g.memo:
            g.memo[Room] = Room(g)
        room: Room = g.memo[Room]
        if not isinstance(of, UnzippedBody) or (short and not room.is_short(g)):
            return None
        return Sweep(of, room, once=not short)

    def inner(self, call: Value) -> Sweep | None:
        """The sweep of what a call calls, if that is written where the call is."""
        f: Func = call.attr
        of = unzip(f)
        if call.block is not self.of.signature.g.body or not isinstance(of, UnzippedBody):
            return None
        once = self.once and self.room.calls[f] == 1
        if self.depth == costs.SWEPT_DEPTH or not (once or self.room.is_short(f)):
            return None
        return Sweep(of, self.room, once, self.depth + 1)

    def forward(self, b: Builder, primals: Mapping[int, Value]) -> Value:
        """The primal result, of primal parameters by their positions."""
        return self.half.written(b, primals)

    def backward(self, b: Builder, totals: Mapping[int, Total], ct: Value, *, marked: bool = False) -> None:
        """Add what the cotangent of the result contributes to the totals of the linear parameters."""
        _Backward(self.of, self.half, marked).sweep(b, totals, ct)


class Room:
    """How often functions are called in a program, and how long they are."""

    def __init__(self, g: Func) -> None:
        self.calls: dict[Func, int] = {}
        self.lengths: dict[Func, int] = {}  # with all that is short, and written into them
        for f in reachable(g):
            for v in calls(f):
                self.calls[v.attr] = self.calls.get(v.attr, 0) + 1

    def is_short(self, g: Func) -> bool:
        """True if a function with tangents is written wherever it is called."""
        for f in callees_first(g, lambda f: f not in self.lengths and has_tangents(f)):
            inner = [self.lengths[v.attr] for v in calls(f) if v.block is f.body and has_tangents(v.attr)]
            whole = length(f) + sum([n for n in inner if n <= costs.SWEPT_INSTRUCTIONS])
            is_rule = f.primal is None
            self.lengths[f] = (
                whole if isinstance(unzip(f), UnzippedBody) and not is_rule else costs.SWEPT_INSTRUCTIONS + 1
            )
        return self.lengths[g] <= costs.SWEPT_INSTRUCTIONS


class _Forward(ForwardHalf):
    """The forward half, written into a block."""

    def __init__(self, sweep: Sweep) -> None:
        super().__init__(sweep.of.in_loops)
        self.sweep, self.calls = sweep, dict[Value, Sweep]()

    def written(self, b: Builder, primals: Mapping[int, Value]) -> Value:
        self.primals = {self.g.params[k]: primals[k] for k in self.sweep.of.signature.primal}
        self.block(b, self.g.body)
        return self.primal(b, self.g.body.results[0])

    def call(self, b: Builder, v: Value) -> None:
        inner = self.sweep.inner(v)
        if inner is None:
            super().call(b, v)
            return
        self.calls[v] = inner
        args = {k: self.primal(b, v.args[k]) for k in inner.of.signature.primal}
        self.primals[v] = inner.forward(b, args)


class _Backward(Backward):
    """The backward half, written into the block of the forward half."""

    def __init__(self, of: UnzippedBody, forward: _Forward, marked: bool) -> None:
        super().__init__(of, marked, of.in_loops)
        self.forward = forward
        self.primals = {v: x for v, x in forward.primals.items() if v.block is self.g.body}

    def from_tape(self, b: Builder, block: Block, e: Entry) -> Value:
        return self.forward.entry(e) if block is self.g.body else super().from_tape(b, block, e)

    def residual(self, b: Builder, v: Value, items: Iterable[int] | None) -> Value:
        """What nobody reads of an argument is not handed on: it would be kept for that alone."""
        x = self.primal(b, v)
        if items is None or x.block is not b.root:
            return x
        t = as_tuple(x.type)
        return b.tuple([b.get(x, k) if k in items else b.zero(item) for k, item in enumerate(t.items)], t)

    def pull(self, b: Builder, v: Value, totals: Mapping[int, Total], back: Cotangent, ct: Value | None) -> None:
        marked = self.masks.half(v)
        if (inner := self.forward.calls.get(v)) is None:
            self.halves[v] = done(backward(v.attr, marked=marked))
            super().pull(b, v, totals, back, ct)
            return
        own = {k: _own(b, total, marked) for k, total in totals.items()}
        inner.backward(b, own, back.zero(b) if ct is None else ct, marked=marked)
        for k, total in totals.items():
            part = own[k]
            if isinstance(total, Cotangent) and isinstance(part, Cotangent):
                for leaf, to in zip(part.leaves(), total.leaves(), strict=True):
                    if by_value(leaf.type):
                        x = leaf.total(b)
                        to.add(b, plain(b, x) if marked and not to.marked else x)


def _own(b: Builder, total: Total, marked: bool) -> Total:
    """A sum for a parameter of a call: its vectors are those of the argument, its numbers are summed by themselves."""
    if isinstance(total, Value):
        return total
    own = Cotangent(total.type, lambda path: marked)
    for leaf, to in zip(own.leaves(), total.leaves(), strict=True):
        if not by_value(leaf.type):
            leaf.ref = to.open(b)
    return own

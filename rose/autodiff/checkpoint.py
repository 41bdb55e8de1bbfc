"""Checkpointed loops: reverse mode has a few of their states as snapshots, and recomputes the iterations in between.

A segment is a function of some iterations in a row. One that is marked `remat` has no tape: its linear half takes the
state that it starts from, and runs it again. A schedule says how segments are made of shorter ones, and nothing else:
the functions compute the same, to the bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .. import ir
from ..ir import Builder, Func, Origin, Value, current_builder
from ..ir.ops import iadd, idiv, ilt, imod, imul, select
from ..ir.sizes import number
from ..ir.types import Fin, Type, Vec, items_of

State = Value
Out = Value | None
Part = Callable[[Value, State], tuple[State, Out]]  # of the index of the first iteration, and the state before it


class Segments:
    """The segments of one loop. `body` is a function of an index, a state, and what else it uses: `outside`."""

    def __init__(self, body: Func, outside: Sequence[Value]) -> None:
        self.body, self.outside = body, tuple(outside)
        index, *_ = body.params
        assert isinstance(index.type, Fin)
        self.n, self.index, self.has_out = number(index.type.size), index.type, len(items_of(body.result)) == 2
        self.made: dict[tuple[int, int, bool], Func] = {}

    def run(self, init: Value, schedule: str, snapshots: int | None) -> tuple[State, Out]:
        """All iterations, in the function being traced."""
        b = current_builder()
        start = b.const(0, self.index)
        self.outside = tuple([b.pack([x], Vec(1, x.type)) if packed(x.type) else x for x in self.outside])
        if schedule == "sqrt":
            return self.by_root(start, init)
        return self.call(self.binomial(self.n, snapshots or enough(self.n), remat=False), start, init)

    def by_root(self, start: Value, init: Value) -> tuple[State, Out]:
        """About as many segments as each has iterations: one loop over them, and a last one for the rest."""
        b, size = current_builder(), math.isqrt(self.n)
        count, rest = divmod(self.n, size)
        segment = self.segment(f"{self.body.name}.{size}", lambda i, s: self.plain(i, s, size))

        def body(k: Value, state: Value) -> tuple[list[Value], list[Value]]:
            first = self.sum(imul(k, b.const(size, Fin(size + 1))), start)
            after, out = self.call(segment, first, state)
            return [after], [] if out is None else [out]

        (state,), outs = b.loop(count, body, [init])
        out = b.vec(count * size, lambda i: self.element(outs[0], i, size)) if outs else None
        if rest:
            last = self.segment(f"{self.body.name}.{rest}", lambda i, s: self.plain(i, s, rest))
            state, more = self.call(last, self.later(start, count * size), state)
            out = joined(b, out, more)
        return state, out

    def binomial(self, n: int, snapshots: int, *, remat: bool) -> Func:
        """A segment of `n` iterations, with so many snapshots at once in its derivative (Griewank and Walther 2000).

        `times` is how often an iteration is recomputed, at most. A first part, as long as that lets it be, will run
        again, with all of the snapshots; a second part runs once, and has one snapshot less.
        """
        key = (n, snapshots, remat)
        if key not in self.made:
            times = repetitions(n, snapshots)
            long = n if times == 0 else math.comb(snapshots + times - 1, snapshots)
            first = self.binomial(long, snapshots, remat=True) if long < n else None
            second = self.binomial(n - long, snapshots - 1, remat=False) if snapshots > 1 and long < n else None

            def part(i: Value, state: State) -> tuple[State, Out]:
                if first is None:
                    return self.plain(i, state, n)
                state, out = self.call(first, i, state)
                i = self.later(i, long)
                state, more = self.plain(i, state, 1) if second is None else self.call(second, i, state)
                return state, joined(current_builder(), out, more)

            self.made[key] = self.segment(f"{self.body.name}.{n}", part, remat=remat)
        return self.made[key]

    # parts of segments

    def segment(self, name: str, part: Part, *, remat: bool = True) -> Func:
        """A function of an index, a state, and all that the iterations use."""
        with ir.building(name, Origin("segment")) as b:
            b.loc = self.body.loc
            index, state, *_ = self.body.params
            given = (index, state, *self.outside)
            i, now, *own = [b.param(p.type, p.attr if p.op is ir.PARAM else None) for p in given]
            outside, self.outside = self.outside, tuple(own)
            after, out = part(i, now)
            self.outside = outside
            made = b.func(b.tuple([after] if out is None else [after, out]))
        made.mark(remat=remat)
        return made

    def call(self, f: Func, i: Value, state: State) -> tuple[State, Out]:
        b = current_builder()
        made = b.call(f, [i, state, *self.outside])
        return b.get(made, 0), b.get(made, 1) if self.has_out else None

    def plain(self, i: Value, state: State, n: int) -> tuple[State, Out]:
        """`n` iterations in a loop."""
        b = current_builder()

        def body(k: Value, now: Value) -> tuple[list[Value], list[Value]]:
            own = zip(self.outside, self.body.params[2:], strict=True)
            made = b.call(self.body, [self.sum(i, k), now, *[x if x.type is p.type else b.index(x, 0) for x, p in own]])
            return [b.get(made, 0)], [b.get(made, 1)] if self.has_out else []

        (state,), outs = b.loop(n, body, [state])
        return state, outs[0] if outs else None

    def sum(self, i: Value, k: Value) -> Value:
        """The index of an iteration: it is below `n`, which the type of a sum does not say."""
        return imod(iadd(i, k), current_builder().const(self.n, Fin(self.n + 1)))

    def later(self, i: Value, k: int) -> Value:
        return self.sum(i, current_builder().const(k, Fin(k + 1)))

    def element(self, rows: Value, i: Value, size: int) -> Value:
        b = current_builder()
        literal = b.const(size, Fin(size + 1))
        return b.index(b.index(rows, idiv(i, literal)), imod(i, literal))


def packed(t: Type) -> bool:
    """True for what a segment takes as a vector of one: so that its derivative is summed iteration by iteration."""
    return t.real and not isinstance(t, Vec)


def repetitions(n: int, snapshots: int) -> int:
    """The number of times that an iteration of `n` is recomputed, at most, with so many snapshots."""
    times = 0
    while math.comb(snapshots + times, snapshots) < n:
        times += 1
    return times


def enough(n: int) -> int:
    """The number of snapshots with which no iteration is recomputed more than five times."""
    snapshots = 1
    while math.comb(snapshots + 5, 5) < n:
        snapshots += 1
    return snapshots


def joined(b: Builder, x: Out, y: Out) -> Out:
    """One vector after another."""
    if x is None or y is None:
        return x or y
    assert isinstance(x.type, Vec) and isinstance(y.type, Vec)
    n, m = x.type.size, y.type.size
    if not n or not m:
        return x if m == 0 else y

    def item(i: Value) -> Value:
        j = imod(i, b.const(n, Fin(n + 1)))
        k = imod(iadd(i, b.const((m - n % m) % m, Fin(m))), b.const(m, Fin(m + 1)))
        return select(ilt(i, b.const(n, Fin(n + 1))), b.index(x, j), b.index(y, k))

    return b.vec(n + m, item)

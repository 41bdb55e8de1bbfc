"""Cutting in two what has no instructions: choices, loops of unknown length, and what is evaluated again.

`unzip.py` cuts what has instructions. The linear half is made of the linear halves of the parts, whichever way
these go; so `transpose.py` and `linearize.py` hand them over.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from .. import ir
from ..ir import Builder, Func, Value
from ..ir.callgraph import make_branch, make_while
from ..ir.stacks import MORE, PUSH, pop
from ..ir.types import Bool, Ref, Stack, Tuple, Type, items_of, linear_part, primal_part, tuple_of
from .cotangents import Cotangent, by_value


class Cut(Protocol):
    """A function `g` that has tangents, without them: `fwd` makes its result, and a tape for its linear half.

    `saved` are the positions of the parameters that the linear half reads as well.
    """

    g: Func
    fwd: Func
    saved: tuple[int, ...]


class CutChoice(Cut):
    """A choice, cut in two. Its tape has that of the arm that ran; the other one's place is not written to."""

    def __init__(self, g: Func, arms: Sequence[Cut]) -> None:
        self.g, self.arms = g, arms
        self.own = sorted({k + 1 for u in self.arms for k in u.saved})
        self.saved = (0, *self.own)
        self.tape = tuple_of(*[items_of(u.fwd.result)[1] for u in self.arms])
        self.fwd = make_branch(f"{g.name}.fwd", self._forward(0), self._forward(1))

    def _forward(self, k: int) -> Func:
        fwd = self.arms[k].fwd
        with ir.building(fwd.name) as b:
            both = b.call(fwd, [b.param(p.type, p.attr) for p in fwd.params])
            tapes = [b.get(both, 1) if j == k else b.zero(t) for j, t in enumerate(self.tape.items)]
            return b.func(b.tuple([b.get(both, 0), b.tuple(tapes, self.tape)]))

    def linear(self, name: str, halves: Sequence[Func], last: int) -> Func:
        """The linear half, from those of the arms, whose `last` parameters come after those that were saved."""
        given = halves[0].params[: len(halves[0].params) - len(self.arms[0].saved) - last]
        after = halves[0].params[len(halves[0].params) - last : -1]
        primals = [self.g.params[j] for j in self.own]

        def arm(k: int) -> Func:
            with ir.building(halves[k].name) as b:
                xs = [b.param(p.type, p.attr) for p in given]
                ys = {j: b.param(primal_part(p.type), p.attr) for j, p in zip(self.own, primals, strict=True)}
                zs = [b.param(p.type, p.attr) for p in after]
                tape = b.get(b.param(self.tape, "tape"), k)
                return b.func(b.call(halves[k], [*xs, *[ys[j + 1] for j in self.arms[k].saved], *zs, tape]))

        chosen = make_branch(name, arm(0), arm(1))
        with ir.building(name) as b:  # the condition is one of the parameters that were saved
            xs = [b.param(p.type, p.attr) for p in given]
            c = b.param(Bool, "c")
            return b.func(b.call(chosen, [c, *xs, *[b.param(p.type, p.attr) for p in chosen.params[1 + len(xs) :]]]))


class CutAgain(Cut):
    """A function that keeps no tape: its linear half evaluates the forward half once more, and so has all it needs."""

    def __init__(self, g: Func, whole: Cut) -> None:
        self.g, self.whole = g, whole
        there = [(k, p) for k, p in enumerate(g.params) if has_primal(p)]
        self.saved = tuple([k for k, p in there if not isinstance(p.type, Ref)])
        primal: Func = g.memo["primal"]
        with ir.building(f"{g.name}.fwd") as b:
            given = {k: b.param(primal_part(p.type), p.attr) for k, p in there}
            # the parameters of the function itself are those of its derivative that are no tangents
            own = [k for k, p in enumerate(g.params) if not p.type.linear]
            y = b.call(primal, [given[k] if k in given else b.zero(g.params[k].type) for k in own])
            t = primal_part(g.result)
            if t is not y.type:
                assert isinstance(t, Tuple)
                y = b.tuple([y, b.zero(t.items[1])], t)
            self.fwd = b.func(b.tuple([y, b.tuple([])]))

    def linear(self, name: str, half: Func, last: int) -> Func:
        """The linear half, from that of the whole function: its `last` parameters come after those that were saved."""
        n = len(half.params)
        fwd = self.whole.fwd
        with ir.building(name) as b:
            given = [b.param(p.type, p.attr) for p in half.params[: n - len(self.whole.saved) - last]]
            ys = {k: b.param(primal_part(self.g.params[k].type), self.g.params[k].attr) for k in self.saved}
            after = [b.param(p.type, p.attr) for p in half.params[n - last : -1]]
            b.param(tuple_of(), "tape")
            at = [k for k, p in enumerate(self.g.params) if has_primal(p)]
            again = [ys[k] if k in ys else _dummy(b, p) for k, p in zip(at, fwd.params, strict=True)]
            tape = b.get(b.call(fwd, again), 1)
            made = b.func(b.call(half, [*given, *[ys[k] for k in self.whole.saved], *after, tape]))
        made.remat = True
        return made


def _dummy(b: Builder, p: Value) -> Value:
    """An accumulator that nobody reads."""
    assert isinstance(p.type, Ref)
    return b.accum(b.zero(p.type.inner))


class CutTurns(Cut):
    """A loop of unknown length, cut in two. Its tape is a stack of those of its turns."""

    def __init__(self, g: Func, test: Cut, body: Cut, most: int | None) -> None:
        self.g, self.body, self.most = g, body, most
        self.k = len(items_of(g.result))
        self.saved = tuple([j for j in body.saved if j >= self.k])
        self.kept = [j for j in body.saved if j < self.k]  # the states that the linear half of a turn reads
        self.there = [j for j, p in enumerate(g.params) if has_primal(p)]
        self.states = [j for j in self.there if j < self.k]
        tape = items_of(body.fwd.result)[1]
        item = tuple_of(tape, *[primal_part(g.params[j].type) for j in self.kept])
        self.counted = item.empty  # there is nothing to keep, but how many turns there were
        self.stack = Stack(tuple_of(*item.items, Bool) if self.counted else item)
        turns = make_while(
            f"{g.name}.fwd", self._part("test", test), self._part("turn", body), len(self.states) + 1, most
        )
        self.fwd = self._forward(turns)

    @contextmanager
    def _building(self, name: str) -> Generator[Builder]:
        """A part of the loop, which is where the loop is."""
        with ir.building(f"{self.g.name}.{name}") as b:
            b.loc = self.g.params[0].loc
            yield b

    def _params(self, b: Builder) -> tuple[dict[int, Value], Value]:
        """The primal states, the stack, and the primals that stay the same."""
        given = {j: self._param(b, j) for j in self.states}
        stack = b.param(self.stack, "stack")
        return given | {j: self._param(b, j) for j in self.there if j >= self.k}, stack

    def _param(self, b: Builder, j: int) -> Value:
        p = self.g.params[j]
        b.loc = p.loc
        return b.param(primal_part(p.type), p.attr)

    def _part(self, name: str, part: Cut) -> Func:
        with self._building(name) as b:
            given, stack = self._params(b)
            both = b.call(part.fwd, [given[j] for j in self.there])
            if part is not self.body:
                return b.func(b.get(both, 0))
            item = [b.get(both, 1), *[given[j] for j in self.kept], *[b.const(True, Bool)] * self.counted]
            y = b.get(both, 0)
            return b.func(b.tuple([*[b.get(y, j) for j in self.states], b.emit(PUSH, (stack, b.tuple(item)))]))

    def _forward(self, turns: Func) -> Func:
        with ir.building(f"{self.g.name}.fwd") as b:
            given = {j: self._param(b, j) for j in self.there}
            n = len(self.states)
            xs = [given[j] for j in self.there]
            out = b.call(turns, [*xs[:n], b.zero(self.stack), *xs[n:]])
            after = {j: b.get(out, i) for i, j in enumerate(self.states)}
            t = primal_part(self.g.result)
            assert isinstance(t, Tuple)
            y = b.tuple([after[j] if j in after else b.zero(s) for j, s in enumerate(t.items)], t)
            return b.func(b.tuple([y, b.tuple([b.get(out, n)])]))

    # the linear half, in either direction

    def _popped(self, b: Builder, stack: Value, same: dict[int, Value]) -> tuple[Value, Value, list[Value]]:
        """The rest of the stack, the tape of a turn, and what its linear half reads besides."""
        item, rest = pop(b, stack)
        states = {j: b.get(item, 1 + n) for n, j in enumerate(self.kept)}
        return rest, b.get(item, 0), [states[j] if j in states else same[j] for j in self.body.saved]

    def _loop(self, name: str, turn: Func, states: int) -> Func:
        with self._building("test") as b:
            xs = [b.param(p.type, p.attr) for p in turn.params]
            test = b.func(b.emit(MORE, (xs[0],)))
        return make_while(name, test, turn, states)

    def backward(self, name: str, bwd: Func) -> Func:
        """The turns in reverse, from the backward half of a turn."""
        linear = [(j, p) for j, p in enumerate(self.g.params) if p.type.linear]
        states = [j for j, _ in linear if j < self.k]
        with self._building("turn") as b:
            stack = b.param(self.stack, "stack")
            cts = {j: b.param(linear_part(self.g.params[j].type), "ct") for j in states}
            sums = {j: self._sums(b, self.g.params[j]) for j, _ in linear if j >= self.k}
            same = {j: self._param(b, j) for j in self.saved}
            rest, tape, saved = self._popped(b, stack, same)
            totals = {j: Cotangent(linear_part(self.g.params[j].type)) for j in states}
            given, numbers = list[Value](), list[Cotangent | Value]()
            for j, _ in linear:
                for x in totals[j].leaves() if j in totals else sums[j]:
                    if isinstance(x, Value):
                        by_ref = isinstance(x.type, Ref) and by_value(x.type.inner)
                        (numbers if by_ref else given).append(x)
                    elif by_value(x.type):
                        numbers.append(x)
                    else:
                        given.append(x.open(b))
            t = linear_part(self.g.result)
            assert isinstance(t, Tuple)
            ct = b.tuple([cts[j] if j in cts else b.zero(s) for j, s in enumerate(t.items)], t)
            out = b.call(bwd, [*given, *saved, ct, tape])
            for n, x in enumerate(numbers):
                if isinstance(x, Value):
                    b.add_to(x, b.get(out, n))
                else:
                    x.add(b, b.get(out, n))
            turn = b.func(b.tuple([rest, *[_closed(b, totals[j]) for j in states]]))
        turns = self._loop(f"{name}.turns", turn, 1 + len(states))
        return self._backward(name, turns, linear, states)

    def _sums(self, b: Builder, p: Value) -> list[Value]:
        """The accumulators of what stays the same; of one that is an accumulator itself, its cotangent."""
        if isinstance(p.type, Ref):
            return [b.param(linear_part(p.type), f"ct_{p.attr}")]
        return [b.param(Ref(leaf.type), f"ct_{p.attr}") for leaf in Cotangent(linear_part(p.type)).leaves()]

    def _backward(self, name: str, turns: Func, linear: list[tuple[int, Value]], states: list[int]) -> Func:
        with ir.building(name) as b:
            refs: dict[int, list[Value | None]] = {}  # for each leaf its accumulator, unless it is a number
            for j, p in linear:
                b.loc = p.loc
                if isinstance(p.type, Ref):
                    refs[j] = [b.param(linear_part(p.type), f"ct_{p.attr}")]
                    continue
                leaves = Cotangent(linear_part(p.type)).leaves()
                refs[j] = [None if by_value(x.type) else b.param(Ref(x.type), f"ct_{p.attr}") for x in leaves]
            same = [self._param(b, j) for j in self.saved]
            ct = b.param(linear_part(self.g.result), "ct")
            stack = b.get(b.param(tuple_of(self.stack), "tape"), 0)
            opened = {j: self._open(b, p, refs[j]) for j, p in linear if j >= self.k}
            out = b.call(
                turns, [stack, *[b.get(ct, j) for j in states], *[x for xs in opened.values() for x in xs], *same]
            )
            numbers: list[Value] = []
            for j, p in linear:
                if isinstance(p.type, Ref):
                    continue
                if j in opened:
                    numbers += [b.freeze(x) for x, r in zip(opened[j], refs[j], strict=True) if r is None]
                    continue
                total = Cotangent(linear_part(p.type))
                total.add(b, b.get(out, 1 + states.index(j)))
                for leaf, ref in zip(total.leaves(), refs[j], strict=True):
                    x = _closed(b, leaf)
                    if ref is None:
                        numbers.append(x)
                    else:
                        b.add_to(ref, x)
            return b.func(b.tuple(numbers))

    def _open(self, b: Builder, p: Value, refs: list[Value | None]) -> list[Value]:
        if isinstance(p.type, Ref):
            return [x for x in refs if x is not None]
        leaves = Cotangent(linear_part(p.type)).leaves()
        return [b.accum(b.zero(x.type)) if r is None else r for x, r in zip(leaves, refs, strict=True)]

    def along(self, name: str, lin: Func) -> Func:
        """The turns in order, from the linear half of a turn: the stack is turned over first."""
        linear = [(j, p) for j, p in enumerate(self.g.params) if p.type.linear]
        states = [j for j, _ in linear if j < self.k]
        with self._building("turn") as b:
            stack = b.param(self.stack, "stack")
            ds = {j: b.param(_moved(self.g.params[j].type), self.g.params[j].attr) for j, _ in linear}
            same = {j: self._param(b, j) for j in self.saved}
            rest, tape, saved = self._popped(b, stack, same)
            out = b.call(lin, [*ds.values(), *saved, tape])
            turn = b.func(b.tuple([rest, *[b.get(out, j) for j in states]]))
        turns = self._loop(f"{name}.turns", turn, 1 + len(states))
        with self._building("turn") as b:
            s, r = b.param(self.stack, "stack"), b.param(self.stack, "over")
            item, rest = pop(b, s)
            over = b.func(b.tuple([rest, b.emit(PUSH, (r, item))]))
        turned = self._loop(f"{self.g.name}.turned", over, 2)
        with ir.building(name) as b:
            given = [b.param(_moved(p.type), p.attr) for _, p in linear]
            kept = [self._param(b, j) for j in self.saved]
            stack = b.get(b.param(tuple_of(self.stack), "tape"), 0)
            stack = b.get(b.call(turned, [stack, b.zero(self.stack)]), 1)
            out = b.call(turns, [stack, *given, *kept])
            t = linear_part(self.g.result)
            assert isinstance(t, Tuple)
            after = {j: b.get(out, 1 + n) for n, j in enumerate(states)}
            return b.func(b.tuple([after[j] if j in after else b.zero(s) for j, s in enumerate(t.items)], t))


def _moved(t: Type) -> Type:
    return Ref(linear_part(t)) if isinstance(t, Ref) else linear_part(t)


def _closed(b: Builder, total: Cotangent) -> Value:
    x = total.close(b)
    return b.zero(total.type) if x is None else x


def has_primal(v: Value) -> bool:
    return not primal_part(v.type).empty

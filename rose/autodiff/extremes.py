"""Derivatives of loops that carry the largest of their numbers, or the smallest.

One element decides what such a loop gives, so the derivative is that of this element alone: the loop keeps its index.
Numbers that are equal share the derivative, as `max` of two does. So the loop keeps whether the number that it took was
met again; then, and only then, a second loop goes through all elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ..ir import CONST, FOR, GET, INDEX, PARAM, Builder, Loop, Op, Value, is_call, loop_of
from ..ir.accumulators import base, is_ref
from ..ir.callgraph import Work, instructions
from ..ir.ops import add, and_, eq, ieq, ilt, lt, max_, min_, mul, not_, or_, select
from ..ir.sizes import at_most, plus
from ..ir.types import Bool, Fin, Real
from ..optimise import costs

if TYPE_CHECKING:
    from .jvp import Env, Pair

Derive = Callable[[Builder, Iterable[Value], "Env"], Work[None]]
States = list[Value]
Step = Callable[[Sequence[Value], States, "Pair"], States]
WORST = {max_: float("-inf"), min_: float("inf")}


class Extreme(NamedTuple):
    """A nest of loops that carries the largest or the smallest of the items of the innermost."""

    loops: tuple[Loop, ...]
    op: Op
    item: Value
    own: frozenset[Value]  # what carries it: all else in the nest is there for the item

    @property
    def is_short(self) -> bool:
        """True if it goes through a few numbers of a vector that is made beside it: they stay in registers."""
        x, items = self.item, 1
        for loop in self.loops:
            items = items * loop.size if isinstance(loop.size, int) else costs.MASKED_ITEMS + 1
        while x.op is INDEX:
            x = x.args[0]
        return items <= costs.MASKED_ITEMS and x is not self.item and x.op is not PARAM

    def inside(self, k: int) -> list[Value]:
        """The instructions of a loop that the item needs."""
        return [v for v in self.loops[k].code if v not in self.own]


def extreme_of(v: Value) -> Extreme | None:
    """A loop as the nest of an extreme; None if it is none, or may have no iteration."""
    if not v.args or v.args[0].op is not CONST or v.args[0].attr not in (*WORST.values(),):
        return None
    start, loops, own = v.args[0].attr, list[Loop](), set[Value]()
    while True:
        block = loop_of(v)
        if len(block.results) != len(v.args) or not at_most(1, block.size):
            return None
        loops.append(block)
        last = block.results[0]
        if last.op is not GET or (inner := last.args[0]).op is not FOR or inner.block is not block:
            break
        items = [r.op is GET and r.args[0] is inner and r.attr == j for j, r in enumerate(block.results)]
        if not all(items) or not _are(inner.args, block.states):
            return None
        own.update((inner, *block.results))
        v = inner
    if last.op not in WORST or start != WORST[last.op] or last.args[0] is not block.states[0]:
        return None
    places = _places(loops, last)
    if places is None:
        return None
    found = Extreme(tuple(loops), last.op, last.args[1], frozenset({last, *places, *own}))
    return found if _is_apart(found) else None


def _places(loops: Sequence[Loop], last: Value) -> set[Value] | None:
    """What keeps the indices and the tie in the innermost loop: nothing, or None if its states are others."""
    block = loops[-1]
    if block.carried == 1:
        return set()
    (_, *at, tie), (_, *kept, tied) = block.states, block.results
    if len(at) != len(loops) or kept[0].op is not select or tied.op is not or_:
        return None
    new, (same, still) = kept[0].args[0], tied.args
    if new.op is not not_ or still.op is not and_:
        return None
    loses = still.args[0]
    made = [(new.args[0], or_, (loses, same)), (still, and_, (loses, tie))]
    made += [(loses, lt, _compared(last)), (same, eq, last.args)]
    made += [(r, select, (new, loop.index, p)) for r, loop, p in zip(kept, loops, at, strict=True)]
    if not all([v.op is op and _are(v.args, args) for v, op, args in made]):
        return None
    return {new, tied, *[v for v, _, _ in made]}


def _are(xs: Sequence[Value], ys: Sequence[Value]) -> bool:
    return len(xs) == len(ys) and all([x is y for x, y in zip(xs, ys, strict=True)])


def _compared(last: Value) -> tuple[Value, ...]:
    """The two numbers of which the first is less where the item of an iteration is not the extreme."""
    s, x = last.args
    return (x, s) if last.op is max_ else (s, x)


def _is_apart(e: Extreme) -> bool:
    """True if the item does not depend on the states, and nothing in the nest is seen from outside but its result."""
    states = {p for loop in e.loops for p in loop.states}
    for v in instructions(e.loops[0]):
        if v not in e.own and not states.isdisjoint(v.args):
            return False
        if is_call(v) and not v.attr.pure:
            return False  # what it prints would be printed again
        if any([is_ref(a) and not base(a).block.inside(e.loops[0]) for a in v.args]):
            return False
    return e.item not in states


def pair_of_extreme(b: Builder, v: Value, e: Extreme, env: Env, derive: Derive) -> Work[Pair | None]:
    """The results of a nest, and their tangents; None if they have none. `derive` makes instructions again."""
    start = [b.const(WORST[e.op], Real), *[b.const(0, loop.indices) for loop in e.loops], b.const(False, Bool)]
    kept: States = yield from _Again(b, e, env.primals(), derive, partial(_keep, e.op)).run(start)
    m, *at, tie = kept
    for k, loop in enumerate(e.loops):
        env[loop.index] = at[k], None
        yield from derive(b, e.inside(k), env)
    dx = env[e.item][1]
    if dx is None:
        return None

    def share(indices: Sequence[Value], states: States, x: Pair) -> States:
        """Half of the derivative is that of an item that came later, and equals the extreme."""
        later = ilt(at[-1], indices[-1])
        for i, p in zip(indices[-2::-1], at[-2::-1], strict=True):
            later = ilt(p, i) | (ieq(p, i) & later)
        (dm,) = states
        half = b.const(0.5, Real)
        both = b.emit(add, (b.emit(mul, (dm, half)), b.emit(mul, (env.full(b, *x), half))))
        return [b.emit(select, (later & eq(x[0], m), both, dm))]

    n, bound = e.loops[0].size, Fin(plus(e.loops[0].size, 1))
    none = b.const(n, bound)
    span = b.span(n, b.emit(select, (tie, b.const(0, bound), none)), none)
    (dm,) = yield from _Again(b, e, env, derive, share).run([dx], span)
    results = kept[: loop_of(v).carried]
    return b.tuple(results), b.tuple([dm, *[b.unit() for _ in results[1:]]])


def _keep(op: Op, indices: Sequence[Value], states: States, x: Pair) -> States:
    """The extreme after an iteration, the indices of its item, and whether it was met again."""
    s, *at, tie = states
    best = op(s, x[0])
    loses, same = lt(*_compared(best)), eq(s, x[0])
    new = ~(loses | same)
    return [best, *[select(new, i, p) for i, p in zip(indices, at, strict=True)], same | (loses & tie)]


class _Again:
    """A nest with other states: `step` gives those after an iteration, of the indices, the states and the item."""

    def __init__(self, b: Builder, e: Extreme, env: Env, derive: Derive, step: Step) -> None:
        self.b, self.e, self.env, self.derive, self.step = b, e, env, derive, step

    def run(self, states: States, span: Value | None = None, *indices: Value) -> Work[States]:
        """The last states."""
        b, loop = self.b, self.e.loops[len(indices)]
        inits = states if span is None else [span, *states]
        with b.nested() as body:
            i, *now = [b.param(loop.indices), *[b.param(s.type) for s in inits]]
            same = now[: len(inits) - len(states)]
            self.env[loop.index] = i, None
            yield from self.derive(b, self.e.inside(len(indices)), self.env)
            if len(indices) + 1 < len(self.e.loops):
                after = yield from self.run(now[len(same) :], None, *indices, i)
            else:
                after = self.step((*indices, i), now[len(same) :], self.env[self.e.item])
            body.results = (*same, *after)
        return b.close(body, inits)[0][len(same) :]

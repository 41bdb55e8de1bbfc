"""A function of the IR, run alone: the inputs that are drawn for it, and a function of plain values that calls it.

An accumulator is drawn as what is in it before, and read after the call. A stack is drawn as its items, and what is
compared of one is its first items.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from operator import index
from typing import Any

from ..host.effects import Assertion
from ..ir import FOR, Builder, Func, Value, building, loop_of, span_of
from ..ir.callgraph import instructions, reachable
from ..ir.libm import nearest
from ..ir.sizes import dims_of
from ..ir.stacks import MORE, PUSH, pop
from ..ir.types import (
    Bool,
    Fin,
    Real,
    Ref,
    Single,
    Stack,
    Tuple,
    Type,
    Unit,
    Vec,
    components_first,
    count_leaves,
    tuple_of,
)
from . import costs

# inputs

SPECIAL = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -1e-300, 1e300, -1.7976931348623157e308, 1e16)
Draw = Callable[[random.Random], float]
DEFINITE: Draw = lambda rng: rng.uniform(0.25, 2.0)  # with matrices that are symmetric and positive definite
WAYS: tuple[Draw, ...] = (
    DEFINITE,
    lambda rng: rng.gauss(0.0, 1.0),
    lambda rng: rng.choice((0.0, -0.0, 1.0, -1.0)),
    lambda rng: rng.choice(SPECIAL) if rng.random() < 0.3 else rng.gauss(0.0, 1.0),
    lambda rng: rng.choice((-1.0, 1.0)) * 10.0 ** rng.uniform(-9.0, 9.0),
)


def inputs(types: Sequence[Type]) -> Iterator[list[Any]]:
    """Some arguments of these types, of each way to draw numbers: always the same."""
    rng, special = random.Random(repr(types)), cycle(SPECIAL)
    in_turn: Draw = lambda _: next(special)
    for number in (*WAYS, *[in_turn] * len(SPECIAL)):
        yield [draw(t, rng, number) for t in types]


def draw(t: Type, rng: random.Random, number: Draw) -> Any:
    """A value of this type."""
    if isinstance(t, Vec):
        rows = tuple([draw(t.elem, rng, number) for _ in range(t.size)])
        square = isinstance(t.elem, Vec) and t.elem.elem is Real and t.elem.size == t.size
        return _definite(rows) if number is DEFINITE and square else rows
    if isinstance(t, Tuple):
        return tuple([draw(s, rng, number) for s in t.items])
    if isinstance(t, Fin):
        return rng.randrange(index(t.size))
    if t is Unit:
        return None
    if t is Bool:
        return rng.random() < 0.5
    return nearest(number(rng)) if t is Single else number(rng)


def _definite(rows: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """A symmetric matrix with these elements below its diagonal, which is made large enough."""
    n = len(rows)
    return tuple([tuple([rows[max(i, j)][min(i, j)] + 2.0 * n * (i == j) for j in range(n)]) for i in range(n)])


# what can be run


def why_not(f: Func) -> str | None:
    """The reason why a function cannot be run alone, as of several; None if it can."""
    outside = [f.result, *[p.type for p in f.params]]
    inner: dict[Type, None] = {}
    for t in outside:
        for s in components_first(t, inner):
            inner[s] = None
    if len(inner) > costs.WITNESSED_DEPTH:
        return "have deep types"
    if any([isinstance(t, Ref) and t.inner.stacked for t in inner]):
        return "add up stacks"
    if any(map(dims_of, inner)):
        return "are of any size"
    if any([isinstance(s, Fin) and s.size == 0 for s in inner]):
        return "have an index of nothing"
    if sum([count_leaves(_given(t)) for t in outside]) > costs.WITNESSED_NUMBERS:
        return "have many numbers"
    called = list(reachable(f))
    if any([g.impl and not isinstance(g.impl, Assertion) for g in called]):
        return "ask the host"
    loops = [v for g in called for v in instructions(g.body) if v.op is FOR]
    return "have vectors of dependent length" if any(map(_leaves_out, loops)) else None


def _leaves_out(loop: Value) -> bool:
    """True for a loop that makes vectors, and not all of their elements."""
    return span_of(loop) is not None and bool(loop_of(loop).elements)


def _given(t: Type) -> Type:
    """The type of what is given for a `t`: vectors of items for stacks, and what is in an accumulator."""
    match t:
        case Ref():
            return t.inner
        case Stack():
            return Vec(costs.WITNESSED_ITEMS, _given(t.elem))
        case Vec() if t.stacked:
            return Vec(t.size, _given(t.elem))
        case Tuple() if t.stacked:
            return tuple_of(*map(_given, t.items))
        case _:
            return t


def alone(f: Func) -> Func:
    """A function of values that calls `f`, where `f` takes or gives an accumulator or a stack."""
    if not any([isinstance(t, Ref) or t.stacked for t in (f.result, *[p.type for p in f.params])]):
        return f
    with building(f.name) as b:
        given = [_opened(b, b.param(_given(p.type), p.attr), p.type) for p in f.params]
        result = _closed(b, b.call(f, given))
        sums = [b.freeze(x) for x in given if isinstance(x.type, Ref)]
        return b.func(b.tuple([result, *sums]) if sums else result)


def _opened(b: Builder, x: Value, t: Type) -> Value:
    """The argument of type `t` that is given as `x`."""
    match t:
        case Ref():
            return b.accum(x)
        case Stack():
            s = b.zero(t)
            for k in range(costs.WITNESSED_ITEMS):
                s = b.emit(PUSH, (s, _opened(b, b.index(x, k), t.elem)))
            return s
        case Vec() if t.stacked:
            return b.vec(t.size, lambda i: _opened(b, b.index(x, i), t.elem))
        case Tuple() if t.stacked:
            return b.tuple([_opened(b, b.get(x, k), s) for k, s in enumerate(t.items)], t)
        case _:
            return x


def _closed(b: Builder, x: Value) -> Value:
    """The first items in the place of each stack."""
    match x.type:
        case Stack():
            items: list[Value] = []
            for _ in range(costs.WITNESSED_ITEMS):
                more = b.emit(MORE, (x,))
                item, x = pop(b, x)
                items += [more, _closed(b, item)]
            return b.tuple(items)
        case Vec(elem=elem, size=n) if elem.stacked:
            return b.vec(n, lambda i: _closed(b, b.index(x, i)))
        case Tuple(items=types) if x.type.stacked:
            return b.tuple([_closed(b, b.get(x, k)) for k in range(len(types))])
        case _:
            return x

"""The meaning of the IR, in plain Python: slow and exact, and every back end agrees with it to the bit.

A Real is a float, a Bool a bool, an index an int, a Unit None, and vectors and tuples are tuples: what
`structs.plain` makes. A Single is a float that 32 bits can hold, rounded after each operation. Only an
accumulator can change, and what is read of it is a copy.

A call does not recur: each function that is running is a generator, which hands a call that it needs to
`run` and is sent the answer. So a chain of calls may be as long as a program is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator
from functools import cache
from typing import Any

from . import ir
from .errors import TooLarge
from .ir import Block, Func, Op, Turns, Value, is_call
from .libm import nearest
from .stacks import JOIN, MORE, POP, PUSH
from .structs import answer, plain, present
from .types import Bool, Fin, Ref, Stack, Tuple, Type, Unit, Vec, double, items_of

Env = dict[Value, Any]
Running = Generator[tuple[Func, list[Any]], Any, Any]  # gives the calls it needs, is sent their answers


def run(f: Func, *args: Any) -> Any:
    """The result of `f`. A parameter of type `Ref` is given an `Accumulator`, and is added to."""
    stack = [_need(f, [_given(x, p) for x, p in zip(args, f.params, strict=True)])]
    answer: Any = None
    while stack:
        try:
            g, xs = stack[-1].send(answer)
        except StopIteration as end:
            stack.pop()
            answer = end.value
            continue
        if g.impl is not None:
            answer = _host(g, xs)
        elif g.turns is not None:
            stack.append(_turns(g.turns, xs))
            answer = None
        elif g.arms is not None:
            c, *rest = xs
            stack.append(_need(g.arms[0] if c else g.arms[1], rest))
            answer = None
        else:
            stack.append(_func(g, xs))
            answer = None
    return answer


def _turns(turns: Turns, xs: list[Any]) -> Running:
    states, count = len(items_of(turns.body.result)), 0
    while (yield turns.test, list(xs)):
        if count == turns.most:
            raise TooLarge(f"a loop was to end within {count:,} turns, and did not", None, "give it a larger max_iter")
        xs[:states] = yield turns.body, list(xs)
        count += 1
    return tuple(xs[:states])


def _given(x: Any, p: Value) -> Any:
    if isinstance(p.type, Ref):
        assert isinstance(x, Accumulator), f"{p!r} is given an Accumulator, not {x!r}"
        return x
    return plain(x, p.type, (p.attr or "an argument",))


def _need(f: Func, xs: list[Any]) -> Running:
    return (yield f, xs)


def _host(f: Func, xs: list[Any]) -> Any:
    """The answer of an opaque function, which sees its arguments, and answers, as a user does."""
    assert f.impl is not None
    given = [present(x, p.type) for x, p in zip(xs, f.params, strict=True)]
    return answer(f.impl(*given), f.result, (f"what {f.name} returns",))


def _func(f: Func, xs: list[Any]) -> Running:
    (result,) = yield from _block(f.body, dict(zip(f.params, xs, strict=True)))
    return result


def _block(block: Block, env: Env) -> Running:
    for v in block.code:
        op = v.op
        if op is ir.FOR:
            env[v] = yield from _for(v, env)
            continue
        xs = [env[a] for a in v.args]
        if op.eval is not None:
            env[v] = op.eval(*xs)
        elif is_call(v):
            env[v] = yield v.attr, xs
        else:
            env[v] = _STRUCTURAL[op](v, xs)
    return [env[r] for r in block.results]


def _for(v: Value, env: Env) -> Running:
    """The last states, and the vectors."""
    block: Block = v.attr
    index, *params = block.params
    assert isinstance(index.type, Fin)
    states, k = [env[a] for a in v.args], len(params)
    vectors: list[list[Any]] = [[] for _ in block.results[k:]]
    for i in range(index.type.size):
        env[index] = i
        env.update(zip(params, states, strict=True))
        results = yield from _block(block, env)
        states = results[:k]
        for vector, x in zip(vectors, results[k:], strict=True):
            vector.append(x)
    return (*states, *map(tuple, vectors))


class Accumulator:
    """A sum in the making: a place in nested lists. `accumulator` opens one."""

    __slots__ = ("_cells", "_key")

    def __init__(self, cells: list[Any], key: int) -> None:
        self._cells, self._key = cells, key

    def at(self, k: int) -> Accumulator:
        """The accumulator of one element or item of this one."""
        return Accumulator(self._cells[self._key], k)

    def add(self, x: Any, plus: Callable[[float, float], float] = operator.add) -> None:
        _add(self._cells, self._key, x, plus)

    def read(self) -> Any:
        """The sum so far."""
        return _frozen(self._cells[self._key])


def accumulator(init: Any) -> Accumulator:
    """A new accumulator, of a copy of `init`."""
    return Accumulator([_thawed(init)], 0)


def _thawed(x: Any) -> Any:
    return [_thawed(y) for y in x] if isinstance(x, (tuple, list)) else x  # pyright: ignore[reportUnknownVariableType]


def _frozen(x: Any) -> Any:
    return tuple([_frozen(y) for y in x]) if x.__class__ is list else x


def _add(cells: list[Any], key: int, x: Any, plus: Callable[[float, float], float]) -> None:
    """Add number by number; an index or a Bool beside them stays what it was."""
    old = cells[key]
    if old.__class__ is float:
        cells[key] = plus(old, x)
    elif old.__class__ is Items or x.__class__ is Items:
        cells[key] = _joined(old, x, plus)
    elif old.__class__ is list:
        for k, y in enumerate(x):
            _add(old, k, y, plus)


@cache
def _plus(t: Type) -> Callable[[float, float], float]:
    """How two numbers in a `t` are added."""
    return operator.add if double(t) is t else lambda x, y: nearest(x + y)


class Items:
    """A stack: an item, and the stack below it, which is None where it is the empty one."""

    __slots__ = ("below", "item")

    def __init__(self, item: Any, below: Items | None) -> None:
        self.item, self.below = item, below


def _joined(s: Items | None, t: Items | None, plus: Callable[[float, float], float]) -> Items | None:
    both: list[Any] = []
    while s is not None and t is not None:
        cells = [_thawed(s.item)]
        _add(cells, 0, t.item, plus)
        both.append(_frozen(cells[0]))
        s, t = s.below, t.below
    out = t if s is None else s
    for x in reversed(both):
        out = Items(x, out)
    return out


def _popped(v: Value, s: Items | None) -> tuple[Any, Items | None]:
    return zero(v.type) if s is None else (s.item, s.below)


@cache
def zero(t: Type) -> Any:
    """The zero of a type: 0.0, False or 0 in the place of each number, truth value or index."""
    if isinstance(t, Vec):
        return (zero(t.elem),) * t.size
    if isinstance(t, Tuple):
        return tuple([zero(x) for x in t.items])
    if isinstance(t, Stack) or t is Unit:
        return None
    return False if t is Bool else 0 if isinstance(t, Fin) else 0.0


_STRUCTURAL: dict[Op, Callable[[Value, list[Any]], Any]] = {
    ir.CONST: lambda v, xs: v.attr,
    ir.ZERO: lambda v, xs: zero(v.type),
    ir.TUPLE: lambda v, xs: tuple(xs),
    ir.PACK: lambda v, xs: tuple(xs),
    ir.GET: lambda v, xs: xs[0][v.attr],
    ir.INDEX: lambda v, xs: xs[0][xs[1]],
    ir.ACCUM: lambda v, xs: accumulator(xs[0]),
    ir.AT: lambda v, xs: xs[0].at(xs[1] if len(xs) > 1 else v.attr),
    ir.ADD_TO: lambda v, xs: xs[0].add(xs[1], _plus(v.args[1].type)),
    PUSH: lambda v, xs: Items(xs[1], xs[0]),
    POP: lambda v, xs: _popped(v, xs[0]),
    MORE: lambda v, xs: xs[0] is not None,
    JOIN: lambda v, xs: _joined(xs[0], xs[1], _plus(v.type)),
    ir.FREEZE: lambda v, xs: xs[0].read(),
}

"""The meaning of the IR, in plain Python: slow and exact, and every back end agrees with it to the bit.

A Real is a float, a Bool a bool, an index an int, a Unit None, and vectors and tuples are tuples: what
`structs.plain` makes. A Single is a float that 32 bits can hold, rounded after each operation. Only an
accumulator can change, and what is read of it is a copy.

A call does not recur: each function that is running is a generator, which hands a call that it needs to
`run` and is sent the answer. So a chain of calls may be as long as a program is. A `Watch` sees each step, and
may put another object of the same number in the place of what it made.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator
from functools import cache
from typing import Any

from .. import ir
from ..ir import Block, Body, Branch, Func, Linear, Op, Opaque, Value, While, is_call
from ..ir.libm import nearest
from ..ir.puts import PUT
from ..ir.stacks import JOIN, MORE, POP, PUSH
from ..ir.types import Bool, Fin, Ref, Stack, Tuple, Type, Unit, Vec, double, items_of, once
from .effects import endless
from .marshal import answer, plain, present

Env = dict[Value, Any]
Running = Generator[tuple[Func, list[Any]], Any, Any]  # gives the calls it needs, is sent their answers


class Watch:
    """An observer of the evaluation, which may put other results in the place of those that it sees.

    `calls` are the calls that are running, and what was known where each was made.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[Value, Env]] = []

    def given(self, p: Value, x: Any) -> Any:
        """The argument of a parameter."""
        return x

    def step(self, v: Value, xs: list[Any], env: Env) -> Any:
        """The result of an instruction that is neither a loop nor a call."""
        return evaluate(v, xs)

    def answered(self, v: Value, xs: list[Any], x: Any, env: Env) -> Any:
        """The result of a call."""
        return x

    def iteration(self, f: Func, count: int, xs: list[Any]) -> None:
        """Note that an iteration of a `while` begins."""

    def ran(self, block: Block) -> None:
        """Note that the instructions of a block were run once, those of loops in it apart."""


def run(f: Func, *args: Any, watch: Watch | None = None) -> Any:
    """The result of `f`. A parameter of type `Ref` is given an `Accumulator`, and is added to."""
    given = [_given(x, p) for x, p in zip(args, f.params, strict=True)]
    if watch is not None:
        given = [watch.given(p, x) for x, p in zip(given, f.params, strict=True)]
    return run_plain(f, given, watch)


def run_plain(f: Func, xs: list[Any], watch: Watch | None = None) -> Any:
    """The result of `f`, of what this module has made itself."""
    stack = [_need(f, xs)]
    answer: Any = None
    while stack:
        try:
            g, xs = stack[-1].send(answer)
        except StopIteration as end:
            stack.pop()
            answer = end.value
            continue
        match g.kind:
            case Body():
                stack.append(_func(g, xs, watch))
                answer = None
            case Opaque(impl):
                answer = _host(g, impl, xs)
            case Branch(then, otherwise):
                stack.append(_need(then if xs[0] else otherwise, xs[1:]))
                answer = None
            case Linear(by):
                stack.append(_need(by, xs))
                answer = None
            case While():
                stack.append(_while(g, g.kind, xs, watch))
                answer = None
    return answer


def _while(f: Func, loop: While, xs: list[Any], watch: Watch | None) -> Running:
    states, count = len(items_of(loop.body.result)), 0
    while True:
        if watch is not None:
            watch.iteration(f, count, xs)
        if not (yield loop.test, list(xs)):
            return tuple(xs[:states])
        if count == loop.most:
            raise endless(count, f.params[0].loc).error()
        xs[:states] = yield loop.body, list(xs)
        count += 1


def _given(x: Any, p: Value) -> Any:
    if isinstance(p.type, Ref):
        assert isinstance(x, Accumulator), f"{p!r} is given an Accumulator, not {x!r}"
        return x
    return plain(x, p.type, (p.attr or "an argument",))


def _need(f: Func, xs: list[Any]) -> Running:
    return (yield f, xs)


def _host(f: Func, impl: Callable[..., Any], xs: list[Any]) -> Any:
    """The answer of an opaque function, which sees its arguments, and answers, as a user does."""
    given = [present(x, p.type) for x, p in zip(xs, f.params, strict=True)]
    return answer(impl(*given), f.result, (f"the result of {f.name}",))


def _func(f: Func, xs: list[Any], watch: Watch | None) -> Running:
    (result,) = yield from _block(f.body, dict(zip(f.params, xs, strict=True)), watch)
    return result


def _block(block: Block, env: Env, watch: Watch | None) -> Running:
    for v in block.code:
        op = v.op
        if op is ir.FOR:
            env[v] = yield from _for(v, env, watch)
            continue
        xs = [env[a] for a in v.args]
        if is_call(v):
            env[v] = (yield v.attr, xs) if watch is None else (yield from _watched(v, xs, env, watch))
        elif watch is not None:
            env[v] = watch.step(v, xs, env)
        else:
            env[v] = op.eval(*xs) if op.eval is not None else _STRUCTURAL[op](v, xs)
    if watch is not None:
        watch.ran(block)
    return [env[r] for r in block.results]


def _watched(v: Value, xs: list[Any], env: Env, watch: Watch) -> Running:
    watch.calls.append((v, env))
    answer = yield v.attr, xs
    watch.calls.pop()
    return watch.answered(v, xs, answer, env)


def evaluate(v: Value, xs: list[Any]) -> Any:
    """The result of an instruction that is neither a loop nor a call."""
    return v.op.eval(*xs) if v.op.eval is not None else _STRUCTURAL[v.op](v, xs)


def _for(v: Value, env: Env, watch: Watch | None) -> Running:
    """The last states, and the vectors; of a loop with a span, zeros in the place of the other elements."""
    block: Block = v.attr
    index, *params = block.params
    assert isinstance(index.type, Fin)
    states, k = [env[a] for a in v.args], len(params)
    iterations = range(index.type.size) if ir.span_of(v) is None else range(*states[0])
    before = min(iterations.start, index.type.size)  # of no iterations the first may be beyond the last
    vectors: list[list[Any]] = [[zero(r.type)] * before for r in block.results[k:]]
    for i in iterations:
        env[index] = i
        env.update(zip(params, states, strict=True))
        results = yield from _block(block, env, watch)
        states = results[:k]
        for vector, x in zip(vectors, results[k:], strict=True):
            vector.append(x)
    for r, vector in zip(block.results[k:], vectors, strict=True):
        vector += [zero(r.type)] * (index.type.size - len(vector))
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

    def put(self, x: Any) -> None:
        """Let the sum be `x`."""
        self._cells[self._key] = _thawed(x)


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
    if isinstance(old, float):
        cells[key] = plus(old, x)
    elif old.__class__ is Items or x.__class__ is Items:
        cells[key] = _joined(old, x, plus)
    elif old.__class__ is list:
        for k, y in enumerate(x):
            _add(old, k, y, plus)


@cache
def _plus(t: Type) -> Callable[[float, float], float]:
    """The addition of two numbers in a `t`."""
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


def _put(row: tuple[Any, ...], path: list[int], x: Any) -> tuple[Any, ...]:
    """A vector with another element."""
    k, *rest = path
    return (*row[:k], _put(row[k], rest, x) if rest else x, *row[k + 1 :])


@once
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
    PUT: lambda v, xs: _put(xs[0], xs[1:-1], xs[-1]),
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

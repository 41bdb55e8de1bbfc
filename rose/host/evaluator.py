"""The evaluation of the IR over a domain: the one walk over functions, blocks, loops and calls.

A domain is a subclass of `Evaluator`. It says what stands for a number, a truth or an index that the program says
(`literal`), and what an operation of the table does with such (`row`); where a truth may not be known, what is one of
two values (`either`). All else is here: vectors and tuples are tuples of what stands for their numbers, which is no
tuple itself, accumulators and stacks hold it, a loop runs its iterations one by one. A domain that differs in more has
other `rules` for structural instructions, and may override `block`: over sets a block is planned, and much left out.

A call does not recur: each function that is running is a generator, which hands a call that it needs to `run` and is
sent the answer. So a chain of calls may be as long as a program is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from .. import ir
from ..ir import CALL, FOR, PURE_CALL, Block, Body, Branch, Func, Linear, Op, Opaque, Value, While, loop_of
from ..ir.ops import add, select
from ..ir.puts import PUT
from ..ir.reshapes import RESHAPE, reshaped_rows
from ..ir.sizes import number
from ..ir.stacks import JOIN, MORE, POP, PUSH
from ..ir.types import Bool, Fin, Mask, Stack, Tuple, Type, Unit, Vec, items_of
from .effects import endless
from .marshal import answer, present

Env = dict[Value, Any]
Running = Generator[tuple[Func, list[Any]], Any, Any]  # gives the calls it needs, is sent their answers
Plus = Callable[[Any, Any], Any]
Rule = Callable[[Any, Value, list[Any]], Any]  # of an evaluator, an instruction, and what stands for its arguments


class Evaluator:
    """A domain: what numbers are, and how the IR is evaluated over them. Of itself it is that of numbers."""

    rules: ClassVar[Mapping[Op, Rule]] = {}

    def literal(self, x: Any, t: Type) -> Any:
        """What stands for a number, a truth or an index of the program."""
        return x

    def row(self, op: Op, *xs: Any) -> Any:
        """The result of an operation of the table."""
        assert op.eval is not None, op
        return op.eval(*xs)

    def truth(self, c: Any) -> bool | None:
        """The side of a choice that a truth takes; None where it is not known."""
        return c

    def either(self, t: Type, x: Any, y: Any) -> Any:
        """A value that is one of two, of type `t`, by a truth that is not known."""
        raise NotImplementedError(f"{type(self).__name__} has no value that is one of two")

    def unsettled(self, f: Func, loop: While, xs: list[Any], count: int) -> Running:
        """The last states of a `while` whose truth is not known, or which has had the iterations that it may have."""
        raise endless(count, f.loc).error()

    def limit(self, loop: While) -> int | None:
        """The iterations that a `while` may have."""
        return loop.most

    def vector(self, items: Sequence[Any]) -> Any:
        """A vector of these elements."""
        return tuple(items)

    def opaque(self, f: Func, impl: Callable[..., Any], xs: list[Any]) -> Any:
        """The answer of a function of the host, which sees its arguments, and answers, as a user does."""
        given = [present(x, p.type) for x, p in zip(xs, f.params, strict=True)]
        return answer(impl(*given), f.result, (f"the result of {f.name}",))

    # functions

    def run(self, f: Func, xs: list[Any]) -> Any:
        """The result of `f`."""
        running, answer = [_asked(f, xs)], None
        while running:
            try:
                g, xs = running[-1].send(answer)
            except StopIteration as end:
                running.pop()
                answer = end.value
                continue
            if isinstance(g.kind, Opaque):  # not inside of a generator: what it raises comes out as it is
                answer = self.opaque(g, g.kind.impl, xs)
            else:
                running.append(self.function(g, xs))
                answer = None
        return answer

    def function(self, f: Func, xs: list[Any]) -> Running:
        """The result of a function that is not opaque, by its kind."""
        match f.kind:
            case Body():
                return self.body(f, xs)
            case Branch(then, otherwise):
                return self.branch(f, then, otherwise, xs)
            case While() as loop:
                return self.repeat(f, loop, xs)
            case Linear(by):
                return self.linear(f, by, xs)
            case Opaque():
                raise AssertionError(f)

    def body(self, f: Func, xs: list[Any]) -> Running:
        """The result of a function with instructions."""
        (result,) = yield from self.block(f.body, self.known(f.params, xs))
        return result

    def linear(self, f: Func, by: Func, xs: list[Any]) -> Running:
        """The result of a function that is linear because its maker says so."""
        return _asked(by, xs)

    def known(self, params: Sequence[Value], xs: Sequence[Any]) -> Env:
        """What is known where a function begins."""
        return dict(zip(params, xs, strict=True))

    def branch(self, f: Func, then: Func, otherwise: Func, xs: list[Any]) -> Running:
        """The result of the function that is taken; of both, where it is not known which that is."""
        c, rest = self.truth(xs[0]), xs[1:]
        if c is not None:
            return (yield then if c else otherwise, rest)
        return self.either(f.result, (yield then, list(rest)), (yield otherwise, list(rest)))

    def repeat(self, f: Func, loop: While, xs: list[Any]) -> Running:
        """The last states of a while loop."""
        states, count, most = len(items_of(loop.body.result)), 0, self.limit(loop)
        while True:
            self.iteration(f, count, xs)
            holds = self.truth((yield loop.test, list(xs)))
            if holds is None or (holds and count == most):
                return (yield from self.unsettled(f, loop, xs, count))
            if not holds:
                return tuple(xs[:states])
            xs[:states] = yield loop.body, list(xs)
            count += 1

    def iteration(self, f: Func, count: int, xs: list[Any]) -> None:
        """Note that an iteration of a `while` begins."""

    # blocks

    def block(self, block: Block, env: Env) -> Running:
        """The results of a block, whose instructions are run in order."""
        step, known = self.step, env.__getitem__
        for v in block.code:
            op = v.op
            if op is FOR:
                env[v] = yield from self.loop(v, [*map(known, v.args)], env)
            elif op is PURE_CALL or op is CALL:
                xs = [*map(known, v.args)]
                self.called(v, env)
                env[v] = self.answered(v, xs, (yield v.attr, xs), env)
            else:
                env[v] = step(v, [*map(known, v.args)], env)
        return [*map(known, block.results)]

    def step(self, v: Value, xs: list[Any], env: Env) -> Any:
        """The result of an instruction that is neither a loop nor a call."""
        rule = self.rules.get(v.op)
        return self.row(v.op, *xs) if rule is None else rule(self, v, xs)

    def called(self, v: Value, env: Env) -> None:
        """Note that a call begins."""

    def answered(self, v: Value, xs: list[Any], x: Any, env: Env) -> Any:
        """The result of a call."""
        return x

    def loop(self, v: Value, states: list[Any], env: Env) -> Running:
        """The last states, and the vectors; of a loop with a span, zeros in the place of the other elements.

        Where the bounds of a span are not known, each iteration may be none.
        """
        block = loop_of(v)
        index, params, k, n = block.index, block.states, block.carried, number(block.size)
        low, high = (0, n) if ir.span_of(v) is None else states[0] or (None, None)
        iterations = range(low or 0, n if high is None else high)
        before = min(iterations.start, n)  # of no iterations the first may be beyond the last
        vectors: list[list[Any]] = [[self.zero(r.type)] * before for r in block.elements]
        for i in iterations:
            env[index] = i
            env.update(zip(params, states, strict=True))
            results = yield from self.block(block, env)
            if low is None or high is None:
                states = [self.either(p.type, x, y) for p, x, y in zip(params, states, results[:k], strict=True)]
            else:
                states = results[:k]
            for vector, x in zip(vectors, results[k:], strict=True):
                vector.append(x)
        for r, vector in zip(block.elements, vectors, strict=True):
            vector += [self.zero(r.type)] * (n - len(vector))
        return (*states, *map(self.vector, vectors))

    # values

    def zero(self, t: Type) -> Any:
        """The zero of a type: 0.0, False or 0 in the place of each number, truth value or index."""
        if isinstance(t, Vec):
            return self.vector([self.zero(t.elem)] * t.size)
        if isinstance(t, Tuple):
            return tuple([self.zero(x) for x in t.items])
        if isinstance(t, Stack) or t is Unit:
            return None
        return self.literal(False if t is Bool or t is Mask else 0 if isinstance(t, Fin) else 0.0, t)

    def plus(self, t: Type) -> Plus:
        """The addition of two numbers in a `t`."""
        return partial(self.row, add)


def _asked(f: Func, xs: list[Any]) -> Running:
    return (yield f, xs)


class Accumulator:
    """A sum in the making: a place in nested lists. `accumulator` opens one."""

    __slots__ = ("_cells", "_key")

    def __init__(self, cells: list[Any], key: int) -> None:
        self._cells, self._key = cells, key

    def at(self, k: int) -> Accumulator:
        """The accumulator of one element or item of this one."""
        return Accumulator(self._cells[self._key], k)

    def add(self, x: Any, plus: Plus = operator.add) -> None:
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


def _add(cells: list[Any], key: int, x: Any, plus: Plus) -> None:
    """Add number by number; an index or a Bool beside them stays what it was."""
    old = cells[key]
    if isinstance(old, float):
        cells[key] = plus(old, x)
    elif old.__class__ is Items or x.__class__ is Items:
        cells[key] = _joined(old, x, plus)
    elif old.__class__ is list:
        for k, y in enumerate(x):
            _add(old, k, y, plus)
    elif old is not None and not isinstance(old, int):
        cells[key] = plus(old, x)


class Items:
    """A stack: an item, and the stack below it, which is None where it is the empty one."""

    __slots__ = ("below", "item")

    def __init__(self, item: Any, below: Items | None) -> None:
        self.item, self.below = item, below


def _joined(s: Items | None, t: Items | None, plus: Plus) -> Items | None:
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


def _changed(row: tuple[Any, ...], path: list[int], x: Any) -> tuple[Any, ...]:
    """A vector with another element."""
    k, *rest = path
    return (*row[:k], _changed(row[k], rest, x) if rest else x, *row[k + 1 :])


def _selected(e: Evaluator, v: Value, xs: list[Any]) -> Any:
    c = e.truth(xs[0])
    return e.either(v.type, xs[1], xs[2]) if c is None else xs[1] if c else xs[2]


Evaluator.rules = {
    ir.CONST: lambda e, v, xs: e.literal(v.attr, v.type),
    ir.ZERO: lambda e, v, xs: e.zero(v.type),
    ir.TUPLE: lambda e, v, xs: tuple(xs),
    ir.PACK: lambda e, v, xs: e.vector(xs),
    RESHAPE: lambda e, v, xs: reshaped_rows(v, xs[0], e.vector),
    PUT: lambda e, v, xs: _changed(xs[0], xs[1:-1], xs[-1]),
    ir.GET: lambda e, v, xs: xs[0][v.attr],
    ir.INDEX: lambda e, v, xs: xs[0][xs[1]],
    select: _selected,
    ir.ACCUM: lambda e, v, xs: accumulator(xs[0]),
    ir.AT: lambda e, v, xs: xs[0].at(xs[1] if len(xs) > 1 else v.attr),
    ir.ADD_TO: lambda e, v, xs: xs[0].add(xs[1], e.plus(v.args[1].type)),
    PUSH: lambda e, v, xs: Items(xs[1], xs[0]),
    POP: lambda e, v, xs: e.zero(v.type) if xs[0] is None else (xs[0].item, xs[0].below),
    MORE: lambda e, v, xs: xs[0] is not None,
    JOIN: lambda e, v, xs: _joined(xs[0], xs[1], e.plus(v.type)),
    ir.FREEZE: lambda e, v, xs: xs[0].read(),
}

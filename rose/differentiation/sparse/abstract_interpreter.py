"""Abstract interpretation of a linear function over sets of inputs: it finds the pattern of its matrix.

In the place of each tangent stands the set of those that it is made of; in the place of each number, truth value or
index what is known of it: see `abstract_values.py`. Loops run iteration by iteration with their indices, so that what
is read at an index that the program determines is read just there. Where that is not so:

- an index that is a parameter, or comes of numbers, reads any element, and adds to any;
- of a branch whose condition is not known both sides are run, and the result is one of theirs;
- a `while` whose condition is not known runs until nothing grows.

What is multiplied by 0, where the program says that it is 0, is 0. So the pattern is that of the program and its
literal data, and holds at every point. Other numbers are not computed: a module in single precision computes others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import reduce
from itertools import count
from typing import Any, NamedTuple

from ... import ir
from ...autodiff.prove_linear import as_linear
from ...errors import NotLinear
from ...host.evaluator import Env, Evaluator, Running
from ...ir import Block, Func, Op, Value, While, is_call
from ...ir.callgraph import operations
from ...ir.libm import nearest
from ...ir.ops import add, div, eq, le, lt, mul, ne, neg, select, stop_gradient, sub
from ...ir.puts import PUT
from ...ir.reshapes import RESHAPE, reshaped_rows
from ...ir.stacks import JOIN, MORE, POP, PUSH
from ...ir.types import Real, Ref, Stack, Tan, Type, Vec, count_leaves, items_of
from .abstract_values import (
    NOTHING,
    Row,
    Several,
    Sum,
    added,
    grown,
    is_nothing,
    join,
    leaves,
    loose,
    mapped,
    of_leaves,
    signature,
    zero,
)
from .index_sets import EMPTY, IndexSet, Settled, listed, single, union

_NESTED = {ir.FOR, ir.PURE_CALL, ir.CALL}
MOST_ITERATIONS = 1_000_000  # of a `while` whose condition is known each time
MOST_NUMBERS = 100  # in the parameters and the result of a function whose own pattern serves all calls
MOST_PATTERNS = 16  # of such a function: of more, no two calls may be alike


class Known(dict[Value, Any]):
    """The abstract value of each value. Numbers that are computed have none: nothing is known of them."""

    def __missing__(self, v: Value) -> None:
        assert _is_computed(v), v


Step = Callable[[Env], Any]  # of an instruction, from what is known before it


class Plan(NamedTuple):
    """The steps for a block: one for each value that is not the same as another; None for loops and calls."""

    steps: list[tuple[Value, Step | None, tuple[Value, ...]]]
    results: list[Value]


class Dependence(Evaluator):
    """The domain of sets of `n` tangents, and of what is known besides."""

    def __init__(self, n: int) -> None:
        self._plans: dict[Block, Plan] = {}
        self.sets = Settled(max(n, MOST_NUMBERS))
        self._patterns: dict[Func, dict[Any, Any] | None] = {}
        self._same: dict[Value, Value] = {}  # values that are made of what another is made of

    def zero(self, t: Type) -> Any:
        return zero(t)

    def vector(self, items: Sequence[Any]) -> Row:
        return Row(items)

    def either(self, t: Type, x: Any, y: Any) -> Any:
        return join(t, x, y)

    # functions

    def opaque(self, f: Func, impl: Callable[..., Any], xs: list[Any]) -> Any:
        return None

    def linear(self, f: Func, by: Func, xs: list[Any]) -> Running:
        """What is straight, and seen to be linear, by its instructions; else all depends on all of the tangent."""
        tangent, *others = f.params
        with suppress(NotLinear):
            if by.has_body and _NESTED.isdisjoint(operations(by)):
                return (yield as_linear(by, [True, *[False for _ in others]]), xs)
        return of_leaves(f.result, lambda: reduce(union, leaves(tangent.type, xs[0]), EMPTY))

    def body(self, f: Func, xs: list[Any]) -> Running:
        """The result of a function with instructions: from its pattern, where it has one."""
        if (known := self._patterns_of(f)) is None:
            return (yield from super().body(f, xs))
        key = tuple([signature(p.type, x) for p, x in zip(f.params, xs, strict=True)])
        if key not in known:
            known[key] = yield from self._pattern(f, xs)
        given: list[IndexSet] = [s for p, x in zip(f.params, xs, strict=True) for s in leaves(p.type, x)]
        all_of: Callable[[Sequence[int]], IndexSet] = lambda ks: reduce(union, [given[k] for k in ks], EMPTY)
        return mapped(f.result, known[key], all_of)

    def _patterns_of(self, f: Func) -> dict[Any, Any] | None:
        """The patterns of a small function, by what is known besides tangents; None where each call has its own."""
        if f not in self._patterns:
            types = [*[p.type for p in f.params], f.result]
            fit = not any([isinstance(t, Ref) or t.stacked for t in types])
            self._patterns[f] = {} if fit and sum(map(count_leaves, types)) <= MOST_NUMBERS else None
        known = self._patterns[f]
        if known is not None and len(known) > MOST_PATTERNS:
            self._patterns[f] = known = None
        return known

    def _pattern(self, f: Func, xs: list[Any]) -> Running:
        """The result of `f`, with the numbers of the tangents that it is made of in the place of each."""
        number = count()
        own = [mapped(p.type, x, lambda _: single(next(number))) for p, x in zip(f.params, xs, strict=True)]
        result = yield from super().body(f, own)
        self.sets.settle(leaves(f.result, result))
        return mapped(f.result, result, listed)

    def limit(self, loop: While) -> int:
        return MOST_ITERATIONS

    def unsettled(self, f: Func, loop: While, xs: list[Any], count: int) -> Running:
        """The last states after any number of iterations."""
        types = items_of(loop.body.result)
        k = len(types)
        states = self._settled(types, xs[:k])
        while True:
            after = self._settled(types, (yield loop.body, [*states, *xs[k:]]))
            more = [grown(t, x, y, self.sets) for t, x, y in zip(types, states, after, strict=True)]
            if all([x is y for x, y in zip(states, more, strict=True)]):
                return tuple(states)
            states = more

    def _settled(self, types: Sequence[Type], xs: Sequence[Any]) -> list[Any]:
        out = [loose(t, x) for t, x in zip(types, xs, strict=True)]
        self.sets.settle([s for t, x in zip(types, out, strict=True) for s in leaves(t, x)])
        return out

    # instructions

    def known(self, params: Sequence[Value], xs: Sequence[Any]) -> Env:
        return Known(zip(params, xs, strict=True))

    def block(self, block: Block, env: Env) -> Running:
        plan = self._plans.get(block) or self._planned(block)
        for v, step, args in plan.steps:
            if step is not None:
                env[v] = step(env)
            elif v.op is ir.FOR:
                env[v] = yield from self.loop(v, [env[a] for a in args], env)
            else:
                env[v] = yield v.attr, [env[a] for a in args]
        return [env[r] for r in plan.results]

    def _planned(self, block: Block) -> Plan:
        same, steps = self._same, list[tuple[Value, Step | None, tuple[Value, ...]]]()
        for v in block.code:
            args = tuple([same.get(a, a) for a in v.args])
            if v.op is ir.FOR or is_call(v):
                steps.append((v, None, args))
            elif v.type is Tan and (v.op is neg or v.op is div or (v.op is mul and _is_computed(args[1]))):
                same[v] = args[0]
            elif not _is_computed(v):
                steps.append((v, _step(v, args), args))
        plan = self._plans[block] = Plan(steps, [same.get(r, r) for r in block.results])
        return plan


def _is_computed(v: Value) -> bool:
    """True for a number of which nothing is known: what makes it is a row of the table that has no step here."""
    return v.type is Real and v.op.eval is not None and v.op not in _STEPS


# instructions


def _step(v: Value, args: tuple[Value, ...]) -> Step:
    """The step of an instruction that is neither a loop nor a call."""
    maker = _STEPS.get(v.op)
    return maker(v, *args) if maker is not None else _row(v.op, args)


def _row(op: Op, args: tuple[Value, ...]) -> Step:
    """A row of the table, of truth values, indices and numbers that are all known."""
    assert op.eval is not None, op
    value = _in_both_precisions(op.eval) if op in (eq, ne, lt, le) else op.eval

    def step(env: Env) -> Any:
        xs = [env[a] for a in args]
        return None if None in xs or NOTHING in xs else value(*xs)

    return step


def _in_both_precisions(compare: Callable[[float, float], bool]) -> Callable[[float, float], bool | None]:
    """The result of a comparison of two numbers, if it is the same in 32 bits."""

    def said(x: float, y: float) -> bool | None:
        answer = compare(x, y)
        return answer if compare(nearest(x), nearest(y)) == answer else None

    return said


def _const(v: Value) -> Step:
    return lambda env: v.attr


def _zero(v: Value) -> Step:
    made = zero(v.type)
    return lambda env: made


def _tuple(v: Value, *args: Value) -> Step:
    return lambda env: tuple([env[a] for a in args])


def _pack(v: Value, *args: Value) -> Step:
    return lambda env: Row([env[a] for a in args])


def _get(v: Value, x: Value) -> Step:
    def step(env: Env) -> Any:
        known = env[x]
        return None if known is None else known[v.attr]

    return step


def _index(v: Value, x: Value, i: Value) -> Step:
    t = v.type

    def step(env: Env) -> Any:
        row, k = env[x], env[i]
        if row is None:
            return None
        return row[k] if k is not None else row.any(t) if t.linear else None

    return step


def _put(v: Value, x: Value, *rest: Value) -> Step:
    *path, y = rest
    return lambda env: _changed(v.type, env[x], [env[i] for i in path], env[y])


def _reshape(v: Value, x: Value) -> Step:
    return lambda env: None if env[x] is None else reshaped_rows(v, env[x], Row)


def _changed(t: Type, row: Any, path: list[Any], y: Any) -> Any:
    """A vector with another element, which may be any one whose index is not known."""
    if not path:
        return y
    if row is None:
        return None
    assert isinstance(t, Vec)
    k, *rest = path
    if k is not None:
        return Row([_changed(t.elem, e, rest, y) if j == k else e for j, e in enumerate(row)])
    return Row([join(t.elem, e, _changed(t.elem, e, rest, y)) for e in row])


def _sum(v: Value, x: Value, y: Value) -> Step:
    t = v.type
    return lambda env: added(t, env[x], env[y])


def _product(v: Value, x: Value, y: Value) -> Step:
    if v.type is Tan:
        return lambda env: EMPTY if is_nothing(env[y]) else env[x]
    return lambda env: NOTHING if is_nothing(env[x]) or is_nothing(env[y]) else None


def _multiple(v: Value, x: Value, *_: Value) -> Step:
    return lambda env: NOTHING if is_nothing(env[x]) else None


def _select(v: Value, c: Value, x: Value, y: Value) -> Step:
    t = v.type

    def step(env: Env) -> Any:
        known = env[c]
        return join(t, env[x], env[y]) if known is None else env[x] if known else env[y]

    return step


def _accum(v: Value, x: Value) -> Step:
    return lambda env: Sum(x.type, env[x])


def _at(v: Value, ref: Value, *i: Value) -> Step:
    return lambda env: env[ref].at(env[i[0]] if i else v.attr)


def _add_to(v: Value, ref: Value, x: Value) -> Step:
    return lambda env: env[ref].add(env[x])


def _freeze(v: Value, ref: Value) -> Step:
    return lambda env: env[ref].read()


def _stack_of(t: Type) -> Stack:
    assert isinstance(t, Stack)
    return t


def _push(v: Value, s: Value, x: Value) -> Step:
    elem = _stack_of(v.type).elem

    def step(env: Env) -> Any:
        below, item = env[s], env[x]
        if below.__class__ is Several:
            return Several(join(elem, below.item, loose(elem, item)))
        return None if below is None else (item, below)

    return step


def _pop(v: Value, s: Value) -> Step:
    elem = _stack_of(s.type).elem

    def step(env: Env) -> Any:
        stack = env[s]
        if stack.__class__ is Several:
            return stack.item, stack
        return (zero(elem), stack) if stack == () else stack

    return step


def _more(v: Value, s: Value) -> Step:
    return lambda env: None if env[s].__class__ is Several or env[s] is None else env[s] != ()


def _join(v: Value, s: Value, t: Value) -> Step:
    stack = _stack_of(v.type)
    return lambda env: added(stack, env[s], env[t])


def _same_as(v: Value, x: Value) -> Step:
    return lambda env: env[x]


_STEPS: dict[Op, Callable[..., Step]] = {
    ir.CONST: _const, ir.ZERO: _zero, ir.TUPLE: _tuple, ir.PACK: _pack, ir.GET: _get, ir.INDEX: _index, PUT: _put,
    RESHAPE: _reshape,
    ir.ACCUM: _accum, ir.AT: _at, ir.ADD_TO: _add_to, ir.FREEZE: _freeze,
    neg: _multiple, div: _multiple, add: _sum, sub: _sum, mul: _product, select: _select, stop_gradient: _same_as,
    PUSH: _push, POP: _pop, MORE: _more, JOIN: _join,
}  # fmt: skip

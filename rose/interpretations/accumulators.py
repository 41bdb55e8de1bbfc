"""Accumulators as states: the same function without `accum`, `add_to` and `freeze`, by additions of numbers.

An accumulator that a loop adds to is one more state of the loop, and one that a function is given is one more result.
So a meaning of `add` is the meaning of a sum, too. The additions are the same ones in the same order: the bits stay.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import ir
from ..errors import RoseError
from ..ir import ACCUM, ADD_TO, AT, FREEZE, Block, Body, Branch, Builder, Func, Value, While, is_call, loop_of
from ..ir.accumulators import base
from ..ir.callgraph import instructions, make_branch, make_while, memoised
from ..ir.ops import add
from ..ir.puts import put
from ..ir.types import Real, Ref, Tuple, Type, Vec, as_tuple, items_of
from ..optimise.rewriter import Env, Rewriter

Path = list[Value | int]  # from an accumulator to a part of it: indices of elements, places of items


def without_accumulators(f: Func) -> Func:
    """The same function; one that is given accumulators takes their sums, and gives `(result, sum, ...)`."""
    return memoised(f, without_accumulators, _made, _is_given_some)


def _is_given_some(f: Func) -> bool:
    return any([isinstance(p.type, Ref) for p in f.params])


def _made(f: Func) -> Func:
    match f.kind:
        case Body():
            return _AsStates().function(f)
        case Branch(then, otherwise) if _is_given_some(f):
            return make_branch(f.name, without_accumulators(then), without_accumulators(otherwise))
        case While() if _is_given_some(f):
            return _while(f, f.kind)
        case _:
            return f


def _while(f: Func, loop: While) -> Func:
    """The loop with the sums as states, in a function that takes and gives them in their places."""
    k = len(items_of(f.result))
    refs = [j for j, p in enumerate(f.params) if isinstance(p.type, Ref)]
    order = [*range(k), *refs, *[j for j in range(k, len(f.params)) if j not in refs]]

    def part(of: Func, is_test: bool) -> Func:
        with ir.building(of.name) as b:
            b.loc = f.loc
            made = {j: b.param(_sum_type(f.params[j].type), f.params[j].attr) for j in order}
            out = b.call(without_accumulators(of), [made[j] for j in range(len(order))])
            y = b.get(out, 0)
            if is_test:
                return b.func(y)
            return b.func(b.tuple([*[b.get(y, j) for j in range(k)], *[b.get(out, 1 + j) for j in range(len(refs))]]))

    whole = make_while(f.name, part(loop.test, True), part(loop.body, False), loop.most)
    with ir.copying(f) as b:
        b.loc = f.loc
        given = [b.param(_sum_type(p.type), p.attr) for p in f.params]
        out = b.call(whole, [given[j] for j in order])
        y = b.tuple([b.get(out, j) for j in range(k)], as_tuple(f.result))
        return b.func(b.tuple([y, *[b.get(out, k + j) for j in range(len(refs))]]))


def _sum_type(t: Type) -> Type:
    return t.inner if isinstance(t, Ref) else t


class _AsStates(Rewriter):
    """A copy of a function, in which `now` has the sum in each accumulator, as far as it is."""

    def __init__(self) -> None:
        self.now: dict[Value, Value] = {}

    def type(self, t: Type) -> Type:
        return _sum_type(t)

    def param(self, b: Builder, p: Value) -> Value:
        made = super().param(b, p)
        if isinstance(p.type, Ref):
            self.now[p] = made
        return made

    def result(self, b: Builder, v: Value, env: Env) -> Value:
        given = [x for p, x in self.now.items() if p.op is ir.PARAM]
        return b.tuple([env[v], *given]) if given else env[v]

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        if v.op is ACCUM:
            self.now[v] = env[v.args[0]]
            return b.unit()
        if v.op is AT:
            return b.unit()
        if v.op is ADD_TO:
            ref, path = _place(v.args[0], env)
            self.now[ref] = _changed(b, self.now[ref], path, env[v.args[1]])
            return b.unit()
        if v.op is FREEZE:
            ref, path = _place(v.args[0], env)
            return _part(b, self.now[ref], path)
        if is_call(v) and _is_given_some(v.attr):
            return self.call_with_sums(b, v, env)
        return super().instruction(b, v, env)

    def call_with_sums(self, b: Builder, v: Value, env: Env) -> Value:
        places = [_place(a, env) for a in v.args if isinstance(a.type, Ref)]
        if len({ref for ref, _ in places}) < len(places):
            hint = "give each its own rose.accum"
            raise RoseError(f"{v.attr.name} adds to one accumulator by two names", v.loc, hint)
        sums = iter([_part(b, self.now[ref], path) for ref, path in places])
        args = [next(sums) if isinstance(a.type, Ref) else env[a] for a in v.args]
        out = b.call(without_accumulators(v.attr), args)
        for k, (ref, path) in enumerate(places):
            self.now[ref] = _replaced(b, self.now[ref], path, b.get(out, 1 + k))
        return b.get(out, 0)

    def loop(self, b: Builder, v: Value, args: tuple[Value, ...], env: Env) -> Value:
        block = loop_of(v)
        k, sums = len(args), _added_to(block)
        before = [self.now[ref] for ref in sums]
        with b.nested() as body:
            for p in block.params:
                env[p] = self.param(b, p)
            for ref, x in zip(sums, before, strict=True):
                self.now[ref] = b.param(x.type)
            self.block(b, block, env)
            states, outs = block.following, block.elements
            results = [*[env[r] for r in states], *[self.now[ref] for ref in sums], *[env[r] for r in outs]]
            body.results = tuple([b.reach(r) for r in results])
        last, vecs = b.close(body, [*args, *before])
        self.now.update(zip(sums, last[k:], strict=True))
        return b.tuple([*last[:k], *vecs], as_tuple(v.type))


def _added_to(block: Block) -> list[Value]:
    """The accumulators from around a block to which it adds."""
    given = [a for v in instructions(block) if v.op is ADD_TO or is_call(v) for a in v.args if isinstance(a.type, Ref)]
    return [ref for ref in dict.fromkeys(map(base, given)) if not ref.block.inside(block)]


def _place(ref: Value, env: Env) -> tuple[Value, Path]:
    path: Path = []
    while ref.op is AT:
        path.append(env[ref.args[1]] if ref.attr is None else ref.attr)
        ref = ref.args[0]
    return ref, path[::-1]


def _part(b: Builder, x: Value, path: Sequence[Value | int]) -> Value:
    for step in path:
        x = b.index(x, step) if isinstance(step, Value) else b.get(x, step)
    return x


def _changed(b: Builder, whole: Value, path: Path, x: Value) -> Value:
    return _replaced(b, whole, path, summed(b, _part(b, whole, path), x))


def _replaced(b: Builder, whole: Value, path: Path, x: Value) -> Value:
    """An aggregate with `x` in the place to which a path leads."""
    if not path:
        return x
    step, *others = path
    if not isinstance(step, Value):
        t = as_tuple(whole.type)
        items = [b.get(whole, k) for k in range(len(t.items))]
        items[step] = _replaced(b, items[step], others, x)
        return b.tuple(items, t)
    indices = [step]
    for further in others:  # of vectors of vectors the element is put at once
        if not isinstance(further, Value):
            break
        indices.append(further)
    inner = _part(b, whole, indices)
    return put(b, whole, indices, _replaced(b, inner, path[len(indices) :], x))


def summed(b: Builder, x: Value, y: Value) -> Value:
    """The sum of two values of one type, number by number; an index or a truth stays what it was."""
    t = x.type
    if isinstance(t, Vec) and not t.empty:
        return b.vec(t.size, lambda i: summed(b, b.index(x, i), b.index(y, i)))
    if isinstance(t, Tuple):
        return b.tuple([summed(b, b.get(x, k), b.get(y, k)) for k in range(len(t.items))], t)
    return b.emit(add, (x, y)) if t is Real else x

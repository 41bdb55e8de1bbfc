"""The way forward: a function over carriers, made by running the rules of a meaning in the place of operations.

Loops stay loops, and calls calls. With a way back, each block keeps a residual: the tuple of what its instructions
keep, of a loop a vector of the residuals of its iterations. `Made.slots` says which item is whose. With a total, it has
the sum of the entries of its instructions in the place of a residual, and a loop the sum of those of its iterations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from .. import ir
from ..errors import Loc, RoseError
from ..frontend.annotations import as_type
from ..frontend.operators import view
from ..frontend.values import common_type, infer, to_value
from ..host.effects import Assertion, Printer
from ..ir import (
    CONST,
    FOR,
    PACK,
    TUPLE,
    ZERO,
    Block,
    Body,
    Branch,
    Builder,
    Func,
    Linear,
    Opaque,
    Value,
    While,
    is_index,
    loop_of,
)
from ..ir.callgraph import Work, instructions, make_branch, make_while
from ..ir.ops import select, stop_gradient
from ..ir.puts import PUT, put
from ..ir.types import Bool, Fin, Real, Span, Tuple, Type, Vec, as_tuple, as_vec, items_of
from ..optimise.code_motion import hoisted
from ..optimise.rewriter import Rewriter
from .accumulators import summed, without_accumulators
from .meanings import Meaning, Operation, Optic, Refusal, Rule, Tally, TwoWay

Step = tuple[Value, Value | None]  # the carrier, and what is kept for the way back, or adds to the total


class Made:
    """The interpretation of a function for carriers of some types."""

    def __init__(self, of: Func) -> None:
        self.of = of  # without accumulators
        self.func: Func = of  # over carriers; it gives the carrier of the result, and the residual or the total
        self.slots: dict[Value, int] = {}  # the item that an instruction keeps, in the residual of its block
        self.rules: dict[Value, Optic] = {}
        self.shapes: dict[Value, tuple[list[int], Tuple]] = {}  # of a residual that names one value twice
        self.calls: dict[Value, Made] = {}
        self.parts: tuple[Made, ...] = ()  # of a branch
        self.uses: Counter[Value] = Counter()
        self.back: Func | None = None


class Forward:
    """Makes the way forward of functions, once for each function and types of carriers."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning = meaning
        self.keeps = isinstance(meaning, TwoWay)
        self.entry = as_type(meaning.entry) if isinstance(meaning, Tally) else None
        self.gives_two = self.keeps or self.entry is not None
        self.pair = "let it give the carrier and " + ("a residual" if self.keeps else "an entry, or None for no entry")
        self.chooses = isinstance(meaning, TwoWay) and meaning.choose is not None
        self.copies = isinstance(meaning, TwoWay) and type(meaning).copy is not TwoWay.copy
        self._made: dict[Any, Made] = {}

    def made(self, f: Func, types: Sequence[Type], loc: Loc | None = None) -> Work[Made]:
        """The interpretation of `f`; `loc` is where it is called, for errors."""
        key = (f, *types)
        if key not in self._made:
            made = Made(without_accumulators(f if f.sized else hoisted(f)))
            match made.of.kind:
                case Body():
                    yield from self._body(made, types)
                case Branch(then, otherwise) if types[0] is Bool and not self.chooses:
                    yield from self._branch(made, then, otherwise, types[1:])
                case Branch(then, otherwise):
                    made.of = _of_both(made.of, then, otherwise)
                    yield from self._body(made, types)
                case While() as loop:
                    yield from self._while(made, loop, types, loc)
                case Opaque() | Linear():
                    raise self._missing(f, loc)
            self._made[key] = made
        return self._made[key]

    def _body(self, made: Made, types: Sequence[Type]) -> Work[None]:
        f = made.of
        _count_uses(f.body, made.uses)
        with ir.building(f"{f.name}.{self.meaning.name}") as b:
            env = dict[Value, Value]()
            for p, t in zip(f.params, types, strict=True):
                b.loc = p.loc
                env[p] = b.param(t, p.attr)
            (y,), kept = yield from self._block(b, f.body, env, made)
            made.func = b.func(b.tuple([y, kept]) if self.gives_two else y)

    # branches and while loops

    def _branch(self, made: Made, then: Func, otherwise: Func, types: Sequence[Type]) -> Work[None]:
        """A branch of interpretations."""
        arms: list[Made] = [(yield self.made(then, types)), (yield self.made(otherwise, types))]
        made.parts = tuple(arms)
        made.func = self._branch_of(made.of, arms)

    def _branch_of(self, f: Func, arms: Sequence[Made]) -> Func:
        """The branch; with a way back each arm has the residuals of both, of which the other is zero."""
        results = [items_of(arm.func.result)[0] if self.gives_two else arm.func.result for arm in arms]
        t = self._common(results, f.loc)
        kept = [items_of(arm.func.result)[1] for arm in arms] if self.keeps else []
        parts = list[Func]()
        for k, arm in enumerate(arms):
            with ir.building(arm.func.name) as b:
                b.loc = f.loc
                out = b.call(arm.func, [b.param(p.type, p.attr) for p in arm.func.params])
                if not self.gives_two:
                    parts.append(b.func(self._as(b, out, t)))
                    continue
                own = b.get(out, 1)
                if self.keeps:
                    own = b.tuple([own if j == k else b.zero(s) for j, s in enumerate(kept)])
                parts.append(b.func(b.tuple([self._as(b, b.get(out, 0), t), own])))
        return make_branch(f.name, *parts)

    def _while(self, made: Made, loop: While, types: Sequence[Type], loc: Loc | None) -> Work[None]:
        """A while loop of interpretations: its states have the carriers of every iteration."""
        f, at = made.of, loc or made.of.loc
        if self.keeps:
            hint = "write rose.scan, of as many iterations as there can be, and rose.select the state"
            raise RoseError(f"{self.meaning.name} has no way back through a while loop", at, hint)
        k = len(items_of(f.result))
        states, rest = list(types[:k]), list(types[k:])
        while True:
            body: Made = yield self.made(loop.body, (*states, *rest))
            after = items_of(body.func.result if self.entry is None else items_of(body.func.result)[0])
            wider = [self._common(pair, at) for pair in zip(states, after, strict=True)]
            if wider == states:
                break
            states = wider
        test: Made = yield self.made(loop.test, (*states, *rest))
        made.func = self._while_of(f, (test.func, body.func), loop.most, types, [*states, *rest], at)

    def _while_of(
        self,
        f: Func,
        parts: tuple[Func, Func],
        most: int | None,
        types: Sequence[Type],
        wider: list[Type],
        at: Loc | None,
    ) -> Func:
        """The while loop over carriers of these types. A total is a state before the others.

        It has what the tests take, too: they are evaluated once more for that.
        """
        (test, body), k = parts, len(items_of(f.result))
        totals = [] if self.entry is None else [self.entry]

        def part(of: Func, finish: Callable[[Builder, list[Value], Value, list[Value]], Value]) -> Func:
            with ir.building(of.name) as b:
                b.loc = at
                before = [b.param(t, "total") for t in totals]
                xs = [b.param(t, p.attr) for p, t in zip(f.params, wider, strict=True)]
                y, spent = self._two(b, b.call(of, xs))
                return b.func(finish(b, xs, y, [summed(b, *pair) for pair in zip(before, spent, strict=True)]))

        def next_states(b: Builder, xs: list[Value], y: Value, spent: list[Value]) -> Value:
            after = [self._as(b, b.get(y, j), t) for j, t in enumerate(wider[:k])]
            return b.tuple([*[self._tested(b, x, test, xs) for x in spent], *after])

        goes_on = part(test, lambda b, _, c, __: c if c.type is Bool else self._called(at, self.meaning.decide, [c]))
        whole = make_while(f.name, goes_on, part(body, next_states), most)
        with ir.building(f.name) as b:
            b.loc = at
            given = [b.param(t, p.attr) for p, t in zip(f.params, types, strict=True)]
            xs = [self._as(b, x, t) for x, t in zip(given, wider, strict=True)]
            y = b.call(whole, [*[b.zero(t) for t in totals], *xs])
            if not totals:
                return b.func(y)
            last = [b.get(y, 1 + j) for j in range(k)]
            return b.func(b.tuple([b.tuple(last), self._tested(b, b.get(y, 0), test, [*last, *xs[k:]])]))

    def _two(self, b: Builder, out: Value) -> tuple[Value, list[Value]]:
        """What an interpreted function gives: the carrier, and the total, if there is one."""
        return (out, []) if self.entry is None else (b.get(out, 0), [b.get(out, 1)])

    def _tested(self, b: Builder, total: Value, test: Func, xs: Sequence[Value]) -> Value:
        """A total with that of a test."""
        return summed(b, total, b.get(b.call(test, xs), 1))

    # blocks

    def _block(self, b: Builder, block: Block, env: dict[Value, Value], made: Made) -> Work[tuple[list[Value], Value]]:
        """The carriers of the results of a block, and its residual."""
        kept = list[Value]()
        for v in block.code:
            b.loc = v.loc
            if v.op is FOR:
                env[v], keep = yield from self._for(b, v, env, made)
            elif ir.is_call(v):
                env[v], keep = yield from self._call(b, v, env, made)
            else:
                env[v], keep = self._instruction(b, v, env, made)
            if keep is not None and self.gives_two:
                made.slots[v] = len(kept)
                kept.append(keep)
        rest = b.tuple(kept) if self.entry is None else self._total(b, kept)
        return [self._read(b, r, env, made) for r in block.results], rest

    def _total(self, b: Builder, entries: Sequence[Value]) -> Value:
        assert self.entry is not None
        return reduce(lambda x, y: summed(b, x, y), entries, b.zero(self.entry))

    def _read(self, b: Builder, x: Value, env: dict[Value, Value], made: Made) -> Value:
        """The carrier of `x`, as one of its readers gets it."""
        if not self.copies or not x.type.scalar or made.uses[x] < 2 or x.op is CONST:
            return env[x]
        assert isinstance(self.meaning, TwoWay)
        if not self.meaning.returns(x.type):
            return env[x]
        return self._called(x.loc, self.meaning.copy, [env[x]])

    def _for(self, b: Builder, v: Value, env: dict[Value, Value], made: Made) -> Work[Step]:
        """A loop. The carriers of its states are found by trying: those that it begins with, then wider ones."""
        block = loop_of(v)
        states = [self._read(b, a, env, made) for a in v.args]
        k = len(states)
        while True:
            with b.nested() as body:
                env[block.index] = b.param(block.indices)
                for p, s in zip(block.states, states, strict=True):
                    env[p] = b.param(s.type, p.attr)
                before = [] if self.entry is None else [b.param(self.entry)]
                results, kept = yield from self._block(b, block, env, made)
                pairs = zip(states, results[:k], strict=True)
                wider = [self._common([s.type, r.type], v.loc) for s, r in pairs]
                if wider == [s.type for s in states]:
                    after = [self._as(b, r, t) for r, t in zip(results, wider, strict=False)]
                    after += [summed(b, x, kept) for x in before]
                    outs = [*after, *results[k:], *([kept] if self.keeps else [])]
                    body.results = tuple([b.reach(r) for r in outs])
                    break
            states = [self._as(b, s, t) for s, t in zip(states, wider, strict=True)]
        last, vecs = b.close(body, [*states, *[b.zero(p.type) for p in before]])
        y = b.tuple([*last[:k], *(vecs[:-1] if self.keeps else vecs)])
        if self.entry is not None:
            return y, last[k]
        span = [states[0]] if ir.span_of(v) is not None else []
        return y, b.tuple([vecs[-1], *[b.tuple([b.get(s, 0), b.get(s, 1)]) for s in span]]) if self.keeps else None

    def _call(self, b: Builder, v: Value, env: dict[Value, Value], made: Made) -> Work[Step]:
        args = [self._read(b, a, env, made) for a in v.args]
        rule = self.meaning.rule(v.attr)
        if rule is not None:
            return self._ruled(b, v, rule, args, made)
        callee: Made = yield self.made(v.attr, [a.type for a in args], v.loc)
        made.calls[v] = callee
        out = b.call(callee.func, args)
        if not self.gives_two:
            return out, None
        keep = b.get(out, 1)
        return b.get(out, 0), b.tuple([args[0], keep]) if self.keeps and callee.parts else keep

    def _instruction(self, b: Builder, v: Value, env: dict[Value, Value], made: Made) -> Step:
        op = v.op
        if op is CONST or op is ZERO:
            return self._literal(b, b.const(v.attr, v.type) if op is CONST else b.zero(v.type)), None
        xs = [self._read(b, a, env, made) for a in v.args]
        if op is TUPLE:
            t = as_tuple(v.type)
            return b.tuple(xs, t if isinstance(t, Span) else t.of(tuple([x.type for x in xs]))), None
        if op is PACK:
            t = self._common([x.type for x in xs], v.loc)
            return b.pack([self._as(b, x, t) for x in xs], Vec(as_vec(v.type).size, t)), None
        if op is PUT:
            return self._put(b, v, xs), self._kept(b, v.args[1:-1], xs[1:-1])
        if op is select:
            return self._select(b, v, xs)
        if op.moves and op.eval is None and not v.type.stacked:
            return b.make(op, tuple(xs), v.attr), self._kept(b, v.args[1:], xs[1:])
        if op is stop_gradient and self.meaning.rule(op) is None:
            return xs[0], None
        return self._row(b, v, xs, made)

    def _row(self, b: Builder, v: Value, xs: list[Value], made: Made) -> Step:
        """A row of the table: by its rule, and of indices alone as it is."""
        rule = self.meaning.rule(v.op)
        plain = all([x.type is a.type and not a.type.real for x, a in zip(xs, v.args, strict=True)])
        if rule is None and plain and v.op.eval is not None:
            y = b.emit(v.op, tuple(xs))
            return y if isinstance(y.type, Fin) else self._literal(b, y), None
        if rule is None:
            raise self._missing(v.op, v.loc)
        return self._ruled(b, v, rule, xs, made)

    def _ruled(self, b: Builder, v: Value, rule: Rule, xs: list[Value], made: Made) -> Step:
        if not isinstance(rule, Optic) and self.entry is None:
            return self._called(v.loc, rule, xs), None
        name = f"the rule of {v.attr.name if ir.is_call(v) else v.op.name}"
        y, other = self._two_of(name, v.loc, rule.forward if isinstance(rule, Optic) else rule, xs)
        if self.entry is not None:
            return y, None if other is None else to_value(other, self.entry)
        assert isinstance(rule, Optic)
        made.rules[v] = rule
        return y, self._once_each(b, v, infer(other, v.loc), made)

    def _two_of(self, name: str, loc: Loc | None, rule: Callable[..., Any], xs: Sequence[Value]) -> tuple[Value, Any]:
        """The carrier that a rule gives, and what it gives with it."""
        out: list[Any] = []

        def forward(*views: Any) -> Any:
            given: Any = rule(*views)
            if given.__class__ not in (tuple, list) or len(given) != 2:
                raise Refusal(f"{name} gives no pair", self.pair)
            out[:] = given
            return out[0]

        return self._called(loc, forward, xs), out[1]

    def _once_each(self, b: Builder, v: Value, kept: Value, made: Made) -> Value:
        """A residual of several values, with each of them once."""
        made.shapes.pop(v, None)
        items = list(dict.fromkeys(kept.args))
        if kept.op is not TUPLE or len(items) == len(kept.args):
            return kept
        made.shapes[v] = [_index(items, x) for x in kept.args], as_tuple(kept.type)
        return b.tuple(items)

    def _kept(self, b: Builder, args: Sequence[Value], xs: Sequence[Value]) -> Value | None:
        """The indices of an instruction, for the way back; None if it knows them: literals, and those of loops."""
        return b.tuple(xs) if self.keeps and not all(map(knows_index, args)) else None

    def _put(self, b: Builder, v: Value, xs: list[Value]) -> Value:
        vec, *path, x = xs
        t = self._common([vec.type, _around(vec.type, x.type, len(path))], v.loc)
        inner = t
        for _ in path:
            inner = as_vec(inner).elem
        return put(b, self._as(b, vec, t), path, self._as(b, x, inner))

    # carriers

    def _literal(self, b: Builder, x: Value) -> Value:
        """The carrier of what the program says, of any type."""
        t = x.type
        if type(self.meaning).literal is Meaning.literal:
            return x
        if t is Real or (t is Bool and self.meaning.truth is not Bool):
            return self._called(b.loc, self.meaning.literal, [x])
        if isinstance(t, Vec):
            if t.empty:
                return b.zero(self.meaning.carriers(t))
            return b.vec(t.size, lambda i: self._literal(b, b.index(x, i))) if _has_leaves(t) else x
        if isinstance(t, Tuple) and not isinstance(t, Span):
            items = [self._literal(b, b.get(x, k)) for k in range(len(t.items))]
            return b.tuple(items, t.of(tuple([y.type for y in items])))
        return x

    def _select(self, b: Builder, v: Value, xs: Sequence[Value]) -> Step:
        """What a condition takes: one of two values, whole, unless the meaning has a choice of its own."""
        c, *given = xs
        t = self._common([x.type for x in given], b.loc)
        x, y = [self._as(b, x, t) for x in given]
        if c.type is Bool and not self.chooses:
            return b.emit(select, (c, x, y)), c if self.keeps else None
        chosen, kept = self._chosen(b, c, x, y, v.type)
        return chosen, kept if self.keeps else None

    def _chosen(self, b: Builder, c: Value, x: Value, y: Value, of: Type) -> tuple[Value, Value]:
        """What is `x` or `y`, number by number, of the type `of` before it was interpreted; and what choices keep."""
        if of is Real or of is Bool:
            return self._choice(b, c, x, y)
        if isinstance(of, Vec) and not of.empty:

            def body(i: Value, *_: Value) -> tuple[Sequence[Value], Sequence[Value]]:
                return [], self._chosen(b, c, b.index(x, i), b.index(y, i), of.elem)

            _, (chosen, kept) = b.loop(of.size, body, [])
            return chosen, kept
        if isinstance(of, Tuple):
            items = [self._chosen(b, c, b.get(x, k), b.get(y, k), s) for k, s in enumerate(of.items)]
            return b.tuple([z for z, _ in items], as_tuple(x.type)), b.tuple([kept for _, kept in items])
        if of.empty or x is y:
            return x, b.unit()
        if c.type is Bool:
            return b.emit(select, (c, x, y)), b.unit()
        hint = _INDEX if isinstance(of, Fin) else _TRUTH
        raise RoseError(f"{self.meaning.name} cannot choose between two values of type {of!r}", b.loc, hint)

    def _choice(self, b: Builder, c: Value, x: Value, y: Value) -> tuple[Value, Value]:
        if not isinstance(self.meaning, TwoWay):
            return self._called(b.loc, self.meaning.choose, [c, x, y]), b.unit()
        if self.meaning.choose is None:
            what = f"{self.meaning.name} has no way back through a choice by a condition whose carrier is a {c.type!r}"
            raise RoseError(what, b.loc, "let choose = Optic(forward, backward), of the condition and both values")
        z, kept = self._two_of("choose", b.loc, self.meaning.choose.forward, [c, x, y])
        return z, infer(kept, b.loc)

    def _common(self, types: Sequence[Type], loc: Loc | None) -> Type:
        """The type of carriers that holds those of all of these types."""
        t, *others = types
        for s in others:
            wider = common_type(t, s, self.meaning.wider)
            if wider is None:
                what = f"{self.meaning.name}: {t!r} and {s!r} meet here, and are different carriers"
                raise RoseError(what, loc, "let both be of one kind")
            t = wider
        return t

    def _as(self, b: Builder, x: Value, t: Type) -> Value:
        """A carrier, or an aggregate of them, as one of a wider type."""
        s = x.type
        if s is t:
            return x
        if isinstance(s, Vec) and isinstance(t, Vec):
            return b.vec(t.size, lambda i: self._as(b, b.index(x, i), t.elem))
        if self.meaning.wider(s, t) is t:
            return to_value(self.meaning.widened(view(x), t), t)
        assert isinstance(t, Tuple), (s, t)
        return b.tuple([self._as(b, b.get(x, k), item) for k, item in enumerate(t.items)], t)

    # rules

    def _called(self, loc: Loc | None, rule: Callable[..., Any], xs: Sequence[Value]) -> Value:
        """What a rule gives for these carriers; what it refuses is an error at the user's expression."""
        try:
            return infer(rule(*[view(x) for x in xs]), loc)
        except Refusal as e:
            raise RoseError(f"{self.meaning.name}: {e.message}", loc, e.hint) from None

    def _missing(self, op: Operation, loc: Loc | None) -> RoseError:
        """The error of an operation that has no meaning."""
        if isinstance(op, Func):
            what = f"{self.meaning.name} has no meaning for {op.name}, into which it cannot look"
            if isinstance(op.impl, (Assertion, Printer)):
                return RoseError(what, loc, "leave it out of what is interpreted")
            return RoseError(what, loc, f"write a row for it: rules = {{{op.name.rpartition('.')[2]}: ...}}")
        names = ", ".join(op.__signature__.parameters)
        what = f"{self.meaning.name} has no meaning for {op.name}"
        return RoseError(what, loc, f'write a row for it: rules = {{"{op.name}": lambda {names}: ...}}')


_TRUTH = "let truth = Bool, so that one side is taken"
_INDEX = (
    "choose between numbers, with rose.min, rose.max or rose.select: an index is one, and the condition may be either"
)


def _of_both(f: Func, then: Func, otherwise: Func) -> Func:
    """A branch as a function that evaluates both sides, and selects: each reads what it reads, not all parameters."""
    with ir.building(f.name) as b:
        c, *xs = [b.param(p.type, p.attr) for p in f.params]
        x, y = [_written(b, side, xs) for side in (then, otherwise)]
        b.loc = f.loc
        return b.func(b.emit(select, (c, x, y)))


def _written(b: Builder, f: Func, xs: Sequence[Value]) -> Value:
    """The result of `f`, whose instructions are written here."""
    if not isinstance(f.kind, Body):
        return b.call(f, xs)
    env = dict(zip(f.params, xs, strict=True))
    Rewriter().block(b, f.body, env)
    return env[f.body.results[0]]


def _has_leaves(t: Type) -> bool:
    """True for an array of numbers or truths, of which each has a carrier."""
    while isinstance(t, Vec):
        t = t.elem
    return not isinstance(t, Fin)


def _around(t: Type, elem: Type, depth: int) -> Type:
    """The type of a vector of the shape of `t`, that has such elements so many vectors inwards."""
    vec = as_vec(t)
    return Vec(vec.size, _around(vec.elem, elem, depth - 1)) if depth > 1 else Vec(vec.size, elem)


def knows_index(i: Value) -> bool:
    """True for an index that the way back knows without being told."""
    return i.op is CONST or is_index(i)


def _count_uses(block: Block, uses: Counter[Value]) -> None:
    """Count the readers of each value; one in a loop counts twice."""
    for v in instructions(block):
        for a in v.args:
            uses[a] += 1 if a.block is v.block else 2
        if v.op is FOR:
            uses.update([r for r in loop_of(v).results for _ in range(1 if r.block is v.attr else 2)])
    uses.update(block.results)


def _index(items: Sequence[Value], x: Value) -> int:
    return next(k for k, y in enumerate(items) if y is x)

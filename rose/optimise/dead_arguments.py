"""Interprocedural dead code elimination: results, parameters, items of tapes and sums that no caller or callee needs.

What is needed of a value is all of it, or some items of a tuple. Callers come first, to say what is needed of a
result; then callees, to say what is needed of a parameter; and then the functions of which less is needed are copied.
What others call by its type stays as it is: what is exported, the sides of a branch, the parts of a while loop.
Measured: the fourth derivative of an opaque sine (`examples/sine.py`) executes 1.59 x as many instructions without it;
none of the programs of `benchmarks.passes` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .. import ir
from ..ir import ADD_TO, CALL, FOR, GET, PURE_CALL, TUPLE, Block, Builder, Func, Value, is_call, span_of
from ..ir.accumulators import base
from ..ir.callgraph import callees, callees_first, with_parts
from ..ir.types import Ref, Tuple, Type, Unit
from .dead_code import remove_dead_code
from .rewriter import Env, Rewriter

Need = bool | dict[int, Any]  # all, nothing, or what of which items: a `Need` for each
Needs = dict[Any, Need]

ROUNDS = 3  # what one removes may have been all that needed something else


def remove_dead_arguments(funcs: Mapping[str, Func]) -> dict[str, Func]:
    """These functions, over callees that do no more than is needed."""
    made = dict(funcs)
    for _ in range(ROUNDS):
        if not any(callees(f) for f in made.values()):
            break
        program = _Program(list(made.values()))
        if not program.shrinks:
            break
        new = program.written()
        made = {name: new[f] for name, f in made.items()}
    return made


def _add(needs: Needs, key: Any, need: Need) -> None:
    """Add `need` to what is needed of `key`."""
    old = needs.get(key, False)
    if old is True or need is False:
        return
    if need is True:
        needs[key] = True
        return
    if old is False:
        old = needs[key] = {}
    for k, n in need.items():
        if n is True:
            old[k] = True
        else:
            _add(old, k, n)


def _part(t: Type, need: Need) -> Type:
    """The type of the needed part of a `t`."""
    if need is True or t.empty:
        return t
    if not need or not isinstance(t, Tuple):
        return Unit
    return t.of(tuple([_part(x, need.get(k, False)) for k, x in enumerate(t.items)]))


def _whole(t: Type, need: Need) -> bool:
    """True if all of a `t` is needed."""
    if need is True or t.empty:
        return True
    if not need or not isinstance(t, Tuple):
        return False
    return all([_whole(x, need.get(k, False)) for k, x in enumerate(t.items)])


class _Program:
    """Interprocedural liveness: the live parts of the results, parameters and accumulators of all functions."""

    def __init__(self, roots: list[Func]) -> None:
        seen: set[Func] = set()
        self.order: list[Func] = []  # each after what it calls
        for root in roots:
            for f in callees_first(root, lambda g: g not in seen):
                seen.add(f)
                self.order.append(f)
        fixed = {f for f in self.order if not f.has_body}
        self.fixed = {*roots, *fixed, *[g for f in fixed for g in callees(f)]}
        self.result: Needs = {f: f in self.fixed for f in self.order}
        self.refs = {f: set(range(len(f.params)) if f in self.fixed else ()) for f in self.order}  # which are read
        self.params: dict[Func, list[Need]] = {}
        self.shared: set[tuple[Func, int]] = set()  # parameters whose arguments have several readers
        self.live: dict[Func, _Live] = {}
        for f in reversed(self.order):
            if f not in fixed:
                live = self.live[f] = _Live(self, f, counts=True)
                live.shared()
        # a function whose callees need all of their parameters has its answer already
        self.shrinks = any([self.may_shrink(f) for f in self.live])
        for f in self.order if self.shrinks else ():
            if f not in fixed:
                if not all([n is True for g in callees(f) for n in self.params.get(g, ())]):
                    self.live[f] = _Live(self, f)
                if f not in self.fixed:
                    self.params[f] = self.read(f)

    def read(self, f: Func) -> list[Need]:
        """The live part of each parameter of `f`, as its body reads it."""
        needs: list[Need] = [p.type.empty or self.live[f].need.get(p, False) for p in f.params]
        return [bool(n) if (f, k) in self.shared else n for k, n in enumerate(needs)]

    def may_shrink(self, f: Func) -> bool:
        """True if something of a function is not needed."""
        if f in self.fixed:
            return False
        needs = [self.result[f], *self.read(f)]
        return not all(map(_whole, [f.result, *[p.type for p in f.params]], needs))

    def written(self) -> dict[Func, Func]:
        """The functions without their dead parts, by the functions that they replace."""
        made: dict[Func, Func] = {}
        for f in self.order:
            same = all([made[g] is g for g in callees(f)])
            if not f.has_body:
                made[f] = with_parts(f, made)
            elif same and all(map(_whole, [f.result, *[p.type for p in f.params]], [self.result[f], *self.given(f)])):
                made[f] = f
            else:
                made[f] = remove_dead_code(_Remover(self, f, made).function(f))
        return made

    def given(self, f: Func) -> list[Need]:
        """The live part of each parameter of `f`."""
        return self.params[f] if f in self.params else [True] * len(f.params)


class _Live:
    """Liveness within a function: the live part of each value, found backwards, and of what its callees are given."""

    def __init__(self, program: _Program, f: Func, *, counts: bool = False) -> None:
        self.program, self.f, self.counts = program, f, counts
        self.need: Needs = {}
        self.position = {p: k for k, p in enumerate(f.params)}
        self.calls: dict[Value, None] = {}
        self.readers: dict[Value, Value | None] = {}  # of tuples: who reads it; None if several do
        self.mark(f.body.results[0], program.result[f])
        self.code(f.body)

    def shared(self) -> None:
        """Tell which tuples go to several readers: to leave out what one of them does not read is to copy the rest."""
        for v in self.calls:
            for k, a in enumerate(v.args):
                if isinstance(a.type, Tuple) and a.op is not TUPLE and self.readers[a] is None:
                    self.program.shared.add((v.attr, k))

    def mark(self, v: Value, need: Need) -> None:
        if need is True:
            self.need[v] = True
        elif need:
            _add(self.need, v, need)

    def observed(self, ref: Value) -> bool:
        """True if somebody sees what is added to `ref`."""
        ref = base(ref)
        if ref in self.position:
            return self.position[ref] in self.program.refs[self.f]
        return ref in self.need

    def code(self, block: Block) -> None:
        need = self.need
        for v in reversed(block.code):
            op = v.op
            if op.eval is not None and v.type.scalar:  # most are: numbers, made of numbers
                if v in need:
                    for a in v.args:
                        need[a] = True
            elif op is PURE_CALL or op is CALL:
                self.call(v)
            elif op is FOR:
                self.loop(v)
            elif v in need:
                self.reads(v, need[v])
            elif op is ADD_TO and self.observed(v.args[0]):
                need[v] = True
                self.reads(v, True)

    def use(self, v: Value) -> None:
        for a in v.args:
            if isinstance(a.type, Tuple):
                self.readers[a] = v if self.readers.get(a, v) is v else None

    def reads(self, v: Value, need: Need) -> None:
        if self.counts:
            self.use(v)
        if v.op is GET:
            (whole,) = v.args
            known = self.need.get(whole)
            if need is True and isinstance(known, dict):
                known[v.attr] = True
            elif known is not True:
                self.mark(whole, {v.attr: need})
        elif v.op is TUPLE:
            for k, a in enumerate(v.args):
                self.mark(a, need if need is True else need.get(k, False) if need else False)
        else:
            for a in v.args:
                self.mark(a, True)

    def call(self, v: Value) -> None:
        g: Func = v.attr
        seen = [k for k, a in enumerate(v.args) if isinstance(a.type, Ref) and self.observed(a)]
        if v not in self.need and g.pure and not seen:
            return
        need = self.need.setdefault(v, {})
        self.calls[v] = None
        if self.counts:
            self.use(v)
        program = self.program
        _add(program.result, g, need)
        program.refs[g].update(seen)
        for k, (a, n) in enumerate(zip(v.args, program.given(g), strict=True)):
            if not isinstance(a.type, Ref) or k in seen or g in program.fixed:
                self.mark(a, n)

    def loop(self, v: Value) -> None:
        """As in `dead_code.py`: a state is needed after the loop, or in a turn by something that is."""
        block: Block = v.attr
        found = self.need.get(v, {})
        items: dict[int, Need] = dict.fromkeys(found, True) if isinstance(found, dict) else {}
        before, fresh = len(self.need), list(items)
        while True:
            for j in fresh:
                items[j] = True
                self.mark(block.results[j], True)
            self.code(block)
            fresh = [j for j, p in enumerate(block.params[1:]) if p in self.need and j not in items]
            if not fresh:
                break
        if len(self.need) > before or items:
            self.need[v] = items
            if span_of(v) is not None:
                items[0] = True
                self.mark(block.results[0], True)
            for j, a in enumerate(v.args):
                if j in items:
                    self.mark(a, True)


class _Remover(Rewriter):
    """A copy of a function of which less is needed."""

    def __init__(self, program: _Program, f: Func, made: Mapping[Func, Func]) -> None:
        self.program, self.made = program, made
        self.need = program.live[f].need

    def function(self, f: Func) -> Func:
        env: Env = {}
        with ir.building(f.name) as b:
            for p, need in zip(f.params, self.program.given(f), strict=True):
                if need:
                    b.loc = p.loc
                    env[p] = b.param(_part(p.type, need), p.attr)
            self.block(b, f.body, env)
            return b.func(_shaped(b, env.get(f.body.results[0]), f.result, self.program.result[f]))

    def block(self, b: Builder, block: Block, env: Env) -> None:
        for v in block.code:
            if v in self.need:
                b.loc = v.loc
                env[v] = self.instruction(b, v, env)

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        if is_call(v):
            needs = zip(v.args, self.program.given(v.attr), strict=True)
            return b.call(self.made[v.attr], [_shaped(b, env.get(a), a.type, n) for a, n in needs if n])
        if v.op is FOR:
            return self.without_dead_states(b, v, env)
        if v.op is TUPLE:
            t, items = v.type, [env[a] if a in env else b.zero(_part(a.type, False)) for a in v.args]
            assert isinstance(t, Tuple)
            return b.tuple(items, t.of(tuple([x.type for x in items])))
        return super().instruction(b, v, env)

    def without_dead_states(self, b: Builder, v: Value, env: Env) -> Value:
        block: Block = v.attr
        zero: Callable[[Value], Value] = lambda x: env[x] if self.need.get(x) is True else b.zero(x.type)
        args = tuple([zero(a) for a in v.args])
        with b.nested() as body:
            for p in block.params:
                b.loc = p.loc
                env[p] = b.param(p.type, p.attr)
            self.block(b, block, env)
            body.results = tuple([zero(r) for r in block.results])
        return b.emit(FOR, args, body, v.type)


def _shaped(b: Builder, v: Value | None, t: Type, need: Need) -> Value:
    """A value of type `t` rebuilt from its live parts, with unit for the dead ones."""
    if v is None and isinstance(t, Ref):
        return b.accum(b.zero(t.inner))  # which nobody reads: others, who call the same function, do
    if not need or v is None:
        return b.zero(_part(t, False))
    if need is True or not isinstance(t, Tuple) or v.type is _part(t, need):
        return v
    items = [_shaped(b, b.get(v, k) if need.get(k) else None, x, need.get(k, False)) for k, x in enumerate(t.items)]
    return b.tuple(items, t.of(tuple([x.type for x in items])))

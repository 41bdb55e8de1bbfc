"""Interprocedural dead code elimination: results, parameters, and items of states and sums that nobody needs.

What is needed of a value is all of it, or some items of a tuple, or some elements of a vector, told apart by literals.
Callers come first, to say what is needed of a result; then callees, to say what is needed of a parameter; and then the
functions of which less is needed are copied. Items that are not needed are units from then on, and elements zeros. What
others call by its type stays as it is: what is exported, and the sides of a branch or the parts of a while loop that
something else calls as well.

It comes before a derivation, too. What nobody reads has the cotangent 0, and a derivative that is infinite there would
make a nan of it: see `autodiff/select_masks.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from operator import is_
from typing import Any

from .. import ir
from ..ir import (
    ACCUM,
    ADD_TO,
    AT,
    CALL,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    PURE_CALL,
    TUPLE,
    Block,
    Branch,
    Builder,
    Func,
    Value,
    While,
    is_call,
    is_known,
    loop_of,
    span_of,
)
from ..ir.accumulators import base
from ..ir.callgraph import callees, callees_first, make_branch, make_while, operations
from ..ir.sizes import Size
from ..ir.types import Fin, Ref, Tuple, Type, Unit, Vec, items_of
from . import costs
from .dead_code import remove_dead_code
from .instruments import leaves_out, run_all
from .rewriter import Env, Rewriter

Need = bool | dict[int, Any]  # all, nothing, or what of which items: a `Need` for each. It is never changed, but shared
Needs = dict[Any, Need]


def remove_dead_arguments(funcs: Mapping[str, Func], *, derived: bool = False) -> dict[str, Func]:
    """These functions, over callees that do no more than is needed.

    Those that are derived keep what has a rule of its own, and indices: `rose.explain_nan` tells an iteration by one.
    """
    program = _Program(list(funcs.values()), derived)
    if not program.shrinks:
        return dict(funcs)
    made = program.written()
    return {name: made[f] for name, f in funcs.items()}


def without_dead_parts(f: Func) -> Func:
    """`f` as it is derived: without what its result does not need."""
    if leaves_out("live-parts"):
        return f
    if without_dead_parts not in f.memo:
        made = run_all("live-parts", {f.name: f}, lambda funcs: remove_dead_arguments(funcs, derived=True))
        f.memo[without_dead_parts] = made[f.name]
    return f.memo[without_dead_parts]


def _add(needs: Needs, key: Any, need: Need) -> bool:
    """Add `need` to what is needed of `key`. True if more is needed now."""
    old = needs.get(key, False)
    new = _union(old, need)
    if new is not old:
        needs[key] = new
    return new is not old


def _union(old: Need, need: Need) -> Need:
    """What is needed by one or the other; `old` itself if that is no more."""
    if old is need or old is True or need is False:
        return old
    if need is True or old is False:
        return need
    out = old
    for k, n in need.items():
        item = old.get(k, False)
        new = _union(item, n)
        if new is not item:
            if out is old:
                out = {**old}
            out[k] = new
    return out


def _item(need: Need, k: int) -> Need:
    """What is needed of an item."""
    return need.get(k, False) if isinstance(need, dict) else need


def _part(t: Type, need: Need) -> Type:
    """The type of the needed part of a `t`."""
    if need is True or t.empty or (need and isinstance(t, Vec)):
        return t
    if not need or not isinstance(t, Tuple):
        return Unit
    return t.of(tuple([_part(x, need.get(k, False)) for k, x in enumerate(t.items)]))


def _whole(t: Type, need: Need) -> bool:
    """True if all of a `t` is needed."""
    if need is True or t.empty:
        return True
    if not need or not isinstance(t, Tuple | Vec):
        return False
    items = t.items if isinstance(t, Tuple) else () if isinstance(t.size, Size) else (t.elem,) * t.size
    return bool(items) and all([_whole(x, need.get(k, False)) for k, x in enumerate(items)])


class _Simple:
    """The same need, which is not all items one by one; without `elements` it knows none of vectors.

    Large parts of a tape are handed from function to function: each is looked at once.
    """

    def __init__(self, *, elements: bool) -> None:
        self.elements = elements
        self.done: dict[tuple[int, Type], tuple[Need, Need]] = {}  # by identity, of what is kept here

    def __call__(self, t: Type, need: Need) -> Need:
        if not isinstance(need, dict) or not need or t.empty:
            return need
        if not isinstance(t, Tuple):
            return not self.elements or _whole(t, need) or need
        items: Needs = {k: n if n is True else self.item(t.items[k], n) for k, n in need.items()}
        if all([items.get(k) is True or x.empty for k, x in enumerate(t.items)]):
            return True
        return need if all(map(is_, items.values(), need.values())) else items

    def item(self, t: Type, need: Need) -> Need:
        key = (id(need), t)
        if key not in self.done:
            self.done[key] = need, self(t, need)
        return self.done[key][1]


_SHRINKING = {ACCUM, CALL, FOR, PURE_CALL}  # what can do without a part of what it makes, or tell others of that


class _Program:
    """Interprocedural liveness: the live parts of the results, parameters and accumulators of all functions."""

    def __init__(self, roots: list[Func], derived: bool) -> None:
        self.derived = derived
        seen: set[Func] = set()
        self.order: list[Func] = []  # each after what it calls
        for root in roots:
            for f in callees_first(root, lambda g: g not in seen):
                seen.add(f)
                self.order.append(f)
        self.callers: dict[Func, dict[Func, None]] = {f: {} for f in self.order}
        for f in self.order:
            for g in callees(f):
                self.callers[g][f] = None
        self.kept = {f for f in self.order if derived and f.has_rule}
        self.fixed = self._fixed(roots)
        self.result: Needs = {f: f in self.fixed for f in self.order}
        self.refs = {f: set(range(len(f.params)) if f in self.fixed else ()) for f in self.order}  # which are read
        self.params: dict[Func, list[Need]] = {f: [f in self.fixed] * len(f.params) for f in self.order}
        self.states: dict[Func, Needs] = {}  # of while loops
        self.shared: set[tuple[Func, int]] = set()  # parameters whose arguments have several readers
        self.live: dict[Func, _Live] = {}
        self.simple, self.simple_items = _Simple(elements=True), _Simple(elements=False)
        self._settle()
        self.shrinks = any([self.may_shrink(f) for f in self.live])

    def _fixed(self, roots: list[Func]) -> set[Func]:
        """The functions that are called by their types: their results and parameters stay as they are."""
        fixed = {*roots, *self.kept, *[f for f in self.order if f.is_opaque]}
        for f in self.order:
            if f.has_body or f.is_opaque:
                continue
            parts, refs = set(callees(f)), any([isinstance(p.type, Ref) for p in f.params])
            if refs or f in fixed or any([g in fixed or not g.has_body or len(self.callers[g]) > 1 for g in parts]):
                fixed |= {f, *parts}
        return fixed

    def _settle(self) -> None:
        """Begin with nothing, and add what is needed until nothing is missing: a fixpoint.

        Callers hand on what they need of results, callees what they need of parameters. So the functions of which
        something is new are visited downwards and then upwards. What a call needs of its arguments is asked for where
        the call is met: of calls in a row each would otherwise be found by another visit of all of them.
        """
        self.stale = set(self.order)
        self.depth = 0
        self.visits = dict.fromkeys(self.order, 0)
        while self.stale:
            for order in (reversed(self.order), self.order):
                for f in order:
                    if f in self.stale:
                        self._visit(f)

    def ask(self, f: Func) -> list[Need]:
        """What is needed of the parameters of `f`, as far as it is known."""
        if f in self.stale and self.depth < costs.DEMANDED_DEPTH and self.visits[f] < costs.DEMANDED_VISITS:
            self.depth += 1
            self._visit(f)
            self.depth -= 1
        return self.params[f]

    def _visit(self, f: Func) -> None:
        self.stale.discard(f)
        self.visits[f] += 1
        if f in self.fixed and operations(f).isdisjoint(_SHRINKING):
            return
        if f.has_body:
            live = self.live[f] = _Live(self, f)
            live.code(f.body)
            live.shared()
            needs = self.read(f)
        elif f in self.fixed:
            return
        else:
            self._hand_down(f)
            for g in callees(f):
                self.ask(g)
            needs = self._handed_up(f)
        if f not in self.fixed and needs != self.params[f]:
            self.params[f] = needs
            self.stale.update([g for g in self.callers[f] if g not in self.live or f in self.live[g].asked])

    def use_result(self, f: Func, need: Need) -> None:
        """More may be needed of what `f` gives."""
        if self.result[f] is not True and _add(self.result, f, self.simple(f.result, need)):
            self.stale.add(f)

    def _hand_down(self, f: Func) -> None:
        """What is needed of a branch is needed of both sides; of a while loop, after it or in an iteration."""
        if isinstance(f.kind, Branch):
            for g in callees(f):
                self.use_result(g, self.result[f])
        elif isinstance(f.kind, While) and self.result[f] is not False:
            need = self.states.setdefault(f, {})
            for k in range(len(items_of(f.result))):
                _add(need, k, _item(self.result[f], k) or True)  # one that nobody needs keeps its place
            self.use_result(f.kind.test, True)
            self.use_result(f.kind.body, {**need})

    def _handed_up(self, f: Func) -> list[Need]:
        """The live part of each parameter of a branch or a while loop: what one or the other part of it reads."""
        first = isinstance(f.kind, Branch)
        needs = [reduce(_union, ns) for ns in zip(*[self.params[g] for g in callees(f)], strict=True)]
        states = self.states.get(f, {})
        for k in range(len(needs)):
            if k not in states:
                needs[k] = bool(needs[k]) if (f, first + k) in self.shared else needs[k]
            elif isinstance(f.kind, While):
                _add(states, k, needs[k])
                self.use_result(f.kind.body, {**states})
                needs[k] = states[k]
        for g in callees(f):
            self.params[g] = needs
        return [True, *needs] if first else needs

    def read(self, f: Func) -> list[Need]:
        """The live part of each parameter of `f`, as its body reads it."""
        live: Callable[[Value], Need] = lambda p: (self.derived and isinstance(p.type, Fin)) or self.live[f].known(p)
        needs: list[Need] = [p.type.empty or self.simple_items(p.type, live(p)) for p in f.params]
        return [bool(n) if (f, k) in self.shared else n for k, n in enumerate(needs)]

    def may_shrink(self, f: Func) -> bool:
        """True if something of a function is not needed."""
        if self.live[f].shrinks():
            return True
        if f in self.fixed:
            return False
        needs = [self.result[f], *self.read(f)]
        return not all(map(_whole, [f.result, *[p.type for p in f.params]], needs))

    def written(self) -> dict[Func, Func]:
        """The functions without their dead parts, by the functions that they replace."""
        made: dict[Func, Func] = {}
        for f in self.order:
            same = all([made[g] is g for g in callees(f)])
            if f in self.kept:
                made[f] = f
            elif not f.has_body:
                made[f] = f if same or self.result[f] is False else _rebuilt(f, made)
            elif same and (f not in self.live or (not self.live[f].shrinks() and self._is_whole(f))):
                made[f] = f
            else:
                made[f] = remove_dead_code(_Remover(self, f, made).function(f))
                made[f].marks = replace(f.marks, jvp=None, primal=None)  # these take what it took
        return made

    def _is_whole(self, f: Func) -> bool:
        needs = [self.result[f], *self.params[f]]
        return all(map(_whole, [f.result, *[p.type for p in f.params]], needs))


def _rebuilt(f: Func, made: Mapping[Func, Func]) -> Func:
    """A branch or a while loop over what was made of its parts, which may take and give less."""
    match f.kind:
        case Branch(then, otherwise):
            return make_branch(f.name, made[then], made[otherwise], origin=f.origin)
        case While(test, body, most):
            return make_while(f.name, made[test], made[body], most, origin=f.origin)
        case _:
            raise AssertionError(f)


class _Live:
    """Liveness within a function: the live part of each value, found backwards, and of what its callees are given."""

    def __init__(self, program: _Program, f: Func) -> None:
        self.program, self.f = program, f
        self.need: Needs = {}
        self.position = {p: k for k, p in enumerate(f.params)}
        self.calls: dict[Value, None] = {}
        self.readers: dict[Value, Value | None] = {}  # of tuples: who reads it; None if several do
        self.asked: set[Func] = set()  # the functions whose parameters it knows
        self.mark(f.body.results[0], program.result[f])

    def shared(self) -> None:
        """Tell which tuples go to several readers: to leave out what one of them does not read is to copy the rest."""
        for v in self.calls:
            for k, a in enumerate(v.args):
                key = (v.attr, k)
                if isinstance(a.type, Tuple) and a.op is not TUPLE and self.readers[a] is None:
                    if key not in self.program.shared:
                        self.program.shared.add(key)
                        self.program.stale.add(v.attr)

    def mark(self, v: Value, need: Need) -> None:
        """Add to what is needed of `v`, which has a mapping of its own: one item after another is added to it."""
        known = self.need.get(v)
        if need is True:
            self.need[v] = True
        elif need and known is None:
            self.need[v] = {**need}
        elif need and isinstance(known, dict):
            for k, n in need.items():
                _add(known, k, n)

    def known(self, v: Value) -> Need:
        """What is needed of `v` so far, to hand on."""
        need = self.need.get(v, False)
        return {**need} if isinstance(need, dict) else need

    def observed(self, ref: Value) -> Need:
        """What somebody sees of what is added to `ref`."""
        if ref.op is not AT:
            known = self.position.get(ref)
            return self.need.get(ref, False) if known is None else known in self.program.refs[self.f]
        need = self.observed(ref.args[0])
        if len(ref.args) == 1:
            return _item(need, ref.attr)
        return _item(need, ref.args[1].attr) if is_known(ref.args[1]) else bool(need)

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
            elif op is ADD_TO and (seen := self.observed(v.args[0])):
                need[v] = True
                self.mark(v.args[1], seen)
                if v.args[0].op is not ACCUM:
                    need[v.args[0]] = True

    def use(self, v: Value) -> None:
        for a in v.args:
            if isinstance(a.type, Tuple):
                self.readers[a] = v if self.readers.get(a, v) is v else None

    def reads(self, v: Value, need: Need) -> None:
        self.use(v)
        if v.op is GET:
            (whole,) = v.args
            known = self.need.get(whole)
            if need is True and isinstance(known, dict):
                known[v.attr] = True
            elif known is not True:
                self.mark(whole, {v.attr: self.known(v)})
        elif v.op is TUPLE or v.op is PACK:
            for k, a in enumerate(v.args):
                self.mark(a, _item(need, k))
        elif v.op is INDEX and is_known(v.args[1]):
            self.mark(v.args[0], {v.args[1].attr: True})
            self.need[v.args[1]] = True
        elif v.op is ACCUM or (v.op is FREEZE and v.args[0].op is ACCUM):
            self.mark(v.args[0], need)
        elif v.op is AT:
            for a in v.args:
                if a.op is not ACCUM:
                    self.need[a] = True
        else:
            for a in v.args:
                self.mark(a, True)
                if isinstance(a.type, Ref):
                    self.mark(base(a), True)

    def shrinks(self) -> bool:
        """True if of a state or a sum of the function some parts are not needed."""
        for v, need in self.need.items():
            if v.op is ACCUM and not _whole(v.args[0].type, need):
                return True
            if v.op is FOR and isinstance(need, dict):
                states: Needs = need
                for j, a in enumerate(v.args):
                    if (n := states.get(j)) and not _whole(a.type, n):
                        return True
        return False

    def call(self, v: Value) -> None:
        g: Func = v.attr
        seen = [k for k, a in enumerate(v.args) if isinstance(a.type, Ref) and self.observed(a)]
        if v not in self.need and g.pure and not seen:
            return
        self.need.setdefault(v, {})
        self.calls[v] = None
        self.use(v)
        program = self.program
        program.use_result(g, self.known(v))
        if not program.refs[g].issuperset(seen):
            program.refs[g].update(seen)
            program.stale.add(g)
        params = program.ask(g)
        self.asked.add(g)
        for k, (a, n) in enumerate(zip(v.args, params, strict=True)):
            if not isinstance(a.type, Ref) or k in seen or g in program.fixed:
                self.mark(a, n)
                if isinstance(a.type, Ref) and n:
                    self.mark(base(a), True)

    def loop(self, v: Value) -> None:
        """As in `dead_code.py`: a part of a state is needed after the loop, or in an iteration by something that is."""
        block = loop_of(v)
        found = self.need.get(v, {})
        items: Needs = {}
        for j, n in found.items() if isinstance(found, dict) else ():
            items[j] = n if j < block.carried else True
        before, fresh = len(self.need), list(items)
        while True:
            for j in fresh:
                self.mark(block.results[j], items[j])
            self.code(block)
            fresh = [j for j, p in enumerate(block.states) if _add(items, j, self.known(p))]
            if not fresh:
                break
        if len(self.need) > before or items:
            self.need[v] = items
            if span_of(v) is not None:
                items[0] = True
                self.mark(block.results[0], True)
            for j, a in enumerate(v.args):
                self.mark(a, items.get(j, False))


class _Remover(Rewriter):
    """A copy of a function of which less is needed."""

    def __init__(self, program: _Program, f: Func, made: Mapping[Func, Func]) -> None:
        self.program, self.f, self.made = program, f, made
        self.need = program.live[f].need

    def function(self, f: Func) -> Func:
        env: Env = {}
        with ir.copying(f) as b:
            for p, need in zip(f.params, self.program.params[f], strict=True):
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
            needs = zip(v.args, self.program.params[v.attr], strict=True)
            return b.call(self.made[v.attr], [_shaped(b, env.get(a), a.type, n) for a, n in needs if n])
        if v.op is FOR:
            return self.over_needed(b, v, env)
        if v.op is TUPLE:
            t, items = v.type, [env[a] if a in env else b.zero(_part(a.type, False)) for a in v.args]
            assert isinstance(t, Tuple)
            return b.tuple(items, t.of(tuple([x.type for x in items])))
        if v.op is PACK:
            return b.again(v, tuple([env[a] if a in env else b.zero(a.type) for a in v.args]))
        if v.op in (ACCUM, AT, FREEZE, ADD_TO):
            return self.of_sum(b, v, env)
        return super().instruction(b, v, env)

    def of_sum(self, b: Builder, v: Value, env: Env) -> Value:
        """An instruction on an accumulator, which has the type of what is needed of it."""
        x = v.args[0]
        if v.op is ACCUM:
            return b.accum(_shaped(b, env.get(x), x.type, self.need[v]))
        if v.op is AT:
            return b.at(env[x], v.attr if len(v.args) == 1 else env[v.args[1]])
        if v.op is FREEZE:
            return b.freeze(env[x])
        ref, added = env[x], v.args[1]
        assert isinstance(ref.type, Ref)
        seen = self.program.live[self.f].observed(x)
        b.add_to(ref, _shaped(b, env.get(added), added.type, seen))
        return b.unit()

    def over_needed(self, b: Builder, v: Value, env: Env) -> Value:
        """A loop over the needed parts of its states. One that is not needed at all is a zero, which costs nothing."""
        block, needs, t = v.attr, self.need[v], v.type
        assert isinstance(needs, dict) and isinstance(t, Tuple)
        part: Callable[[Type, int], Type] = lambda t, j: _part(t, needs.get(j, False) or True)

        def made(b: Builder, x: Value, j: int) -> Value:
            return _shaped(b, env.get(x), x.type, needs[j]) if needs.get(j) else b.zero(x.type)

        args = tuple([made(b, a, j) for j, a in enumerate(v.args)])
        with b.nested() as body:
            for j, p in enumerate(block.params, -1):
                b.loc = p.loc
                env[p] = b.param(part(p.type, j), p.attr)
            self.block(b, block, env)
            body.results = tuple([made(b, r, j) for j, r in enumerate(block.results)])
        return b.emit(FOR, args, body, t.of(tuple([part(x, j) for j, x in enumerate(t.items)])))


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

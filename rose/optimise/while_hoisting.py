"""Loop-invariant code motion out of while loops: what each iteration makes anew of what stays the same is made before.

The parts of a loop are functions, so what they make early becomes a parameter of the loop. Only what cannot trap or
run without end is made early, as the body may never run.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import ir
from ..ir import CONST, ZERO, Builder, Func, Value, While
from ..ir.callgraph import make_while
from ..ir.types import items_of
from . import costs
from .dead_code import remove_dead_code
from .hoisting import moves
from .invariants import Reads
from .rewriter import Env, Rewriter
from .state_splitting import same_params


def hoist(f: Func) -> Func:
    """A while loop as a function that calls one which is given what stays the same; itself, if nothing does."""
    assert isinstance(f.kind, While)
    test, body, most = f.kind.test, f.kind.body, f.kind.most
    states = len(items_of(f.result))
    found = {g: _invariants(g, states) for g in (test, body)}
    if not any(found.values()):
        return f
    with ir.copying(f) as b:
        params = same_params(b, f)
        early = {g: _made(b, g, params, found[g]) for g in found}
        more = list(dict.fromkeys([x for made in early.values() for x in made.values()]))
        test, body = [_given(g, more, early[g]) for g in (test, body)]
        b.loc = f.loc
        return b.func(b.call(make_while(f.name, test, body, most, origin=f.origin), [*params, *more]))


def _invariants(g: Func, states: int) -> dict[Value, None]:
    """What a part of a loop makes of what stays the same, and reads in making something else."""
    if not g.has_body:
        return {}
    same = dict.fromkeys(g.params[states:], 0)  # -> what it costs to make it
    for v in g.body.code:
        if v.op is CONST or v.op is ZERO:
            same[v] = 0
        elif v.args and moves(v, v.args) and all([a in same for a in v.args]):
            same[v] = max(v.op.cost, v.op.name == "index") + sum([same[a] for a in dict.fromkeys(v.args)])
    reads = Reads()
    read = [a for v in g.body.code if v not in same for a in reads[v]]
    read += g.body.results
    wanted = [v for v in dict.fromkeys(read) if same.get(v) and v.type.scalar]
    if len(wanted) > costs.WHILE_KEPT_NUMBERS:
        wanted = [v for v in wanted if same[v] >= costs.WHILE_KEPT_COST]
        wanted = sorted(wanted, key=lambda v: -same[v])[: costs.WHILE_KEPT_NUMBERS]
    return dict.fromkeys(wanted)


def _made(b: Builder, g: Func, params: list[Value], wanted: Mapping[Value, None]) -> Env:
    """The values before the loop of what a part wants."""
    env: Env = dict(zip(g.params, params, strict=True))
    needed = set(wanted)
    for v in reversed(g.body.code):
        if v in needed:
            needed.update(v.args)
    copier = _Copier()
    for v in g.body.code:
        if v in needed:
            b.loc = v.loc
            env[v] = copier.instruction(b, v, env)
    return {v: env[v] for v in wanted}


class _Copier(Rewriter):
    """Copies instructions, each once."""

    def plain(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        return b.get(args[0], v.attr) if v.op is ir.GET else b.emit(v.op, args, v.attr, v.type)


def _given(g: Func, more: list[Value], early: Env) -> Func:
    """A part of the loop that is given values which it made itself."""
    with ir.copying(g) as b:
        args = same_params(b, g)
        given = {x: b.param(x.type) for x in more}
        if not g.has_body:
            return b.func(b.call(g, args))
        env: Env = dict(zip(g.params, args, strict=True))
        _Given({v: given[x] for v, x in early.items()}).block(b, g.body, env)
        return remove_dead_code(b.func(env[g.body.results[0]]))


class _Given(Rewriter):
    """A copy in which some values are given."""

    def __init__(self, given: Env) -> None:
        self.given = given

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        return self.given[v] if v in self.given else super().instruction(b, v, env)

"""Loop-invariant code motion out of while loops: what each iteration makes anew of what stays the same is made before.

The parts of a loop are functions, so what they make early becomes a parameter of the loop. Only what cannot trap or
run without end is made early, as the body may never run.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import ir
from ..ir import INDEX, Func, Value, While
from ..ir.callgraph import declared, make_while
from ..ir.types import items_of
from . import costs
from .dead_code import remove_dead_code
from .invariants import Invariants, Reads, moves, own_cost
from .rewriter import Env, Simplifier
from .staging import early, late


def hoist(f: Func) -> Func:
    """A while loop as a function that calls one which is given what stays the same; itself, if nothing does."""
    assert isinstance(f.kind, While)
    states = len(items_of(f.result))
    found = {g: _Invariants(g.body, {*g.params[:states]}, Reads()) for g in (f.kind.test, f.kind.body)}
    wanted = {g: x.wanted() for g, x in found.items()}
    if not any(wanted.values()):
        return f
    with ir.copying(f) as b:
        params = declared(b, f.params)
        made = {g: early(b, Simplifier({}, {}), x, wanted[g], params) for g, x in found.items()}
        more = dict.fromkeys([x for env in made.values() for x in env.values()])
        test, body = [_given(g, more, env) for g, env in made.items()]
        b.loc = f.loc
        return b.func(b.call(make_while(f.name, test, body, f.kind.most, origin=f.origin), [*params, *more]))


class _Invariants(Invariants):
    """What a part of a loop makes of what stays the same."""

    def stays(self, v: Value) -> bool:
        return moves(v, v.args) and all([self.is_same(a) for a in v.args])

    def touches(self, v: Value) -> dict[Value, None]:
        return {}  # no accumulator moves

    def own_cost(self, v: Value) -> int:
        return own_cost(v) + (v.op is INDEX)

    def wanted(self) -> list[Value]:
        """The numbers that are worth a parameter."""
        wanted = [v for v in self.read() if self.cost.get(v) and v.type.scalar]
        if len(wanted) > costs.WHILE_KEPT_NUMBERS:
            wanted = [v for v in wanted if self.cost[v] >= costs.WHILE_KEPT_COST]
            wanted = sorted(wanted, key=lambda v: -self.cost[v])[: costs.WHILE_KEPT_NUMBERS]
        return wanted


def _given(g: Func, more: Iterable[Value], made: Env) -> Func:
    """A part of the loop that is given what both parts make of what stays the same."""
    with ir.copying(g) as b:
        args = declared(b, g.params)
        given: Env = {x: b.param(x.type) for x in more}
        return remove_dead_code(b.func(late(b, g, {v: given[x] for v, x in made.items()}, args)))

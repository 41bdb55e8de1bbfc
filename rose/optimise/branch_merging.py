"""Branch merging: two branches that one condition decides are one, and what the first hands to the second stays in it.

A `cond` in a sum is a branch in each half of the derivative, with the same condition: what the forward half found out
is handed to the backward half in registers of the side that is taken, and the other side makes no numbers for it. A
branch also decides the next one if one of its sides gives the mark -0.0 (`autodiff/select_masks.py`), and the next one
asks whether a number is reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from .. import ir
from ..ir import (
    ADD_TO,
    AT,
    FOR,
    GET,
    PURE_CALL,
    Block,
    Branch,
    Builder,
    Func,
    Value,
    callee,
    is_call,
    is_literal,
    loop_of,
)
from ..ir.accumulators import base, is_ref, may_alias
from ..ir.callgraph import declared, inventory, make_branch
from ..ir.ops import reached
from ..ir.types import Bool
from . import costs
from .dead_code import remove_dead_code
from .invariants import Reads
from .rewriter import Env, Rewriter, Simplifier


def merge_branches(f: Func) -> Func:
    """`f` with one branch in the place of two that one condition decides."""
    while sum([isinstance(callee(v).kind, Branch) for v in inventory(f).calls]) > 1:
        plans = {block: plan for block in _blocks(f.body) if (plan := _plan(block)) is not None}
        if not plans:
            break
        f = remove_dead_code(_Merger(f.name, plans).function(f))
    return f


def _blocks(block: Block) -> Iterator[Block]:
    todo = [block]
    for b in todo:
        yield b
        todo += [loop_of(v) for v in b.code if v.op is FOR]


class _Plan(NamedTuple):
    """Two calls of branches, and what lies between them."""

    first: Value
    second: Value
    handed: dict[Value, None]  # what the second one reads of the first, in order
    late: dict[Value, None]  # what else needs the first
    outputs: list[Value]


def _plan(block: Block) -> _Plan | None:
    """The first two branches of a block that can be one."""
    calls = [v for v in block.code if is_call(v) and isinstance(callee(v).kind, Branch)]
    for first, second in pairwise(calls):
        if _decides(first, second) and (plan := _between(block, first, second)) is not None:
            return plan
    return None


def _decides(first: Value, second: Value) -> bool:
    """True if the side of the first branch says which side of the second is taken, at least on one of them."""
    if first.op is not PURE_CALL or not callee(first).pure:
        return False  # it waits for the second
    c = second.args[0]
    return c is first.args[0] or (c.op is reached and any([_marks(s, first, c.args[0]) for s in _sides(first)]))


def _sides(call: Value) -> tuple[Func, Func]:
    kind = callee(call).kind
    assert isinstance(kind, Branch)
    return kind.then, kind.otherwise


def _marks(side: Func, call: Value, x: Value) -> bool:
    """True if a side of a branch gives the mark -0.0 for `x`, its result or a part of it."""
    if not side.has_body:
        return False
    r = side.body.results[0]
    if x.op is GET and x.args[0] is call and r.op is ir.TUPLE:
        k: int = x.attr
        r, x = r.args[k], call
    return x is call and is_literal(r, -0.0)


def _between(block: Block, first: Value, second: Value) -> _Plan | None:
    """What lies between two branches; None if something is in the way."""
    code, reads = block.code, Reads()
    start, end = [next(k for k, v in enumerate(code) if v is x) for x in (first, second)]
    late: dict[Value, None] = {}
    for v in code[start + 1 : end]:
        if any([a is first or a in late for a in reads[v]]):
            late[v] = None
    needed, handed = set(second.args), set[Value]()
    for v in reversed(late):
        if v in needed or _is_of(v, first):
            handed.add(v)
            needed.update(v.args)
    inside = {v: None for v in late if v in handed}
    late = {v: None for v in late if v not in handed}
    pure = all([v.op.effect is None and v.type.scalar for v in inside]) and len(inside) <= costs.MERGED_INSTRUCTIONS
    if not pure or not _may_wait(late, [v for v in code[start + 1 : end + 1] if v not in late], reads):
        return None
    read = {a for v in (*late, *code[end + 1 :]) for a in reads[v]} | set(block.results)
    given = [first, *inside, second, *[v for v in code[end + 1 :] if _is_of(v, first, second)]]
    outputs = [v for v in given if v in read and v.type.scalar]
    whole = {v for v in (first, second) if v in read and not v.type.scalar and not v.type.empty}
    read_whole = [v for v in (*late, *code[end + 1 :]) for a in reads[v] if a in whole and v.op is not GET]
    if read_whole or any([r in whole for r in block.results]) or len(outputs) > costs.BRANCH_RESULTS:
        return None
    if any([v.op is GET and not v.type.scalar for v in given]):
        return None
    return _Plan(first, second, inside, late, outputs)


def _is_of(v: Value, *calls: Value) -> bool:
    """True for a part of what a call gives."""
    return v.op is GET and any([v.args[0] is call for call in calls])


def _may_wait(late: Iterable[Value], others: Iterable[Value], reads: Reads) -> bool:
    """True if some instructions can come after others: what they add to, these do not touch."""
    acts = [v for v in late if v.op.effect is not None]
    if not all([v.op is ADD_TO for v in acts]):
        return False
    touched = {base(a) for v in others if v.op is not AT for a in reads[v] if is_ref(a)}
    return not may_alias({base(v.args[0]) for v in acts}, touched)


class _Merger(Rewriter):
    """A copy of a function with one branch in the place of two."""

    def __init__(self, name: str, plans: dict[Block, _Plan]) -> None:
        self.name, self.plans = name, plans

    def block(self, b: Builder, block: Block, env: Env) -> None:
        plan = self.plans.get(block)
        if plan is None:
            super().block(b, block, env)
            return
        gone = {plan.first, *plan.handed, *plan.late, *plan.outputs}
        for v in block.code:
            if v is plan.second:
                b.loc = v.loc
                self.merged(b, plan, env)
                self.write(b, plan.late, env)
            elif v not in gone:
                self.write(b, [v], env)

    def merged(self, b: Builder, plan: _Plan, env: Env) -> None:
        first, second = plan.first, plan.second
        own = {first, *plan.handed}
        read = [*first.args[1:], *second.args, *[a for v in plan.handed for a in v.args]]
        inputs = [a for a in dict.fromkeys(read) if a not in own and a.op is not ir.CONST and a is not first.args[0]]
        sides = [self.side(plan, inputs, holds) for holds in (True, False)]
        made = make_branch(f"{self.name}.merged", *sides)
        out = b.call(made, [env[first.args[0]], *[env[a] for a in inputs]])
        for k, v in enumerate(plan.outputs):
            env[v] = out if len(plan.outputs) == 1 else b.get(out, k)
        if not any([v is second for v in plan.outputs]):
            env[second] = b.unit()

    def side(self, plan: _Plan, inputs: list[Value], holds: bool) -> Func:
        first, second = plan.first, plan.second
        copier = Simplifier({}, {})
        with ir.building(f"{self.name}.{'then' if holds else 'otherwise'}") as b:
            env: Env = dict(zip(inputs, declared(b, inputs), strict=True))
            env[first.args[0]] = b.const(holds, Bool)
            self.literals(b, (first, second, *plan.handed), env)
            b.loc = first.loc
            env[first] = self.called(b, copier, _sides(first)[0 if holds else 1], [env[a] for a in first.args[1:]])
            copier.write(b, plan.handed, env)
            b.loc = second.loc
            c, *args = [env[a] for a in second.args]
            if c.op is ir.CONST:
                env[second] = self.called(b, copier, _sides(second)[0 if c.attr else 1], args)
            else:
                env[second] = b.call(callee(second), [c, *args])
            out = [b.get(env[v.args[0]], v.attr) if _is_of(v, first, second) else env[v] for v in plan.outputs]
            return remove_dead_code(b.func(out[0] if len(out) == 1 else b.tuple(out)))

    def literals(self, b: Builder, code: Iterable[Value], env: Env) -> None:
        for v in code:
            for a in v.args:
                if a.op is ir.CONST:
                    env[a] = b.const(a.attr, a.type)

    def called(self, b: Builder, copier: Simplifier, f: Func, args: list[Value]) -> Value:
        """The result of a side, whose instructions are written here if it has any."""
        return copier.inlined(b, f, tuple(args)) if f.has_body else b.call(f, args)

"""Staging: a function is split into what follows from some of its arguments, and the rest, which is given that.

A loop that calls a function with some arguments the same in each iteration calls the early stage before, and the late
one in each iteration. What is cheap is computed again. Of a branch on a condition that is the same, each side is split.
Measured: without it the gradient of a kernel that calls another, in a double sum, executes 3.6 x as many operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from .. import ir
from ..ir import FOR, Block, Branch, Builder, Func, Origin, Value, is_call
from ..ir.accumulators import is_ref
from ..ir.callgraph import Work, declared, make_branch
from ..ir.types import items_of
from . import costs
from .dead_code import remove_dead_code
from .instruments import leaves_out, told
from .invariants import Invariants, Reads
from .loop_distribution import distribute, inner_loops
from .rewriter import Env, Rewriter

Same = tuple[bool, ...]  # for each parameter, whether it is the same


class Staged(NamedTuple):
    """A function in two stages. Each takes some of its parameters; the late one then what the early one makes."""

    early: Func
    early_params: tuple[int, ...]
    late: Func
    late_params: tuple[int, ...]

    def begin(self, b: Builder, args: Sequence[Value]) -> list[Value]:
        """Call the early stage, for these arguments of the function: the arguments of the late one."""
        made = b.call(self.early, [args[k] for k in self.early_params])
        items = [b.get(made, k) for k in range(len(items_of(made.type)))]
        return [*[args[k] for k in self.late_params], *items]


Stages = Callable[[Func, Same], Work[Staged | None]]


def staged(g: Func, same: Same) -> Work[Staged | None]:
    """`g` in two stages for the parameters that are the `same`; None if that is not worth it."""
    key = (staged, same, leaves_out("distribute"))
    if key not in g.memo:
        g.memo[key] = yield from _staged(g, same)
        for stage in g.memo[key] or ():
            if isinstance(stage, Func):
                told("stage", stage)
    return g.memo[key]


def _staged(g: Func, same: Same) -> Work[Staged | None]:
    is_library = g.origin is not None and g.origin.by == "library"
    if g.jvp is not None or g.remat or is_library or not any(same):
        return None
    if isinstance(g.kind, Branch):
        return (yield from _branch(g, g.kind, same)) if same[0] else None
    return (yield from _body(g, same)) if g.has_body else None


def _body(g: Func, same: Same) -> Work[Staged | None]:
    found = _invariants(g.body, same)
    split = yield from calls_to_split(found, staged)
    if split or any([v.op is FOR and v not in found.cost for v in g.body.code]):
        g = remove_dead_code(_Split(split, same).function(g))
        found = _invariants(g.body, same)
    items = found.handed_on(costs.STAGED_COST)
    if not items:
        return None
    return Staged(*_early_stage(g, found, items), *_late_stage(g, items))


def calls_to_split(found: Invariants, stages: Stages) -> Work[dict[Value, Staged]]:
    """The calls of a block, and of the loops in it, of which some arguments are the same, each with its stages."""
    split: dict[Value, Staged] = {}
    for v in found.block.code:
        if is_call(v) and v not in found.cost:
            of = yield stages(v.attr, tuple([found.is_same(a) and not is_ref(a) for a in v.args]))
            if of is not None:
                split[v] = of
    for _, inner, _ in inner_loops(found):
        split |= yield from calls_to_split(inner, stages)
    return split


def _invariants(block: Block, same: Same) -> Invariants:
    return Invariants(block, {p for p, s in zip(block.params, same, strict=True) if not s}, Reads())


class _Split(Rewriter):
    """A copy in which some calls are split, and loops distributed."""

    def __init__(self, split: dict[Value, Staged], same: Same) -> None:
        self.split, self.same = split, same

    def call(self, b: Builder, v: Value, args: tuple[Value, ...]) -> Value:
        of = self.split.get(v)
        return super().call(b, v, args) if of is None else b.call(of.late, of.begin(b, args))

    def result(self, b: Builder, v: Value, env: Env) -> Value:
        distribute(b, _invariants(b.root, self.same))
        return env[v]


Stage = tuple[Func, tuple[int, ...]]  # with the positions of the parameters of the function that it takes


def _early_stage(g: Func, found: Invariants, items: Sequence[Value]) -> Stage:
    with ir.building(f"{g.name}.early", Origin("piece", g)) as b:
        made = early(b, Rewriter(), found, items, declared(b, g.params))
        return _with_what_is_read(b.func(b.tuple([*made.values()])), len(g.params))


def _late_stage(g: Func, items: Sequence[Value]) -> Stage:
    with ir.building(f"{g.name}.late", Origin("piece", g)) as b:
        args = declared(b, g.params)
        y = late(b, g, dict(zip(items, declared(b, items), strict=True)), args)
        return _with_what_is_read(remove_dead_code(b.func(y)), len(g.params))


def _with_what_is_read(made: Func, count: int) -> Stage:
    """A stage without those of its first parameters that it does not read."""
    reads = Reads()
    read = {a for v in made.body.code for a in reads[v]} | {*made.body.results}
    taken = [k for k, p in enumerate(made.params[:count]) if p in read]
    made.body.params[:] = [*[made.params[k] for k in taken], *made.params[count:]]
    return made, tuple(taken)


def early(b: Builder, copier: Rewriter, found: Invariants, items: Iterable[Value], args: Sequence[Value]) -> Env:
    """Some values of a function that are the same, made of its arguments."""
    env: Env = dict(zip(found.block.params, args, strict=True))
    copier.write(b, found.needed(items), env)
    return {v: env[v] for v in items}


def late(b: Builder, g: Func, given: Env, args: Sequence[Value]) -> Value:
    """The result of `g`, without making those of its values that are given."""
    if not g.has_body:
        return b.call(g, args)
    env: Env = dict(zip(g.params, args, strict=True))
    _Rest(given).block(b, g.body, env)
    return env[g.body.results[0]]


class _Rest(Rewriter):
    """A copy without what is given."""

    def __init__(self, given: Env) -> None:
        self.given = given

    def instruction(self, b: Builder, v: Value, env: Env) -> Value:
        return self.given[v] if v in self.given else super().instruction(b, v, env)


def _branch(g: Func, kind: Branch, same: Same) -> Work[Staged | None]:
    """Both stages are branches; the early one makes what either side is given."""
    sides = kind.then, kind.otherwise
    found: list[Staged | None] = [(yield staged(sides[0], same[1:])), (yield staged(sides[1], same[1:]))]
    if not any([s is not None for s in found]):
        return None
    params = sorted({k for s in found if s is not None for k in s.early_params})
    early, late = (
        [_early_side(g, k, found, params) for k in range(2)],
        [_late_side(g, k, h, found) for k, h in enumerate(sides)],
    )
    made = [make_branch(x.name, x, y, origin=Origin("piece", g)) for x, y in (early, late)]
    return Staged(made[0], (0, *[k + 1 for k in params]), made[1], tuple(range(len(g.params))))


def _early_side(g: Func, side: int, found: Sequence[Staged | None], params: Sequence[int]) -> Func:
    """The early stage of a side, with zeros for what the other makes."""
    with ir.building(f"{g.name}.early", Origin("piece", g)) as b:
        _, *own = g.params  # the first is the condition
        args = dict(zip(params, declared(b, [own[k] for k in params]), strict=True))
        items: list[Value] = []
        for k, s in enumerate(found):
            types = items_of(s.early.result) if s is not None else ()
            if s is not None and k == side:
                made = b.call(s.early, [args[j] for j in s.early_params])
                items += [b.get(made, j) for j in range(len(types))]
            else:
                items += [b.zero(t) for t in types]
        return b.func(b.tuple(items))


def _late_side(g: Func, side: int, whole: Func, found: Sequence[Staged | None]) -> Func:
    """The late stage of a side, which takes all that either is given."""
    with ir.building(f"{g.name}.late", Origin("piece", g)) as b:
        _, *own = g.params
        args = declared(b, own)
        items = [[b.param(t) for t in items_of(s.early.result)] if s is not None else [] for s in found]
        s = found[side]
        if s is None:
            return b.func(b.call(whole, args))
        return b.func(b.call(s.late, [*[args[k] for k in s.late_params], *items[side]]))

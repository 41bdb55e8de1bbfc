"""Reverse if-conversion: several selects with one condition become a branch, and what one side alone reads goes there.

An engine jumps for each `select` of two numbers, and both are computed before. A branch jumps once, and computes one of
them; what follows from the condition (the masks of the other side, an order that excludes a tie) is known in it.

The region of a branch is what depends on the selects that a condition decides, as far as another of them depends on
it in turn. It is pure, so no effect moves past another, and each side does what it did, in order: the bits are the
same. What both sides read is computed before. Measured: both sides of a choice in a double sum took 2.0 x as long
without it, and a maximum of pairs 1.5 x.

Loops that could be vectorised get branches too, and stay scalar: two lanes halve the time at most, and a branch that is
seldom taken saves more. Measured in the place of both sides in two lanes: a network with `max(x, 0)` takes 0.7 of the
time, pairs with a cut-off 0.5, a root and a quotient that few iterations need 0.3; the losses of Huber take 1.25.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .. import ir
from ..ir import ADD_TO, AT, CALL, FOR, PARAM, Block, Builder, Func, Value
from ..ir.accumulators import base, begins_at_zero, is_ref
from ..ir.callgraph import declared, make_branch, operations
from ..ir.ops import and_, eq, idiv, imod, le, lt, mul, ne, neg, not_, or_, select
from ..ir.sizes import Size
from ..ir.types import Bool, Real
from . import costs
from .dead_code import remove_dead_code
from .invariants import Reads, own_cost
from .rewriter import Env, Rewriter, Simplifier

Span = tuple[int, int]  # positions in a block
Sides = Mapping[bool, "Facts"]


def branch(f: Func, depth: int = 0) -> Func:
    """`f` with branches in the place of selects."""
    for _ in range(costs.BRANCHING_ROUNDS if select in operations(f) else 0):
        copier = _Branching(f, depth)
        if not copier.plans:
            break
        f = remove_dead_code(copier.function(f))
    return f


def has_branches(block: Block) -> bool:
    """True if selects of a block become branches."""
    return any([v.op is select for v in block.code]) and bool(_Plan(block).groups)


class Facts:
    """What follows from a condition that holds, or does not."""

    def __init__(self, c: Value, holds: bool) -> None:
        self.known: dict[Value, bool | None] = {c: holds}
        self.pair = set(c.args) if c.op in _HOLDS else None
        self.truth = c.op, c.args, holds

    def of(self, v: Value, layers: int = costs.LOGIC_DEPTH) -> bool | None:
        """Whether a truth value holds; None if that does not follow."""
        if v not in self.known:
            self.known[v] = self._find(v, layers)
        return self.known[v]

    def touch(self, v: Value, layers: int = costs.LOGIC_DEPTH) -> bool:
        """True if a part of a truth value follows."""
        if self.of(v) is not None:
            return True
        return layers > 0 and v.op in (not_, and_, or_) and any([self.touch(a, layers - 1) for a in v.args])

    def _find(self, v: Value, layers: int) -> bool | None:
        if v.op in _HOLDS:
            return self._order(v) if self.pair is not None and set(v.args) == self.pair else None
        if not layers or v.op not in (not_, and_, or_):
            return None
        parts = [self.of(a, layers - 1) for a in v.args]
        if v.op is not_:
            return None if parts[0] is None else not parts[0]
        decisive = v.op is or_
        if decisive in parts:
            return decisive
        return None if None in parts else not decisive

    def _order(self, v: Value) -> bool | None:
        """Whether one comparison holds where another of the same two numbers does. A nan is in no order."""
        op, args, holds = self.truth
        found = {_relation(v, args, r) for r in ("<", ">", "=", "?") if _compare(op, r) is holds}
        return found.pop() if len(found) == 1 else None


_HOLDS = {eq: "=", ne: "<>?", lt: "<", le: "<="}
_MIRRORED = {"<": ">", ">": "<", "=": "=", "?": "?"}


def _compare(op: ir.Op, relation: str) -> bool:
    return relation in _HOLDS[op]


def _relation(v: Value, args: Sequence[Value], relation: str) -> bool:
    """Whether `v` holds where the first of these operands has a relation to the second."""
    return _compare(v.op, relation if v.args[0] is args[0] else _MIRRORED[relation])


@dataclass
class _Group:
    """The selects of a block that one condition decides, and what becomes a branch with them."""

    condition: Value
    span: Span
    region: dict[Value, None]  # in order
    late: set[Value]  # what comes after the branch, though it stood before its end
    facts: Sides  # of its sides: what was known when it was planned is known when it is written
    fed: dict[Value, None] = field(default_factory=dict[Value, None])  # what else is computed in the branch
    inputs: list[Value] = field(default_factory=list[Value])
    outputs: list[Value] = field(default_factory=list[Value])
    sides: dict[bool, dict[Value, None]] = field(default_factory=dict[bool, dict[Value, None]])
    gain: float = 0.0


class _Plan:
    """The groups of a block."""

    def __init__(self, block: Block) -> None:
        self.block, self.code, self.reads = block, block.code, Reads()
        self.selects = [k for k, v in enumerate(self.code) if v.op is select and v.type in (Real, Bool)]
        self.groups: list[_Group] = []
        self.least = costs.BRANCH_SAVES_IN_LOOP if block.parent is not None else costs.BRANCH_SAVES
        if not self.selects or len(self.code) > costs.BRANCHING_INSTRUCTIONS:
            return
        self.position = {v: k for k, v in enumerate(self.code)}
        self.users: dict[Value, list[Value | None]] = {}
        for v in self.code:
            for a in self.reads[v]:
                self.users.setdefault(a, []).append(v)
        for r in block.results:
            self.users.setdefault(r, []).append(None)
        gone = set[Value]()
        for c in self._promising():
            g = self._group(c)
            if g is None or g.gain < self.least or not gone.isdisjoint((*g.region, *g.fed)):
                continue
            if all([g.span[1] < h.span[0] or h.span[1] < g.span[0] for h in self.groups]):
                gone.update((*g.region, *g.fed))
                self.groups.append(g)

    def _promising(self) -> list[Value]:
        """The conditions that may be worth a branch, the best first."""
        by_atom: dict[object, list[int]] = {}
        atoms = {v: _atoms(v) for v in dict.fromkeys([self.code[k].args[0] for k in self.selects])}
        for k in self.selects:
            for x in atoms[self.code[k].args[0]]:
                by_atom.setdefault(x, []).append(k)
        self._near = {c: sorted({k for x in xs for k in by_atom[x]}) for c, xs in atoms.items()}
        worth = {k: [self._own(a) for a in self.code[k].args[1:]] for k in self.selects}
        found = {c: self._estimate(c, worth) for c in atoms}
        worthy = [c for c, x in found.items() if x >= costs.BRANCH_SAVES_IN_LOOP]
        return sorted(worthy, key=lambda c: -found[c])[: costs.BRANCHING_CONDITIONS]

    def _estimate(self, c: Value, worth: dict[int, list[int]]) -> float:
        """About what a branch saves: the selects that it decides, and what only they read."""
        facts = [Facts(c, holds) for holds in (True, False)]
        saved = 0.0
        for k in self._near[c]:
            for x in facts:
                if (holds := x.of(self.code[k].args[0])) is not None:
                    saved += (self.code[k].type is Real) + worth[k][1 if holds else 0] / 2
        return saved

    def _own(self, v: Value) -> int:
        """What it costs to make an operand, as far as nobody else reads what it is made of."""
        total, todo = 0, [v]
        for x in todo:
            if (
                len(self.users.get(x, ())) == 1
                and x in self.position
                and _is_pure_number(x)
                and len(todo) < costs.LOGIC_DEPTH * 4
            ):
                total += own_cost(x)
                todo += x.args
        return total

    def _group(self, c: Value) -> _Group | None:
        facts = {holds: Facts(c, holds) for holds in (True, False)}
        start = self.position.get(c, -1)
        chosen = [k for k in self._near[c] if k > start]
        chosen = [k for k in chosen if any([x.touch(self.code[k].args[0]) for x in facts.values()])]
        g = self._region(c, {self.code[k] for k in chosen}, facts) if chosen else None
        if g is None:
            return None
        self._sides(g)
        return g

    def _region(self, c: Value, chosen: set[Value], facts: Sides) -> _Group | None:
        """What depends on some of the selects, as far as it belongs together, with what one side does not add."""
        dependent, late = self._order(chosen, facts)
        low = min([self.position[v] for v in chosen])
        region: set[Value] = set()
        for v in reversed(self.code[low:]):
            if v in dependent:
                if v in chosen or v.op is ADD_TO or any([u in region for u in self.users.get(v, ())]):
                    region.add(v)
        for v in self.code[low:]:
            if v in dependent and v not in region:
                args = dict.fromkeys(v.args)
                if sum([a in region for a in args]) > 1 and all([a in region or a not in dependent for a in args]):
                    region.add(v)
        found = {v: None for v in self.code[low:] if v in region}
        if not found:
            return None
        span = self.position[next(iter(found))], self.position[next(reversed(found))]
        return _Group(c, span, found, late | (dependent - region), facts)

    def _order(self, chosen: set[Value], facts: Sides) -> tuple[set[Value], set[Value]]:
        """What depends on some of the selects and can be in a branch; and what must come after that."""
        dependent, late = set[Value](), set[Value]()
        inside, after = set[object](), set[object]()  # accumulators that the branch adds to, and that are used later
        for v in self.code[min([self.position[v] for v in chosen]) :]:
            reads, keys = self.reads[v], self._effects(v)
            depends = any([a in dependent for a in reads])
            if not any([a in late for a in reads]):
                if depends and keys.isdisjoint(after) and self._is_guarded(v, facts):
                    dependent.add(v)
                    inside |= keys
                    continue
                if keys.isdisjoint(after) and keys.isdisjoint(inside) and not (depends and not _is_pure_number(v)):
                    if depends or v in chosen:
                        dependent.add(v)
                    continue
            late.add(v)
            after |= keys
        return dependent, late

    def _effects(self, v: Value) -> set[object]:
        """The accumulators that an instruction adds to or reads: what must stay in order."""
        if v.op.effect is None:
            return set()
        refs = [base(a) for a in self.reads[v] if is_ref(a)]
        found: set[object] = {"parameters" if ref.op is PARAM else ref for ref in refs}
        return found | {"acts"} if v.op is FOR or v.op is CALL else found

    def _is_guarded(self, v: Value, facts: Sides) -> bool:
        """True for an addition to an element of what is zero on one side."""
        if v.op is not ADD_TO or v.args[1].type is not Real or v.args[0].op is not AT:
            return False
        return any([_is_nothing(v, x) for x in facts.values()])

    def _sides(self, g: _Group) -> None:
        """Find what either side computes, is given, and saves."""
        fed, facts = self._fed(g), g.facts
        g.outputs = [v for v in g.region if any([u not in g.region for u in self.users.get(v, ())])]
        sides = {t: self._live(g, fed, facts[t]) for t in (True, False)}
        both = [v for v in fed if v in sides[True] and v in sides[False]]
        outside = {v for v in both if v.type is not Bool or not facts[True].touch(v)}
        for v in reversed(self.code[: g.span[1]]):
            if v in outside:
                outside.update([a for a in v.args if a in fed])
        fed = {v: None for v in fed if v not in outside}
        g.fed = fed
        g.sides = {t: self._live(g, fed, facts[t]) for t in (True, False)}
        read = dict.fromkeys([a for t, side in g.sides.items() for v in side for a in self._read(v, facts[t])])
        g.inputs = [a for a in read if a not in g.region and a not in fed and a.op is not ir.CONST]
        g.gain = self._gain(g)

    def _gain(self, g: _Group) -> float:
        """The simple instructions that a branch saves, in the mean of its sides."""
        conditions = [v.args[0] for v in g.region if v.op is select and v.type is Real]
        jumps = sum([x.of(c) is not None for c in conditions for x in g.facts.values()])
        both = g.sides[True].keys() & g.sides[False].keys()
        alone = sum([own_cost(v) for side in g.sides.values() for v in side if v not in both])
        alone += sum([v.op is ADD_TO for side in g.sides.values() for v in side if v not in both])
        if len(g.outputs) > costs.BRANCH_RESULTS:
            return 0.0
        return jumps + alone / 2 - 2 - len(g.outputs) - len(both) / 4

    def _fed(self, g: _Group) -> dict[Value, None]:
        """What only the region reads, in order."""
        fed: set[Value] = set()
        for v in reversed(self.code[: g.span[1]]):
            if v not in g.region and v not in g.late and v is not g.condition and _is_pure_number(v):
                if all([u in g.region or u in fed for u in self.users.get(v, (None,))]):
                    fed.add(v)
        return {v: None for v in self.code[: g.span[1]] if v in fed}

    def _live(self, g: _Group, fed: dict[Value, None], facts: Facts) -> dict[Value, None]:
        """What a side computes, in order."""
        live = {*g.outputs, *[v for v in g.region if v.op is ADD_TO and not _is_nothing(v, facts)]}
        order = sorted([*fed, *g.region], key=self.position.__getitem__)
        for v in reversed(order):
            if v in live:
                live.update(self._read(v, facts))
        return {v: None for v in order if v in live}

    def _read(self, v: Value, facts: Facts) -> Iterable[Value]:
        """What of its operands an instruction reads on a side."""
        read = v.args
        if v.op is select and (holds := facts.of(v.args[0])) is not None:
            read = (v.args[1 if holds else 2],)
        elif v.type is Bool and facts.of(v) is not None:
            return ()
        return [a for a in read if a.type is not Bool or facts.of(a) is None]


def _atoms(c: Value) -> dict[object, None]:
    """The comparisons, by what they compare, and other truth values that a condition is made of."""
    found: dict[object, None] = {}
    todo = [(c, costs.LOGIC_DEPTH)]
    while todo and len(found) < costs.LOGIC_COMPARISONS:
        v, layers = todo.pop()
        if v.op in (not_, and_, or_) and layers:
            todo += [(a, layers - 1) for a in v.args]
        else:
            found[frozenset(v.args) if v.op in _HOLDS else v] = None
    return found


def _is_nothing(v: Value, facts: Facts) -> bool:
    """True for the addition of a zero, which changes nothing: of -0.0, or to a sum that is never -0.0."""
    zero = _zero(v.args[1], facts)
    return zero is not None and (math.copysign(1.0, zero) < 0.0 or begins_at_zero(v.args[0]))


def _zero(x: Value, facts: Facts, layers: int = costs.LOGIC_DEPTH) -> float | None:
    """The zero, with its sign, that a number is on a side; None if that does not follow."""
    if x.op is ir.CONST:
        return x.attr if x.attr == 0.0 else None
    if x.op is select and (holds := facts.of(x.args[0])) is not None:
        return _zero(x.args[1 if holds else 2], facts, layers)
    factors = [(x.args[0], -1.0)] if x.op is neg else []
    if x.op is mul:
        factors = [(y, c.attr) for y, c in (x.args, x.args[::-1]) if c.op is ir.CONST and math.isfinite(c.attr)]
    for y, c in factors if layers else ():
        if (zero := _zero(y, facts, layers - 1)) is not None:
            return zero * c
    return None


def _is_pure_number(v: Value) -> bool:
    if v.op is idiv or v.op is imod:
        return not isinstance(v.args[1].attr, Size)
    return v.op.eval is not None and v.type.scalar and bool(v.args)


class _Branching(Rewriter):
    """A copy of a function with branches in the place of the groups of its blocks."""

    def __init__(self, f: Func, depth: int) -> None:
        self.depth = depth
        self.plans: dict[Block, list[_Group]] = {}
        todo = [f.body] if depth < costs.BRANCHING_DEPTH else []
        for block in todo:
            if groups := _Plan(block).groups:
                self.plans[block] = groups
            todo += [v.attr for v in block.code if v.op is FOR]
        self.name = f.name

    def block(self, b: Builder, block: Block, env: Env) -> None:
        groups = sorted(self.plans.get(block, ()), key=lambda g: g.span)
        gone = {v for g in groups for v in (*g.region, *g.fed)}
        k = 0
        for g in groups:
            self.write(b, [v for v in block.code[k : g.span[0]] if v not in gone], env)
            inside = [v for v in block.code[g.span[0] : g.span[1] + 1] if v not in gone]
            self.write(b, [v for v in inside if v not in g.late], env)
            self._branch(b, g, env)
            self.write(b, [v for v in inside if v in g.late], env)
            k = g.span[1] + 1
        self.write(b, [v for v in block.code[k:] if v not in gone], env)

    def _branch(self, b: Builder, g: _Group, env: Env) -> None:
        sides = [self._side(g, holds) for holds in (True, False)]
        made = make_branch(f"{self.name}.branch", *sides)
        b.loc = next(iter(g.region)).loc
        out = b.call(made, [env[g.condition], *[env[a] for a in g.inputs]])
        for k, v in enumerate(g.outputs):
            env[v] = out if len(g.outputs) == 1 else b.get(out, k)

    def _side(self, g: _Group, holds: bool) -> Func:
        facts, copier = g.facts[holds], Simplifier({}, {})
        with ir.building(f"{self.name}.{'then' if holds else 'otherwise'}") as b:
            env: Env = dict(zip(g.inputs, declared(b, g.inputs), strict=True))
            for v in g.sides[holds]:
                b.loc = v.loc
                self._literals(b, v, facts, env)
                known = self._known(b, v, facts, env)
                env[v] = copier.instruction(b, v, env) if known is None else known
            out = [env[v] for v in g.outputs]  # none, if all that comes out is added
            made = remove_dead_code(b.func(out[0] if len(out) == 1 else b.tuple(out)))
        return branch(made, self.depth + 1)

    def _literals(self, b: Builder, v: Value, facts: Facts, env: Env) -> None:
        """Make what is known of the operands of an instruction."""
        for a in v.args:
            if a.op is ir.CONST:
                env[a] = b.const(a.attr, a.type)
            elif a.type is Bool and (holds := facts.of(a)) is not None:
                env[a] = b.const(holds, Bool)

    def _known(self, b: Builder, v: Value, facts: Facts, env: Env) -> Value | None:
        """What an instruction is on a side, if that follows from the condition."""
        if v.op is select and (holds := facts.of(v.args[0])) is not None:
            return env[v.args[1 if holds else 2]]
        if v.type is Bool and (holds := facts.of(v)) is not None:
            return b.const(holds, Bool)
        return None

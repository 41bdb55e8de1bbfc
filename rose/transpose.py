"""Reverse mode: the two halves of a derivative, from the function that `jvp` made.

A function whose values are some `Real` and some `Tan` is cut in two. The forward half keeps what does not
touch a `Tan`, and hands back a tape of what the other half will need. The backward half goes through the
linear instructions in reverse: what was read is now added to, and what was added to is now read.

    fwd : primal parameters                              -> (primal result, tape)
    bwd : accumulators, saved primal parameters, ct, tape -> the cotangents that are numbers

For each linear parameter, `bwd` takes one accumulator for each vector in it, and gives one number for each
number in it, in order. For a parameter that is itself an accumulator it takes the cotangent of its sum.
Types keep their shape in both halves: what belongs to the other half becomes `Unit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from . import ir
from .cotangent import Cotangent
from .errors import NotLinear
from .guards import Arms, Guard, has_arms, is_ref, meet, visible
from .ir import ACCUM, ADD_TO, AT, CONST, FOR, FREEZE, GET, INDEX, PACK, PARAM, TUPLE, ZERO
from .ir import Block, Builder, Func, Value, is_call
from .linear import Loops, is_linear
from .ops import add, and_, ifrom, not_, real, select
from .optimise.split import LONGEST, split
from .types import Fin, Real, Ref, Tan, Tuple, Type, linear_part, primal_part

# An entry of a tape: a value of the block, the tape of a call, or an entry of the tape of a loop in the block.
Entry = Value | tuple[Value, "Entry | None"]

class Halves(NamedTuple):
    """A function cut in two. `saved` are the positions of the parameters that `bwd` reads as well."""

    fwd: Func
    bwd: Func
    saved: tuple[int, ...]


def transpose(g: Func) -> Halves:
    """The two halves of a function that has tangents."""
    made = g.memo.get("transpose")
    if made is None:
        fwd, bwd, saved = _Transpose(g).halves()
        made = g.memo["transpose"] = Halves(split(fwd, 3 * LONGEST), split(bwd, 3 * LONGEST), saved)
    return made


def linear_leaves(t: Type) -> list[Type]:
    """The numbers and vectors in the cotangent of a `t`, in order: what `bwd` gives, and what it adds to."""
    return [leaf.type for leaf in Cotangent(linear_part(t)).leaves()]


class _Transpose:
    """The work of one transposition: `halves` runs its three steps in order."""

    def __init__(self, g: Func) -> None:
        self.g = g
        self.loops = Loops(g.body)
        self.arms = Arms(g.body, self.loops) if has_arms(g.body) else None
        self.position = {p: k for k, p in enumerate(g.params)}
        self.kept: dict[Block, dict[Entry, int]] = {}  # the tape of each block: entry -> position
        self.saved: dict[Value, int] = {}  # the parameters that the backward half reads, and their positions
        self.loop_of: dict[Block, Value] = {}
        self.guarded: dict[Guard, None] = {}
        self.entry_guard: dict[Entry, Guard | None] = {}  # the arms that all readers of an entry are in
        self.fwd: dict[Value, Value] = {}  # old value -> its primal, in the forward half
        self.tapes: dict[Entry, Value] = {}  # tapes of calls and of loops, in the forward half

    def halves(self) -> Halves:
        self.plan(self.g.body)
        fwd = self.forward_half()
        return Halves(fwd, _Backward(self, fwd).half(), tuple(self.saved.values()))

    # what the tape must hold

    def plan(self, block: Block) -> None:
        self.kept[block] = {}
        for v in block.code:
            if v.op is FOR:
                self.plan_for(v)
            elif v.type.linear or is_linear(v):
                self.plan_one(v)

    def plan_one(self, v: Value) -> None:
        under = None if self.arms is None else self.arms.under(v)
        if v.op.transpose is not None:
            for a in v.args:
                if not a.type.linear:
                    self.need(a, under)
        elif is_call(v):
            self.keep(v.block, (v, None), under)
            for k in transpose(v.attr).saved:
                self.need(v.args[k], under)
            for a in v.args:
                self.need_path(a)
        elif v.op is ADD_TO:
            self.need_path(v.args[0])
        elif v.op is INDEX:
            self.need(v.args[1], under)
        elif v.op is select:
            self.need(v.args[0], under)
        if self.arms is not None:
            self.plan_masks(v, self.arms)

    def plan_for(self, v: Value) -> None:
        self.loop_of[v.attr] = v
        if self.loops.linear[v]:
            self.plan(v.attr)
            for entry in self.kept[v.attr]:
                self.keep(v.block, (v, entry), self.entry_guard.get(entry))
            if self.arms is not None:
                self.plan_masks(v, self.arms)

    def plan_masks(self, v: Value, arms: Arms) -> None:
        for a in v.args:
            g = arms.leaving(v, a) if a.type.linear else None
            while g is not None and g not in self.guarded:
                self.guarded[g] = None
                self.need(g.condition, None)
                g = g.outer

    def need_path(self, ref: Value) -> None:
        """The backward half reads the cotangent of a part of an accumulator: it needs the indices to it."""
        while ref.op is AT:
            if len(ref.args) > 1:
                self.need(ref.args[1], None)
            ref = ref.args[0]

    def need(self, v: Value, under: Guard | None, depth: int = 0) -> None:
        """The backward half reads the primal `v`: it is made again if that is cheap, else kept."""
        if v in self.position:
            self.saved[v] = self.position[v]
        elif not v.type.empty and not self.is_turn(v):
            if depth < 8 and is_cheap(v, self.position):
                for a in v.args:
                    self.need(a, under, depth + 1)
            else:
                self.keep(v.block, v, under)

    def is_turn(self, v: Value) -> bool:
        """True for the index of a loop, of which the loop of the backward half has its own."""
        return v.op is PARAM and v is v.block.params[0]

    def keep(self, block: Block, entry: Entry, under: Guard | None) -> None:
        kept = self.kept[block]
        kept.setdefault(entry, len(kept))
        if self.arms is not None:
            g = visible(under, block)
            self.entry_guard[entry] = meet(self.entry_guard[entry], g) if entry in self.entry_guard else g

    # the forward half

    def forward_half(self) -> Func:
        with ir.building(f"{self.g.name}.fwd") as b:
            for p in self.g.params:
                if has_primal(p):
                    b.loc = p.loc
                    self.fwd[p] = b.param(primal_part(p.type), p.attr)
            self.forward(b, self.g.body)
            tape = b.tuple([self.entry(b, self.g.body, e) for e in self.kept[self.g.body]])
            return b.func(b.tuple([self.primal(b, self.g.body.results[0]), tape]))

    def entry(self, b: Builder, block: Block, e: Entry) -> Value:
        """An entry of the tape of a block. What was made in an arm that is not taken is replaced by zeros.

        Otherwise the tape would lead the derivatives of the next order out of the arm.
        """
        x = self.fwd[e] if isinstance(e, Value) else self.tapes[e]
        g, mask = self.entry_guard.get(e), None
        while g is not None and x.type.real:
            if g.condition.block is block:
                c = self.primal(b, g.condition)
                own = c if g.arm else not_(c)
                mask = own if mask is None else and_(own, mask)
            g = g.outer
        return x if mask is None else b.emit(select, (mask, x, b.zero(x.type)))

    def primal(self, b: Builder, v: Value) -> Value:
        x = self.fwd.get(v)
        return b.zero(primal_part(v.type)) if x is None else x

    def forward(self, b: Builder, block: Block) -> None:
        for v in block.code:
            b.loc = v.loc
            linear = v.type.linear or is_linear(v)
            if linear and v.type is Tan and not is_call(v):
                continue
            if v.op.transpose is not None:
                self.fwd[v] = b.again(v, tuple([self.primal(b, a) for a in v.args]))
            elif v.op is FOR:
                self.forward_for(b, v)
            elif is_call(v) and linear:
                args = [self.primal(b, a) for a in v.args if has_primal(a)]
                both = b.call(transpose(v.attr).fwd, args)
                self.fwd[v], self.tapes[(v, None)] = b.get(both, 0), b.get(both, 1)
            elif v.op is CONST:
                self.fwd[v] = b.const(v.attr, v.type)
            elif v.op is GET:
                if has_primal(v):
                    self.fwd[v] = b.get(self.primal(b, v.args[0]), v.attr)
            elif not linear:
                self.fwd[v] = b.again(v, tuple([self.primal(b, a) for a in v.args]))
            elif v.op is ADD_TO:
                if has_primal(v.args[0]):
                    b.add_to(self.fwd[v.args[0]], self.primal(b, v.args[1]))
            elif has_primal(v):
                t = primal_part(v.type)
                self.fwd[v] = b.emit(v.op, tuple([self.primal(b, a) for a in v.args]), v.attr, t)

    def forward_for(self, b: Builder, v: Value) -> None:
        block: Block = v.attr
        k = len(v.args)
        there = [has_primal(r) for r in block.results]
        entries = self.kept.get(block, {})
        with b.nested() as body:
            self.fwd[block.params[0]] = b.param(block.params[0].type)
            for p, yes in zip(block.params[1:], there, strict=False):
                if yes:
                    self.fwd[p] = b.param(primal_part(p.type))
            self.forward(b, block)
            body.results = (
                *[self.primal(b, r) for r, yes in zip(block.results, there, strict=True) if yes],
                *[self.entry(b, block, e) for e in entries],
            )
        states, vecs = b.close(body, [self.primal(b, a) for a, yes in zip(v.args, there, strict=False) if yes])
        out = iter([*states, *vecs])
        parts = [next(out) if yes else b.zero(primal_part(t)) for yes, t in zip(there, items(v), strict=True)]
        assert len(there) >= k
        self.fwd[v] = b.tuple(parts)
        self.tapes.update({(v, e): x for e, x in zip(entries, out, strict=True)})


class _Backward:
    """The backward half: the linear instructions in reverse."""

    def __init__(self, plan: _Transpose, fwd: Func) -> None:
        self.plan, self.g, self.arms, self.loops = plan, plan.g, plan.arms, plan.loops
        self.tape_type = items_of(fwd.result)[1]
        self.cts: dict[Value, Cotangent | Value] = {}  # of a number, the sum itself
        self.reads: dict[Value, Value | None] = {}  # old linear accumulator -> its cotangent, a value
        self.turn: dict[Block, Value] = {}  # the index of the turn
        self.given: dict[Value, Value] = {}  # the saved parameters
        self.masks: dict[Guard, Value] = {}
        self.tape: Value | None = None

    def half(self) -> Func:
        (result,) = self.g.body.results
        with ir.building(f"{self.g.name}.bwd") as b:
            linear = [p for p in self.g.params if p.type.linear]
            for p in linear:
                b.loc = p.loc
                if is_ref(p):
                    self.reads[p] = b.param(linear_part(p.type), f"ct_{p.attr}")
                    continue
                for leaf in self.cotangent(p).leaves():
                    if leaf.type is not Real:
                        leaf.ref = b.param(Ref(leaf.type), f"ct_{p.attr}")
            for p in self.plan.saved:
                self.given[p] = b.param(primal_part(p.type), p.attr)
            ct = b.param(linear_part(result.type), "ct")
            self.tape = b.param(self.tape_type, "tape")
            self.add(b, result, ct)
            self.block(b, self.g.body)
            numbers = [leaf for p in linear if not is_ref(p) for leaf in self.cotangent(p).leaves() if leaf.type is Real]
            totals = [leaf.close(b) for leaf in numbers]
            return b.func(b.tuple([b.zero(Real) if x is None else x for x in totals]))

    def again(self, b: Builder, v: Value) -> Value:
        """The primal `v`: a saved parameter, from the tape, or made again."""
        if v in self.given:
            return self.given[v]
        if v.block in self.plan.kept and v in self.plan.kept[v.block]:
            return self.from_tape(b, v.block, v)
        if self.plan.is_turn(v):
            return self.turn[v.block]
        if v.op is CONST:
            return b.const(v.attr, v.type)
        if v.op is ZERO or v.type.empty:
            return b.zero(primal_part(v.type))
        args = [self.again(b, a) for a in v.args]
        if v.op is GET:
            return b.get(args[0], v.attr)
        return b.index(*args) if v.op is INDEX else b.emit(v.op, tuple(args), v.attr)

    def from_tape(self, b: Builder, block: Block, e: Entry) -> Value:
        k = self.plan.kept[block][e]
        if block is self.g.body:
            assert self.tape is not None
            return b.get(self.tape, k)
        loop = self.plan.loop_of[block]
        return b.index(self.from_tape(b, loop.block, (loop, e)), self.turn[block])

    # contributions

    def contribute(self, b: Builder, user: Value, arg: Value, ct: Value) -> None:
        """Add what `user` hands back to the cotangent of its argument, unless it leaves an arm not taken."""
        if self.arms is None:
            self.add(b, arg, ct)
        elif arg.type.linear:
            g = self.arms.leaving(user, arg)
            self.add(b, arg, ct if g is None else b.emit(select, (self.mask(b, g), ct, b.zero(ct.type))))

    def add(self, b: Builder, v: Value, ct: Value) -> None:
        if v.type is Tan:
            known = self.cts.get(v)
            if known is None:
                self.cts[v] = ct
            elif known.__class__ is Value:
                self.cts[v] = b.emit(add, (known, ct))
            else:
                self.cotangent(v).add(b, ct)
        elif v.type.linear:
            self.cotangent(v).add(b, ct)

    def cotangent(self, v: Value) -> Cotangent:
        ct = self.cts.get(v)
        if not isinstance(ct, Cotangent):
            made = self.cts[v] = Cotangent(linear_part(v.type))
            made.sum = ct
            return made
        return ct

    def closed(self, b: Builder, v: Value) -> Value | None:
        ct = self.cts.pop(v, None)
        return ct.close(b) if isinstance(ct, Cotangent) else ct

    def mask(self, b: Builder, g: Guard) -> Value:
        """True if all arms of a guard are taken."""
        chain: list[Guard] = []
        at: Guard | None = g
        while at is not None and not (at in self.masks and b.block.inside(self.masks[at].block)):
            chain.append(at)
            at = at.outer
        mask = None if at is None else self.masks[at]
        for at in reversed(chain):
            c = self.again(b, at.condition)
            own = c if at.arm else not_(c)
            mask = own if mask is None else and_(mask, own)
            self.masks[at] = mask
        assert mask is not None
        return mask

    # instructions, in reverse

    def block(self, b: Builder, block: Block) -> None:
        for v in reversed(block.code):
            if v.op is FOR:
                if self.loops.linear[v]:
                    b.loc = v.loc
                    self.loop(b, v)
            elif is_linear(v):
                b.loc = v.loc
                self.instruction(b, v)

    def instruction(self, b: Builder, v: Value) -> None:
        op = v.op
        if op.transpose is not None:
            if (ct := self.closed(b, v)) is not None:
                self.simple(b, v, ct)
        elif op is AT:
            return
        elif op is ADD_TO:
            if (ct := self.read(b, v.args[0])) is not None:
                self.contribute(b, v, v.args[1], ct)
        elif op is ACCUM:
            if (ct := self.reads.get(v)) is not None:
                self.contribute(b, v, v.args[0], ct)
        elif op is FREEZE:
            self.reads[v.args[0]] = self.closed(b, v)
        elif is_call(v):
            self.call(b, v)
        elif (ct := self.closed(b, v)) is not None:
            self.simple(b, v, ct)

    def simple(self, b: Builder, v: Value, ct: Value) -> None:
        """An instruction whose cotangent goes to its arguments and nowhere else."""
        op, args = v.op, v.args
        if op.transpose is not None:
            primals = [None if a.type.linear else self.again(b, a) for a in args]
            for a, part in zip(args, op.transpose(ct, *primals), strict=True):
                if part is not None:
                    self.contribute(b, v, a, part)
        elif op is TUPLE:
            for k, x in enumerate(args):
                if x.type.linear:
                    self.contribute(b, v, x, b.get(ct, k))
        elif op is GET:
            self.cotangent(args[0]).items[v.attr].add(b, self.masked(b, v, args[0], ct))  # pyright: ignore
        elif op is PACK:
            for k, x in enumerate(args):
                self.contribute(b, v, x, b.index(ct, k))
        elif op is INDEX:
            self.index(b, v, self.masked(b, v, args[0], ct))
        elif op is select:
            c, zero = self.again(b, args[0]), b.zero(ct.type)
            self.contribute(b, v, args[1], b.emit(select, (c, ct, zero)))
            self.contribute(b, v, args[2], b.emit(select, (c, zero, ct)))
        elif op is not ZERO:
            raise NotLinear(f"{op.name} is not linear, so it takes no tangent", v.loc, "use add, sub, mul or div")

    def masked(self, b: Builder, user: Value, arg: Value, ct: Value) -> Value:
        g = None if self.arms is None else self.arms.leaving(user, arg)
        return ct if g is None else b.emit(select, (self.mask(b, g), ct, b.zero(ct.type)))

    def index(self, b: Builder, v: Value, ct: Value) -> None:
        whole, i = self.cotangent(v.args[0]), self.again(b, v.args[1])
        b.add_to(b.at(whole.open(b), i), ct)

    def read(self, b: Builder, ref: Value) -> Value | None:
        """The cotangent of a linear accumulator: a value, since it was only ever added to."""
        path: list[Value] = []
        while ref.op is AT:
            path.append(ref)
            ref = ref.args[0]
        ct = self.reads.get(ref)
        for at in reversed(path):
            if ct is not None:
                ct = b.index(ct, self.again(b, at.args[1])) if len(at.args) > 1 else b.get(ct, at.attr)
        return ct

    def call(self, b: Builder, v: Value) -> None:
        halves = transpose(v.attr)
        ct = self.closed(b, v)
        sums = {a: self.read(b, a) for a in v.args if a.type.linear and is_ref(a)}
        if ct is None and all(x is None for x in sums.values()):
            return
        given: list[Value] = []
        numbers: list[Cotangent] = []
        leaving: list[tuple[Value, Cotangent]] = []
        for a in v.args:
            if not a.type.linear:
                continue
            if is_ref(a):
                x = sums[a]
                given.append(b.zero(linear_part(a.type)) if x is None else x)
                continue
            total = self.cotangent(a)
            if self.arms is not None and self.arms.leaving(v, a) is not None:
                total = Cotangent(linear_part(a.type))  # what leaves an arm is masked as a whole
                leaving.append((a, total))
            for leaf in total.leaves():
                if leaf.type is Real:
                    numbers.append(leaf)
                else:
                    given.append(leaf.open(b))
        saved = [self.again(b, v.args[k]) for k in halves.saved]
        back = b.zero(linear_part(v.type)) if ct is None else ct
        out = b.call(halves.bwd, [*given, *saved, back, self.from_tape(b, v.block, (v, None))])
        for k, leaf in enumerate(numbers):
            leaf.add(b, b.get(out, k))
        for a, total in leaving:
            if (part := total.close(b)) is not None:
                self.contribute(b, v, a, part)

    # loops

    def loop(self, b: Builder, v: Value) -> None:
        """The loop of a loop: its turns in reverse order, if it has linear states to carry back."""
        block: Block = v.attr
        n = block.params[0].type
        assert isinstance(n, Fin)
        k = len(v.args)
        results = list(self.cotangent(v).items or [])
        self.cts.pop(v)
        cts = [ct.close(b) for ct in results]
        states = [j for j in range(k) if block.results[j].type.linear]
        if n.size == 0:
            for j in states:
                if (ct := cts[j]) is not None:
                    self.contribute(b, v, v.args[j], ct)
            return
        for x in self.loops.outside[v]:
            if not is_ref(x):
                for leaf in self.cotangent(x).leaves():
                    leaf.open(b)

        types = [linear_part(block.results[j].type) for j in states]

        def body(i: Value, *carried: Value) -> tuple[list[Value], list[Value]]:
            self.turn[block] = ifrom(i, b.const(n.size - 1, Fin(n.size))) if states else i
            for j, ct in zip(states, carried, strict=True):
                self.add(b, block.results[j], ct)
            for j, ct in enumerate(cts):
                if ct is not None and j >= k:
                    self.add(b, block.results[j], b.index(ct, self.turn[block]))
            self.block(b, block)
            back = [self.closed(b, block.params[1 + j]) for j in states]
            return [b.zero(t) if x is None else x for x, t in zip(back, types, strict=True)], []

        last = [cts[j] for j in states]
        inits = [b.zero(t) if x is None else x for x, t in zip(last, types, strict=True)]
        out, _ = b.loop(n.size, body, inits)
        for j, ct in zip(states, out, strict=True):
            self.contribute(b, v, v.args[j], ct)


def is_cheap(v: Value, params: dict[Value, int]) -> bool:
    """True if the backward half makes `v` again: a loop keeps the vector, not each element of it."""
    if v.op is GET or v.op is INDEX:
        whole = v.args[0]
        return whole in params or is_cheap(whole, params) or (v.op is INDEX and whole.block is not v.block)
    return v.op in (CONST, ZERO, real)


def has_primal(v: Value) -> bool:
    return not primal_part(v.type).empty


def items_of(t: Type) -> tuple[Type, ...]:
    assert isinstance(t, Tuple)
    return t.items


def items(v: Value) -> tuple[Type, ...]:
    return items_of(v.type)


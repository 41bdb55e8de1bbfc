"""Cutting a function in two, by type: what touches no `Tan`, and what does.

    fwd : primal parameters -> (primal result, tape)

The forward half keeps what does not touch a `Tan`, and hands back a tape of what the linear half will read.
Of that, what is cheap is made again instead of kept, and parameters are handed on: a loop keeps a vector,
not each element of it. `transpose.py` and `linearize.py` make the linear half, backwards and forwards.
Types keep their shape in both: what belongs to the other half becomes `Unit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .. import ir
from ..ir import (
    ADD_TO,
    AT,
    CONST,
    FOR,
    GET,
    INDEX,
    PARAM,
    ZERO,
    Block,
    Body,
    Branch,
    Builder,
    Func,
    Opaque,
    Value,
    While,
    is_call,
)
from ..ir.callgraph import callees_first, is_table
from ..ir.ops import iadd, ifrom, imul, or_, real, select
from ..ir.progress import step
from ..ir.stacks import PUSH
from ..ir.types import Bool, Stack, Tan, Type, items_of, primal_part
from ..optimise.outlining import LONG, outline
from .half_signature import HalfSignature, has_primal
from .linearity import Loops, is_linear
from .select_masks import Arms, Guard, around, has_arms, holds, visible
from .unzip_control import Recomputed, Unzipped, UnzippedBranch, UnzippedWhile

# Tapes lie in one another as the calls do. One in which so many do is handed on as the only item of a stack: then it is
# neither copied nor taken apart by all those who call its function, and a chain of n calls costs n times one of them.
DEEPEST = 16

# An entry of a tape: a value of the block, the tape of a call, or an entry of the tape of a loop in the block.
Entry = Value | tuple[Value, "Entry | None"]


def unzip(g: Func) -> Unzipped:
    """The forward half of a function that has tangents, and what it knows for the linear half."""
    for f in to_cut(g, "unzip"):
        f.memo["unzip"] = _unzip(f)
        step("derive")
    return g.memo["unzip"]


def to_cut(g: Func, what: str) -> Iterator[Func]:
    """`g`, and all with tangents that it calls, each after what it calls itself; if its memo does not have `what`."""
    is_cut: Callable[[Func], bool] = lambda f: f.result.linear or any([p.type.linear for p in f.params])
    return callees_first(g, lambda f: what not in f.memo and (f is g or is_cut(f)))


def _unzip(g: Func) -> Unzipped:
    match g.kind:
        case Body():
            made = UnzippedBody(g)
        case Branch(then, otherwise):
            made = UnzippedBranch(g, [unzip(then), unzip(otherwise)])
        case While(test, body, most):
            made = UnzippedWhile(g, unzip(test), unzip(body), most)
        case Opaque():
            raise AssertionError(f"{g} is opaque, and sees a tangent")
    again = g.remat and "primal" in g.memo  # else it is part of a rule, and takes tangents itself
    return Recomputed(g, made) if again else made


class UnzippedBody(Unzipped):
    """A function cut in two, with what its linear half must know."""

    def __init__(self, g: Func) -> None:
        self.g = g
        self.loops = Loops(g.body)
        self.arms = Arms(g.body, self.loops) if has_arms(self.loops) else None
        self.position = {p: k for k, p in enumerate(g.params)}
        self.kept: dict[Block, dict[Entry, int]] = {}  # the tape of each block: entry -> position
        self.reads: dict[Value, int] = {}  # the parameters that the linear half reads, and their positions
        self.loop_of: dict[Block, Value] = {}
        self.guarded: dict[Guard, None] = {}
        self.readers: dict[Entry, dict[Guard | None, None]] = {}  # the guards of what reads an entry
        self.primals: dict[Value, Value] = {}  # old value -> its primal, in the forward half
        self.tapes: dict[Entry, Value] = {}  # tapes of calls and of loops, in the forward half
        self.some: dict[Block, dict[Value, Guard]] = {}  # what the forward half finds out of the turns of a loop
        self.plan(g.body)
        self.plan_turns()
        self.fwd = outline(self.forward_half(), LONG)
        self.signature = HalfSignature(g, self.reads.values(), items_of(self.fwd.result)[1])
        self.primals, self.tapes = {}, {}  # which nobody asks for any more: there is a cut for each function

    # what the tape must hold

    def plan(self, block: Block) -> None:
        self.kept[block] = {}
        for v in self.loops.code[block]:
            if v.op is FOR:
                self.plan_for(v)
            else:
                self.plan_one(v)

    def plan_one(self, v: Value) -> None:
        under = None if self.arms is None else self.arms.under(v)
        if v.op.transpose is not None:
            for a in v.args:
                if not a.type.linear:
                    self.need(a, under)
        elif is_call(v):
            self.keep(v.block, (v, None), under)
            for k in unzip(v.attr).signature.residuals:
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
        self.plan(v.attr)
        for entry in self.kept[v.attr]:
            self.keep(v.block, (v, entry), visible(self.guard_of(entry), v.block))
        if self.arms is not None:
            self.plan_masks(v, self.arms)

    def plan_masks(self, v: Value, arms: Arms) -> None:
        left = [arms.leaving(v, a) for a in v.args if a.type.linear]
        if v.op is FOR:
            left += [arms.given(v, j) for j, r in enumerate(v.attr.results) if r.type.linear]
        for g in left:
            self.plan_mask(g)

    def plan_mask(self, g: Guard | None) -> None:
        while g is not None and g not in self.guarded:
            self.guarded[g] = None
            if g.condition is not None:
                self.need(g.condition, None)
            for x in g.either:
                self.plan_mask(x)
            g = g.outer

    def need_path(self, ref: Value) -> None:
        """The linear half reads the cotangent of a part of an accumulator: it needs the indices to it."""
        while ref.op is AT:
            ref, *index = ref.args
            for i in index:
                self.need(i, None)

    def need(self, v: Value, under: Guard | None, depth: int = 0) -> None:
        """The linear half reads the primal `v`: it is made again if that is cheap, else kept."""
        if v in self.position:
            self.reads[v] = self.position[v]
        elif not v.type.empty and not self.is_turn(v):
            if depth < 8 and is_cheap(v, self.position):
                for a in v.args:
                    self.need(a, under, depth + 1)
            else:
                self.keep(v.block, v, under)

    def is_turn(self, v: Value) -> bool:
        """True for the index of a loop, of which the loop of the linear half has its own."""
        return v.op is PARAM and v is v.block.params[0]

    def keep(self, block: Block, entry: Entry, under: Guard | None) -> None:
        kept = self.kept[block]
        kept.setdefault(entry, len(kept))
        if self.arms is not None:
            self.readers.setdefault(entry, {})[under] = None

    def guard_of(self, entry: Entry) -> Guard | None:
        """The guard of all that reads an entry of a tape."""
        if self.arms is None:
            return None
        return self.arms.outside(self.readers[entry], (entry if isinstance(entry, Value) else entry[0]).block)

    def plan_turns(self) -> None:
        """What the masks of both halves ask of all turns of a loop."""
        for e in [e for kept in self.kept.values() for e in kept] if self.arms is not None else []:
            if isinstance(e, Value):
                self.ask(e)
            if has_numbers(e):
                self.ask_all(self.guard_of(e), None)

    def ask(self, condition: Value) -> None:
        g = None if self.arms is None else self.arms.turns.get(condition)
        if g is not None and condition not in self.some.setdefault(g.scope, {}):
            self.some[g.scope][condition] = g
            self.ask_all(g, around(g))

    def ask_all(self, g: Guard | None, outer: Guard | None) -> None:
        while g is not None and g is not outer:
            if g.condition is not None:
                self.ask(g.condition)
            for x in g.either:
                self.ask_all(x, g.outer)
            g = g.outer

    # the forward half

    def forward_half(self) -> Func:
        with ir.building(f"{self.g.name}.fwd") as b:
            for p in self.g.params:
                if has_primal(p):
                    b.loc = p.loc
                    self.primals[p] = b.param(primal_part(p.type), p.attr)
            self.forward(b, self.g.body)
            tape = b.tuple([self.entry(b, self.g.body, e) for e in self.kept[self.g.body]])
            if tape.type.depth > DEEPEST and not tape.type.empty:
                tape = b.emit(PUSH, (b.zero(Stack(tape.type)), tape))
            return b.func(b.tuple([self.primal(b, self.g.body.results[0]), tape]))

    def entry(self, b: Builder, block: Block, e: Entry) -> Value:
        """An entry of the tape of a block. What was made in an arm that is not taken is replaced by zeros.

        Otherwise the tape would lead the derivatives of the next order out of the arm.
        """
        x = self.primals[e] if isinstance(e, Value) else self.tapes[e]
        known: Callable[[Value], Value | None] = lambda c: self.primal(b, c) if c.block is block else None
        mask = holds(self.guard_of(e), None, known) if x.type.real else None
        return x if mask is None else b.emit(select, (mask, x, b.zero(x.type)))

    def primal(self, b: Builder, v: Value) -> Value:
        x = self.primals.get(v)
        return b.zero(primal_part(v.type)) if x is None else x

    def forward(self, b: Builder, block: Block) -> None:
        primals = self.primals
        for v in block.code:
            b.loc = v.loc
            if v.type is Tan and not is_call(v):
                continue
            if v.op.eval is not None and not v.type.linear:  # a row of the table: most are
                primals[v] = b.again(v, tuple([primals[a] if a in primals else self.primal(b, a) for a in v.args]))
                continue
            linear = is_linear(v)
            if v.op is FOR:
                self.forward_for(b, v)
            elif is_call(v) and linear:
                of = unzip(v.attr)
                args = {k: self.primal(b, v.args[k]) for k in of.signature.primal}
                both = of.signature.call_forward(b, of.fwd, args)
                self.primals[v], self.tapes[(v, None)] = b.get(both, 0), b.get(both, 1)
            elif v.op is CONST:
                self.primals[v] = b.const(v.attr, v.type)
            elif v.op is GET:
                if has_primal(v):
                    self.primals[v] = b.get(self.primal(b, v.args[0]), v.attr)
            elif not linear:
                self.primals[v] = b.again(v, tuple([self.primal(b, a) for a in v.args]))
            elif v.op is ADD_TO:
                if has_primal(v.args[0]):
                    b.add_to(self.primals[v.args[0]], self.primal(b, v.args[1]))
            elif has_primal(v):
                t = primal_part(v.type)
                self.primals[v] = b.emit(v.op, tuple([self.primal(b, a) for a in v.args]), v.attr, t)

    def forward_for(self, b: Builder, v: Value) -> None:
        block: Block = v.attr
        k = len(v.args)
        there = [has_primal(r) for r in block.results]
        entries = self.kept.get(block, {})
        some = self.some.get(block, {})
        with b.nested() as body:
            self.primals[block.params[0]] = b.param(block.params[0].type)
            for p, yes in zip(block.params[1:], there, strict=False):
                if yes:
                    self.primals[p] = b.param(primal_part(p.type))
            before = [b.param(Bool) for _ in some]
            self.forward(b, block)
            results = [self.primal(b, r) if yes else None for r, yes in zip(block.results, there, strict=True)]
            body.results = (
                *[r for r in results[:k] if r is not None],
                *[or_(c, self.turn_holds(g)) for c, g in zip(before, some.values(), strict=True)],
                *[r for r in results[k:] if r is not None],
                *[self.entry(b, block, e) for e in entries],
            )
        inits = [self.primal(b, a) for a, yes in zip(v.args, there, strict=False) if yes]
        states, vecs = b.close(body, [*inits, *[b.const(False, Bool) for _ in some]])
        self.primals.update(zip(some, states[len(inits) :], strict=True))
        out = iter([*states[: len(inits)], *vecs])
        parts = [next(out) if yes else b.zero(primal_part(t)) for yes, t in zip(there, items(v), strict=True)]
        self.primals[v] = b.tuple(parts)
        self.tapes.update({(v, e): x for e, x in zip(entries, out, strict=True)})

    def turn_holds(self, g: Guard) -> Value | bool:
        """True if a guard holds in this turn, as far as that is known within the loop."""
        mask = holds(g, around(g), self.primals.get)
        return True if mask is None else mask


def is_cheap(v: Value, params: dict[Value, int]) -> bool:
    """True if the backward half makes `v` again: a loop keeps the vector, not each element of it."""
    if v.op is GET or v.op is INDEX:
        whole = v.args[0]
        return whole in params or is_cheap(whole, params) or (v.op is INDEX and whole.block is not v.block)
    return v.op in (CONST, ZERO, real, ifrom, iadd, imul) or is_table(v)


def has_numbers(e: Entry) -> bool:
    """True if an entry of a tape may have a derivative."""
    while not isinstance(e, Value) and e[1] is not None:
        e = e[1]
    return primal_part(e.type).real if isinstance(e, Value) else unzip(e[0].attr).signature.tape.real


def items(v: Value) -> tuple[Type, ...]:
    return items_of(v.type)

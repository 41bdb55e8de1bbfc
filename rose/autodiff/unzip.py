"""Unzipping: the forward half of a function that has tangents, which is what does not touch a `Tan`.

    fwd : primal parameters -> (primal result, tape)

The tape has the residuals, which the linear half reads (see `residuals.py`). `transpose.py` and `linearize.py` make the
linear half, backwards and in order. Types have the same shape in both: what belongs to the other half becomes `Unit`.
"""

from __future__ import annotations

from functools import cached_property

from .. import ir
from ..ir import (
    ADD_TO,
    CONST,
    FOR,
    GET,
    PARAM,
    Block,
    Body,
    Branch,
    Builder,
    Func,
    Linear,
    Opaque,
    Value,
    While,
    is_call,
    loop_of,
)
from ..ir.accumulators import is_ref
from ..ir.callgraph import callees_first, calls, has_tangents, memoised
from ..ir.ops import select
from ..ir.progress import step, timed
from ..ir.puts import PUT
from ..ir.stacks import PUSH
from ..ir.types import Stack, Tan, Type, items_of, primal_part
from ..optimise import costs
from .half_signature import HalfSignature, Kept, declare_forward, has_primal
from .linearity import Loops, is_linear
from .partial_reads import partly_read
from .residuals import Entry, Residuals
from .select_masks import Masks, SelectMasks
from .unzip_control import Nest, Recomputed, Unzipped, UnzippedBranch, UnzippedLinear, UnzippedWhile


def unzip(g: Func) -> Unzipped:
    """The function `g`, which has tangents, unzipped: its forward half, and the plan for its linear half."""
    return memoised(g, unzip, _unzip, has_tangents)


def _unzip(g: Func) -> Unzipped:
    step("derive")
    with timed("unzip"):
        made = _by_kind(g)
    again = g.remat and g.primal is not None  # else it is part of a rule, and takes tangents itself
    return Recomputed(g, made) if again else made


def _by_kind(g: Func) -> Unzipped:
    match g.kind:
        case Body():
            return UnzippedBody(g)
        case Branch(then, otherwise):
            return UnzippedBranch(g, [unzip(then), unzip(otherwise)])
        case While(test, body, most):
            return UnzippedWhile(g, unzip(test), unzip(body), most)
        case Linear():
            return UnzippedLinear(g, g.kind)
        case Opaque():
            raise AssertionError(f"{g} is opaque, and sees a tangent")


class UnzippedBody(Unzipped):
    """A function with instructions, unzipped. What its halves need is found when it is asked for."""

    def __init__(self, g: Func) -> None:
        self.loops = Loops(g, _given)
        self.partial = partly_read(self.loops.code, g.body.results)
        there = {v.op for code in self.loops.code.values() for v in code}
        self.calls = [v for code in self.loops.code.values() for v in code if is_call(v)] if calls(g) else []
        self.puts = PUT in there  # the element that is replaced is not taken
        self.selects = self.puts or select in there or any([_signature(v.attr).chooses for v in self.calls])
        chooses = self.selects or any([v.op is PARAM for v, _ in self.partial])
        self.signature = HalfSignature(g, self._kept, chooses=chooses, unread=self.loops.unread)
        self._masks: dict[bool, Masks] = {}

    def _kept(self) -> Kept:
        tape, r = items_of(self.fwd.result)[1], self.residuals
        return Kept(tape, tuple(r.params.values()), r.items)

    @cached_property
    def residuals(self) -> Residuals:
        return Residuals(self.signature.g, self.loops, _signature)

    @cached_property
    def in_loops(self) -> Residuals:
        """The residuals of a linear half that has in scope what is outside of loops."""
        return Residuals(self.signature.g, self.loops, _signature, in_scope=True)

    def masks(self, *, marked: bool) -> Masks:
        """The masks of a half, all of whose own cotangents are marked or none is."""
        if marked not in self._masks:
            some = marked or self.selects or self.partial
            g, loops = self.signature.g, self.loops
            self._masks[marked] = SelectMasks(g, loops, _signature, self.partial, marked=marked) if some else Masks()
        return self._masks[marked]

    @cached_property
    def nest(self) -> Nest:
        return Nest() if isinstance(self.signature.tape, Stack) else self._tapes

    @cached_property
    def _tapes(self) -> Nest:
        """The tapes that lie in that of `g`."""
        entries = [e for tape in self.residuals.tapes.values() for e in tape]
        return Nest([unzip(e[0].attr).nest for e in entries if not isinstance(e, Value) and e[1] is None])

    def forward(self) -> Func:
        """Make the forward half, after those of the functions that `g` calls, directly or not."""
        g = self.signature.g
        for f in callees_first(g, lambda f: f is g or (has_tangents(f) and "fwd" not in vars(unzip(f)))):
            if f is g:
                break
            _ = unzip(f).fwd
        return ForwardHalf(self.residuals).half(pushes=self._tapes.is_wide)


def _signature(f: Func) -> HalfSignature:
    return unzip(f).signature


def _given(call: Value) -> list[Value]:
    """The linear arguments that a call reads, and the accumulators that it takes."""
    unread = _signature(call.attr).unread
    return [a for k, a in enumerate(call.args) if a.type.linear and (is_ref(a) or k not in unread)]


class ForwardHalf:
    """The instructions that touch no `Tan`, and the tape."""

    def __init__(self, residuals: Residuals) -> None:
        self.residuals, self.g = residuals, residuals.g
        self.primals: dict[Value, Value] = {}  # old value -> its primal
        self.tapes: dict[Entry, Value] = {}  # the tapes of calls and of loops

    def half(self, *, pushes: bool) -> Func:
        """The half as a function. With `pushes` it gives the tape as the only item of a stack."""
        with ir.deriving(self.g, "fwd") as b:
            self.primals = {self.g.params[k]: x for k, x in declare_forward(b, self.g).items()}
            self.block(b, self.g.body)
            tape = b.tuple([self.entry(e) for e in self.residuals.tapes[self.g.body]])
            if (pushes or tape.type.depth > costs.TAPE_DEPTH) and not tape.type.empty:
                tape = b.emit(PUSH, (b.zero(Stack(tape.type)), tape))
            return b.func(b.tuple([self.primal(b, self.g.body.results[0]), tape]))

    def entry(self, e: Entry) -> Value:
        """An entry of the tape of a block."""
        return self.primals[e] if isinstance(e, Value) else self.tapes[e]

    def primal(self, b: Builder, v: Value) -> Value:
        x = self.primals.get(v)
        return b.zero(primal_part(v.type)) if x is None else x

    def block(self, b: Builder, block: Block) -> None:
        primals = self.primals
        for v in block.code:
            b.loc = v.loc
            is_row = v.op.eval is not None  # a row of the table: most are
            if is_row and not v.type.linear:
                primals[v] = b.again(v, tuple([primals[a] if a in primals else self.primal(b, a) for a in v.args]))
                continue
            if v.type is Tan and (is_row or not is_call(v)):
                continue
            linear = is_linear(v)
            if v.op is FOR:
                self.loop(b, v)
            elif is_call(v) and linear:
                self.call(b, v)
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

    def call(self, b: Builder, v: Value) -> None:
        of = unzip(v.attr)
        args = {k: self.primal(b, v.args[k]) for k in of.signature.primal}
        both = of.signature.call_forward(b, of.fwd, args)
        self.primals[v], self.tapes[(v, None)] = b.get(both, 0), b.get(both, 1)

    def loop(self, b: Builder, v: Value) -> None:
        block = loop_of(v)
        k = block.carried
        there = [has_primal(r) for r in block.results]
        entries = self.residuals.tapes.get(block, {})
        with b.nested() as body:
            self.primals[block.index] = b.param(block.indices)
            for p, yes in zip(block.states, there, strict=False):
                if yes:
                    self.primals[p] = b.param(primal_part(p.type))
            self.block(b, block)
            results = [self.primal(b, r) if yes else None for r, yes in zip(block.results, there, strict=True)]
            body.results = (
                *[r for r in results[:k] if r is not None],
                *[r for r in results[k:] if r is not None],
                *[self.entry(e) for e in entries],
            )
        inits = [self.primal(b, a) for a, yes in zip(v.args, there, strict=False) if yes]
        states, vecs = b.close(body, inits)
        out = iter([*states, *vecs])
        parts = [next(out) if yes else b.zero(primal_part(t)) for yes, t in zip(there, items(v), strict=True)]
        self.primals[v] = b.tuple(parts)
        self.tapes.update({(v, e): x for e, x in zip(entries, out, strict=True)})


def items(v: Value) -> tuple[Type, ...]:
    return items_of(v.type)

"""The linear half of a derivative, forwards: tangents in, the tangent of the result out, by way of a tape.

    lin : tangents, saved primal parameters, tape -> the tangent of the result

The forward half is `unzip`'s, the same as for reverse mode. So a function is evaluated once, and its
derivative there can be applied to many tangents. `Real` stands for `Tan`.
"""

from __future__ import annotations

from .. import ir
from ..ir import ACCUM, ADD_TO, AT, FOR, FREEZE, GET, INDEX, PACK, TUPLE, ZERO, Block, Builder, Func, Value, is_call
from ..ir.ops import select
from ..ir.types import Fin, Ref, Tuple, Type, Vec, linear_part
from ..optimise.outlining import LONG, outline
from .linear_half import LinearHalf
from .linearity import is_linear
from .select_masks import is_ref
from .unzip import Unzipped, to_cut, unzip
from .unzip_control import Cut, CutAgain, CutChoice, CutTurns


def linearize(g: Func) -> tuple[Func, Func, tuple[int, ...]]:
    """The forward half of a function that has tangents, its linear half, and which parameters that reads."""
    for f in to_cut(g, "linearize"):
        of = unzip(f)
        f.memo["linearize"] = of.fwd, _along(of), of.saved
    return g.memo["linearize"]


def _along(of: Cut) -> Func:
    if isinstance(of, CutChoice):
        return of.linear(f"{of.g.name}.lin", [linearize(arm.g)[1] for arm in of.arms], 1)
    if isinstance(of, CutAgain):
        return of.linear(f"{of.g.name}.lin", _along(of.whole), 1)
    if isinstance(of, CutTurns):
        return of.along(f"{of.g.name}.lin", linearize(of.body.g)[1])
    assert isinstance(of, Unzipped)
    return outline(_Along(of).half(), LONG)


def _type(v: Value) -> Type:
    return Ref(linear_part(v.type)) if is_ref(v) else linear_part(v.type)


class _Along(LinearHalf):
    """The linear instructions, in order."""

    def __init__(self, of: Unzipped) -> None:
        super().__init__(of)
        self.env: dict[Value, Value] = {}

    def half(self) -> Func:
        with ir.building(f"{self.g.name}.lin") as b:
            for p in self.g.params:
                if p.type.linear:
                    b.loc = p.loc
                    self.env[p] = b.param(_type(p), p.attr)
            self.take(b)
            self.take_tape(b)
            self.block(b, self.g.body)
            return b.func(self.linear(b, self.g.body.results[0]))

    def linear(self, b: Builder, v: Value) -> Value:
        """The linear part of `v`; nothing, or zeros, where it has none."""
        if v.op is AT:  # made where it is used: only there is its index planned for
            return b.at(self.linear(b, v.args[0]), self.again(b, v.args[1]) if len(v.args) > 1 else v.attr)
        return self.env[v] if v in self.env else b.zero(_type(v))

    def block(self, b: Builder, block: Block) -> None:
        for v in block.code:
            b.loc = v.loc
            if v.op is FOR:
                if self.of.loops.linear[v]:
                    self.loop(b, v)
            elif v.op is not AT and is_linear(v):
                self.env[v] = self.instruction(b, v)

    def instruction(self, b: Builder, v: Value) -> Value:
        op, args, t = v.op, v.args, _type(v)
        if is_call(v):
            return self.call(b, v)
        xs = [self.linear(b, a) if a.type.linear or op in (TUPLE, PACK) else self.again(b, a) for a in args]
        if op is ZERO:
            return b.zero(t)
        if op is TUPLE:
            assert isinstance(t, Tuple)
            return b.tuple(xs, t)
        if op is PACK:
            assert isinstance(t, Vec)
            return b.pack(xs, t)
        if op is GET:
            return b.get(xs[0], v.attr)
        if op is INDEX:
            return b.index(xs[0], xs[1])
        if op is ADD_TO:
            b.add_to(xs[0], xs[1])
            return b.unit()
        assert op in (ACCUM, FREEZE, select) or op.transpose is not None, v
        return b.emit(op, tuple(xs))

    def call(self, b: Builder, v: Value) -> Value:
        _, lin, saved = linearize(v.attr)
        given = [self.linear(b, a) for a in v.args if a.type.linear]
        kept = [self.again(b, v.args[k]) for k in saved]
        return b.call(lin, [*given, *kept, self.from_tape(b, v.block, (v, None))])

    def loop(self, b: Builder, v: Value) -> None:
        block: Block = v.attr
        k = len(v.args)
        n = block.params[0].type
        assert isinstance(n, Fin)
        moves = [r.type.linear for r in block.results]

        def body(i: Value, *states: Value) -> tuple[list[Value], list[Value]]:
            self.turn[block] = i
            self.env.update(zip([p for p, m in zip(block.params[1:], moves, strict=False) if m], states, strict=True))
            self.block(b, block)
            results = [self.linear(b, r) for r, m in zip(block.results, moves, strict=True) if m]
            return results[: sum(moves[:k])], results[sum(moves[:k]) :]

        inits = [self.linear(b, a) for a, m in zip(v.args, moves, strict=False) if m]
        after, vecs = b.loop(n.size, body, inits)
        out = iter([*after, *vecs])
        whole = _type(v)
        assert isinstance(whole, Tuple)
        self.env[v] = b.tuple([next(out) if m else b.zero(t) for m, t in zip(moves, whole.items, strict=True)], whole)

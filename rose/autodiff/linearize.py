"""Linearisation: the linear half of a derivative, in order.

    lin : tangents, residual parameters, tape -> the tangent of the result

The forward half is that of reverse mode. So a function is evaluated once, and its derivative there can be applied to
many tangents. `Real` stands for `Tan`.
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir import AT, ZERO, Builder, Func, Value, is_call, loop_of
from ..ir.callgraph import has_tangents, memoised
from ..ir.progress import timed
from ..ir.types import Tuple
from ..optimise.instruments import told
from .half_signature import Arguments, HalfSignature, Way, tangent_type
from .linear_half import LinearHalf
from .unzip import UnzippedBody, unzip
from .unzip_control import Recomputed, Unzipped, UnzippedBranch, UnzippedLinear, UnzippedWhile


class Linearized(NamedTuple):
    """The forward and the linear half of a function, and how to call them."""

    fwd: Func
    lin: Func
    signature: HalfSignature


def linearize(g: Func) -> Linearized:
    """The forward and the linear half of a function that has tangents."""
    return memoised(g, linearize, _linearize, has_tangents)


def _linearize(g: Func) -> Linearized:
    of = unzip(g)
    with timed("linearize"):
        return Linearized(of.fwd, told("linearize", _linear(of)), of.signature)


def _linear(of: Unzipped) -> Func:
    if isinstance(of, UnzippedBranch):
        return of.half(Way.LINEAR, [linearize(u.signature.g).lin for u in of.branches])
    if isinstance(of, Recomputed):
        return of.half(Way.LINEAR, _linear(of.whole))
    if isinstance(of, UnzippedWhile):
        return of.linear(linearize(of.body.signature.g).lin)
    if isinstance(of, UnzippedLinear):
        return of.linear()
    assert isinstance(of, UnzippedBody)
    return _Linear(of).half()


class _Linear(LinearHalf):
    """The linear instructions, in order."""

    way = Way.LINEAR

    def __init__(self, of: UnzippedBody) -> None:
        super().__init__(of)
        self.env: dict[Value, Value] = {}

    def body(self, b: Builder, given: Arguments) -> Value:
        self.env = {self.g.params[k]: x for k, x in given.linear.items() if isinstance(x, Value)}
        self.block(b, self.g.body)
        return self.linear(b, self.g.body.results[0])

    def linear(self, b: Builder, v: Value) -> Value:
        """The linear part of `v`; nothing, or zeros, where it has none."""
        if v.op is AT:  # made where it is used: only there is its index planned for
            return b.at(self.linear(b, v.args[0]), self.primal(b, v.args[1]) if len(v.args) > 1 else v.attr)
        return self.env[v] if v in self.env else b.zero(tangent_type(v))

    def instruction(self, b: Builder, v: Value) -> None:
        self.env[v] = self.value(b, v)

    def value(self, b: Builder, v: Value) -> Value:
        if is_call(v):
            return self.call(b, v)
        if v.op is ZERO:
            return b.zero(tangent_type(v))
        linear = zip(v.args, v.op.is_linear_in(len(v.args)), strict=True)
        xs = tuple([self.linear(b, a) if m else self.primal(b, a) for a, m in linear])
        return b.make(v.op, xs, v.attr, tangent_type(v))

    def call(self, b: Builder, v: Value) -> Value:
        _, lin, signature = linearize(v.attr)
        tangents = {k: self.linear(b, v.args[k]) for k in signature.linear}
        primals = {k: self.primal(b, v.args[k]) for k in signature.residuals}
        return signature.call(b, lin, Arguments(tangents, primals, [], self.call_tape(b, v)))

    def loop(self, b: Builder, v: Value) -> None:
        block = loop_of(v)
        k = block.carried
        n = block.indices
        moves = [r.type.linear for r in block.results]

        def body(i: Value, *states: Value) -> tuple[list[Value], list[Value]]:
            self.indices[block] = i
            self.env.update(zip([p for p, m in zip(block.states, moves, strict=False) if m], states, strict=True))
            self.block(b, block)
            results = [self.linear(b, r) for r, m in zip(block.results, moves, strict=True) if m]
            return results[: sum(moves[:k])], results[sum(moves[:k]) :]

        inits = [self.linear(b, a) for a, m in zip(v.args, moves, strict=False) if m]
        after, vecs = b.loop(n.size, body, inits, self.span(b, v))
        out = iter([*after, *vecs])
        whole = tangent_type(v)
        assert isinstance(whole, Tuple)
        self.env[v] = b.tuple([next(out) if m else b.zero(t) for m, t in zip(moves, whole.items, strict=True)], whole)

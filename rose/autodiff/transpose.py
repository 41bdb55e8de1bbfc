"""Reverse mode: the two halves of a derivative, from the function that `jvp` made.

`unzip` makes the forward half. The backward half goes through the linear instructions in reverse: what was read is
now added to, and what was added to is now read. Both are over `Real` alone, so they can be differentiated again.

    fwd : primal parameters                               -> (primal result, tape)
    bwd : accumulators, residual parameters, ct, tape      -> the cotangents that are summed by value

`half_signature.py` has the details.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import NotLinear
from ..ir import ACCUM, ADD_TO, AT, FREEZE, GET, INDEX, PACK, TUPLE, ZERO, Block, Builder, Func, Value, is_call
from ..ir.accumulators import is_ref
from ..ir.callgraph import has_tangents, memoised
from ..ir.ops import add, ifrom, select
from ..ir.progress import step
from ..ir.sizes import differ
from ..ir.types import Fin, Tan, linear_part
from ..optimise.outlining import LONG, outline
from .cotangents import Cotangent, Sums, by_value
from .half_signature import Arguments, HalfSignature, Total, Way, opened
from .linear_half import LinearHalf
from .select_masks import MaskWriter
from .unzip import UnzippedBody, unzip
from .unzip_control import Recomputed, Unzipped, UnzippedBranch, UnzippedWhile


class Halves(NamedTuple):
    """The forward and the backward half of a function, and how to call them."""

    fwd: Func
    bwd: Func
    signature: HalfSignature


def transpose(g: Func) -> Halves:
    """The two halves of a function that has tangents."""
    return memoised(g, transpose, _transpose, has_tangents)


def _transpose(g: Func) -> Halves:
    step("derive")
    of = unzip(g)
    return Halves(of.fwd, _backward(of), of.signature)


def _backward(of: Unzipped) -> Func:
    if isinstance(of, UnzippedBranch):
        return of.half(Way.BACKWARD, [transpose(u.signature.g).bwd for u in of.branches])
    if isinstance(of, Recomputed):
        return of.half(Way.BACKWARD, _backward(of.whole))
    if isinstance(of, UnzippedWhile):
        return of.backward(transpose(of.body.signature.g).bwd)
    assert isinstance(of, UnzippedBody)
    return outline(_Backward(of).half(), LONG)


class _Backward(LinearHalf):
    """The linear instructions in reverse."""

    way = Way.BACKWARD

    def __init__(self, of: UnzippedBody) -> None:
        super().__init__(of)
        self.loops, self.masks = of.residuals.loops, of.residuals.masks
        self.masked = MaskWriter(self.primal).masked
        self.cts: dict[Value, Cotangent | Value] = {}  # of a number, the sum itself
        self.reads: dict[Value, Value | None] = {}  # old linear accumulator -> its cotangent, a value

    def body(self, b: Builder, given: Arguments) -> Value:
        for k, total in given.linear.items():
            p = self.g.params[k]
            if isinstance(total, Value):
                self.reads[p] = total
            else:
                self.cts[p] = total
        self.add(b, self.g.body.results[0], given.ct[0])
        self.block(b, self.g.body)
        return self.signature.result(b, given.linear)

    # contributions

    def contribute(self, b: Builder, user: Value, arg: Value, ct: Value) -> None:
        """Add a contribution of `user` to the cotangent of its argument, masked if it leaves a branch of `select`."""
        if arg.type.linear:
            g = self.masks.leaving(user, arg)
            self.add(b, arg, ct if g is None else self.masked(b, g, ct))

    def add(self, b: Builder, v: Value, ct: Value) -> None:
        if v.type is Tan and v.op is not GET:
            known = self.cts.get(v)
            if known is None:
                self.cts[v] = ct
            elif isinstance(known, Value):
                self.cts[v] = b.emit(add, (known, ct))
            else:
                self.cotangent(v).add(b, ct)
        elif v.type.linear:
            self.cotangent(v).add(b, ct)

    def cotangent(self, v: Value) -> Cotangent:
        if v.op is GET and self.masks.leaving(v, v.args[0]) is None:
            items = self.cotangent(v.args[0]).items  # an item of a tuple is summed there
            assert items is not None
            k: int = v.attr
            return items[k]
        ct = self.cts.get(v)
        if not isinstance(ct, Cotangent):
            made = self.cts[v] = Cotangent(linear_part(v.type))
            made.sum = ct
            return made
        return ct

    def closed(self, b: Builder, v: Value) -> Value | None:
        ct = self.cts.pop(v, None)
        return ct.close(b) if isinstance(ct, Cotangent) else ct

    # instructions, in reverse

    def row(self, b: Builder, v: Value, rule: Callable[..., Sequence[Value | None]]) -> None:
        """An instruction that has a transpose in the table."""
        if (ct := self.closed(b, v)) is not None:
            primals = [None if a.type.linear else self.primal(b, a) for a in v.args]
            for a, part in zip(v.args, rule(ct, *primals), strict=True):
                if part is not None:
                    self.contribute(b, v, a, part)

    def instruction(self, b: Builder, v: Value) -> None:
        op = v.op
        if op.transpose is not None:
            self.row(b, v, op.transpose)
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
        if op is TUPLE:
            for k, x in enumerate(args):
                if x.type.linear:
                    self.contribute(b, v, x, b.get(ct, k))
        elif op is GET:
            self.cotangent(args[0]).items[v.attr].add(b, self.masked(b, self.masks.leaving(v, args[0]), ct))  # pyright: ignore
        elif op is PACK:
            for k, x in enumerate(args):
                self.contribute(b, v, x, b.index(ct, k))
        elif op is INDEX:
            self.index(b, v, self.masked(b, self.masks.leaving(v, args[0]), ct))
        elif op is select:
            c, zero = self.primal(b, args[0]), b.zero(ct.type)
            self.contribute(b, v, args[1], b.emit(select, (c, ct, zero)))
            self.contribute(b, v, args[2], b.emit(select, (c, zero, ct)))
        elif op is not ZERO:
            raise NotLinear(f"{op.name} is not linear, so it takes no tangent", v.loc, "use add, sub, mul or div")

    def index(self, b: Builder, v: Value, ct: Value) -> None:
        whole, i = self.cotangent(v.args[0]), self.primal(b, v.args[1])
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
                ct = b.index(ct, self.primal(b, at.args[1])) if len(at.args) > 1 else b.get(ct, at.attr)
        return ct

    def call(self, b: Builder, v: Value) -> None:
        _, bwd, signature = transpose(v.attr)
        ct = self.closed(b, v)
        linear = {k: v.args[k] for k in signature.linear}
        sums = {a: self.read(b, a) for a in linear.values() if is_ref(a)}
        if ct is None and all(x is None for x in sums.values()):
            return
        totals: dict[int, Total] = {}
        leaving: list[tuple[Value, Cotangent]] = []
        for k, a in linear.items():
            if is_ref(a):
                x = sums[a]
                totals[k] = b.zero(linear_part(a.type)) if x is None else x
                continue
            totals[k] = total = self.cotangent(a)
            if self.masks.leaving(v, a) is not None:
                totals[k] = total = Cotangent(linear_part(a.type))  # what leaves a branch is masked as a whole
                leaving.append((a, total))
            opened(b, total)  # before primals are read: to clear memory is a call, and may move what is in registers
        primals = {k: self.primal(b, v.args[k]) for k in signature.residuals}
        back = b.zero(linear_part(v.type)) if ct is None else ct
        signature.call_backward(b, bwd, Arguments(totals, primals, [back], self.call_tape(b, v)))
        for a, total in leaving:
            if (part := total.close(b)) is not None:
                self.contribute(b, v, a, part)

    # loops

    def give(self, b: Builder, loop: Value, j: int, ct: Value) -> None:
        """Add the cotangent of one result of a loop, in one iteration, to that of what the iteration gave."""
        self.add(b, loop.attr.results[j], self.masked(b, self.masks.leaving_iteration(loop, j), ct))

    def loop(self, b: Builder, v: Value) -> None:
        """The loop for a loop: its iterations in reverse order, if it has linear states to carry back."""
        block: Block = v.attr
        n = block.params[0].type
        assert isinstance(n, Fin)
        k = len(v.args)
        results = list(self.cotangent(v).items or [])
        self.cts.pop(v)
        cts = [ct.close(b) for ct in results]
        states = [j for j in range(k) if block.results[j].type.linear]
        if not differ(n.size, 0):
            for j in states:
                if (ct := cts[j]) is not None:
                    self.contribute(b, v, v.args[j], ct)
            return
        outside = [leaf for x in self.loops.outside[v] if not is_ref(x) for leaf in self.cotangent(x).leaves()]
        for leaf in outside:
            if not by_value(leaf.type):
                leaf.open(b)
        sums = Sums(b, [leaf for leaf in outside if by_value(leaf.type)])
        types = [linear_part(block.results[j].type) for j in states]

        def body(i: Value, *carried: Value) -> tuple[list[Value], list[Value]]:
            self.indices[block] = ifrom(i, b.const(n.size - 1, Fin(n.size))) if states else i
            for j, ct in zip(states, carried, strict=True):
                self.give(b, v, j, ct)
            for j, ct in enumerate(cts):
                if ct is not None and j >= k:
                    self.give(b, v, j, b.index(ct, self.indices[block]))
            self.block(b, block)
            sums.end_iteration(b)
            back = [self.closed(b, block.params[1 + j]) for j in states]
            return [b.zero(t) if x is None else x for x, t in zip(back, types, strict=True)], []

        last = [cts[j] for j in states]
        inits = [b.zero(t) if x is None else x for x, t in zip(last, types, strict=True)]
        out, _ = b.loop(n.size, body, inits)
        sums.leave()
        for j, ct in zip(states, out, strict=True):
            self.contribute(b, v, v.args[j], ct)
        sums.end(b)  # last, as where the loop is called with a vector of them

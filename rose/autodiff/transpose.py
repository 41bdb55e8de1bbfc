"""Reverse mode: the two halves of a derivative, from the function that `jvp` made.

`unzip` makes the forward half. The backward half goes through the linear instructions in reverse: what was read is
now added to, and what was added to is now read. Both are over `Real` alone, so they can be differentiated again.

    fwd : primal parameters                               -> (primal result, tape)
    bwd : accumulators, residual parameters, ct, tape      -> the cotangents that are summed by value

`half_signature.py` has the details.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from typing import NamedTuple

from ..errors import NotLinear
from ..ir import (
    ACCUM,
    ADD_TO,
    AT,
    FREEZE,
    GET,
    INDEX,
    PACK,
    TUPLE,
    ZERO,
    Builder,
    Func,
    Value,
    is_call,
    is_literal,
    loop_of,
)
from ..ir.accumulators import begins_at_zero, is_ref
from ..ir.callgraph import Work, done
from ..ir.ops import add, iadd, ibeyond, ifrom, reached, select
from ..ir.progress import step, timed
from ..ir.puts import PUT, put
from ..ir.reshapes import RESHAPE, reshaped_back
from ..ir.sizes import differ
from ..ir.stacks import MORE, POP, PUSH, pop
from ..ir.types import Bool, Fin, Real, Stack, Tan, Tuple, Type, Vec, linear_part
from ..optimise.instruments import leaves_out, told
from .cotangents import Cotangent, Path, Place, Sums, by_value, never_marked, nothing, plain
from .crossed_reads import CrossedReads
from .guards import Guard, MaskWriter, joined_by
from .half_signature import Arguments, HalfSignature, Total, Way, opened
from .linear_half import LinearHalf
from .linear_parts import key_of, leaves
from .residuals import Residuals
from .select_masks import SelectMasks, Source
from .unzip import UnzippedBody, unzip
from .unzip_control import Recomputed, Unzipped, UnzippedBranch, UnzippedLinear, UnzippedWhile


class Halves(NamedTuple):
    """The forward and the backward half of a function, and how to call them."""

    fwd: Func
    bwd: Func
    signature: HalfSignature


def transpose(g: Func) -> Halves:
    """The two halves of a function that has tangents."""
    of = unzip(g)
    with timed("transpose"):
        return Halves(of.fwd, done(backward(g, marked=False)), of.signature)


def backward(g: Func, *, marked: bool) -> Work[Func]:
    key = (transpose, marked, leaves_out("crossed-reads"))
    if key not in g.memo:
        step("derive")
        g.memo[key] = told("transpose", (yield _backward_of(unzip(g), marked)))
    return g.memo[key]


def _backward_of(of: Unzipped, marked: bool) -> Work[Func]:
    if isinstance(of, UnzippedBranch):
        then, otherwise = [u.signature.g for u in of.branches]
        halves: list[Func] = [(yield backward(then, marked=marked)), (yield backward(otherwise, marked=marked))]
        return of.half(Way.BACKWARD, halves, marked)
    if isinstance(of, Recomputed):
        return of.half(Way.BACKWARD, (yield _backward_of(of.whole, marked)), marked)
    if isinstance(of, UnzippedWhile):
        return of.backward((yield backward(of.body.signature.g, marked=marked)), marked)
    if isinstance(of, UnzippedLinear):
        return of.backward(marked)
    assert isinstance(of, UnzippedBody)
    work = Backward(of, marked)
    for v in of.calls:
        work.halves[v] = yield backward(v.attr, marked=work.masks.half(v))
    return work.half()


class Backward(LinearHalf):
    """The linear instructions in reverse."""

    way = Way.BACKWARD

    def __init__(self, of: UnzippedBody, marked: bool, residuals: Residuals | None = None) -> None:
        super().__init__(of, marked, residuals)
        self.loops, self.puts, self.masks = of.loops, of.puts, of.masks(marked=marked)
        self.halves: dict[Value, Func] = {}  # the backward half for each call
        self.tests: dict[Value, Value] = {}  # whether numbers were reached, for their guards
        self.under: dict[Cotangent, list[Guard | None]] = {}  # the guards of what is not marked yet
        self.cts: dict[Value, Cotangent | Value] = {}  # of a number, the sum itself
        self.spares: dict[Type, Value] = {}  # accumulators that nothing is added to
        self.reads: dict[Value, Value | None] = {}  # old linear accumulator -> its cotangent, a value
        self.begun: set[Value] = set()  # the linear accumulators whose cotangent was handed on
        self.crossed = CrossedReads(of.loops.code)
        self.apart: dict[Value, tuple[Value, Value]] = {}  # a number -> its array, and the sum that it is added to

    @cached_property
    def writer(self) -> MaskWriter:
        """What writes masks; few halves have any."""
        return MaskWriter(self.condition)

    def condition(self, b: Builder, c: Value) -> Value:
        """A condition of a guard: one of the program, or whether a number was reached."""
        if c.op is reached and not c.args:
            return self.tests[c] if c in self.tests else b.const(False, Bool)
        return self.primal(b, c)

    def body(self, b: Builder, given: Arguments) -> Value:
        self.sweep(b, given.linear, given.ct[0])
        return self.signature.result(b, given.linear)

    def sweep(self, b: Builder, totals: Mapping[int, Total], ct: Value) -> None:
        """Add what the cotangent of the result contributes to the totals of the linear parameters."""
        for k, total in totals.items():
            p = self.g.params[k]
            if isinstance(total, Value):
                self.reads[p] = total
            else:
                self.cts[p] = total
        self.give(b, self.g.body.results[0], ct, lambda part: Source(marked=self.marked))
        self.block(b, self.g.body)

    # contributions

    def contribute(self, b: Builder, user: Value, k: int, ct: Value, result: Value | None = None) -> None:
        """Add a contribution of `user` to the cotangent of its argument `k`, masked if it leaves a branch of `select`.

        If `user` is a loop, this may be one to its `result` `k` in an iteration.
        """
        arg = user.args[k] if result is None else result
        if arg.type.linear and arg.op is not ZERO:
            masks = self.masks
            if isinstance(masks, SelectMasks):
                self.give(b, arg, ct, lambda part: masks.source(user, user.op.place(k, part), arg, part))
            else:
                self.add(b, arg, ct)

    def give(self, b: Builder, arg: Value, ct: Value, source: Callable[[Path], Source]) -> None:
        """Add a contribution, of which each part has a source of its own."""
        if not isinstance(self.masks, SelectMasks):
            self.add(b, arg, ct)
        elif arg.type is Tan and arg.op is not GET and not self.masks.is_marked((arg, ())):
            self.add(b, arg, self.as_in(b, arg, (), ct, source(())))
        else:
            for part, _ in leaves(arg.type):
                leaf, x, given = self.cotangent(arg).part(part), ct, source(part)
                for k in part:
                    x = b.get(x, k)
                if not given.used and _is_zero(x):
                    continue
                if leaf.marked and leaf.type is Real and self.masks.sees(key_of(arg, part), given):
                    self.add_plain(b, self.masks, leaf, x, given)
                    continue
                x = self.as_in(b, arg, part, x, given)
                if not leaf.marked and not by_value(leaf.type) and not self.puts:
                    leaf.open(b)  # no sum that begins at 0.0 is ever -0.0; a put would have a vector added for a number
                leaf.add(b, x)

    def add_plain(self, b: Builder, masks: SelectMasks, leaf: Cotangent, ct: Value, source: Source) -> None:
        """Add a plain contribution to a marked number, which is marked once, where it is complete."""
        if source.leaving is not None:
            ct = self.masked(b, source.leaving, ct, b.zero(ct.type))
        under = self.under.setdefault(leaf, [])
        under.append(source.under)

        def mark(ct: Value) -> Value:
            return self.marked_as(b, ct, masks.guards.any_of(self.under.pop(leaf)))

        leaf.add_plain(b, ct, mark)

    def as_in(self, b: Builder, arg: Value, part: Path, ct: Value, source: Source) -> Value:
        """A contribution as the cotangent to which it is added takes it, marked or plain."""
        if self.masks.is_marked(key_of(arg, part)):
            return ct if source.marked else self.marked_as(b, ct, source.under)
        if source.marked:
            return plain(b, ct)
        return ct if source.leaving is None else self.masked(b, source.leaving, ct, b.zero(ct.type))

    def marked_as(self, b: Builder, ct: Value, g: Guard | None) -> Value:
        """A marked contribution, from a plain one under a guard."""
        if isinstance(ct.type, Stack):
            return ct if g is None else self.masked(b, g, ct, b.zero(ct.type))
        if ct.type is Real:
            if g is not None and ct.op is select and any([c is ct.args[0] for c in joined_by(self.writer.mask(b, g))]):
                ct = ct.args[1]  # chosen by the mask as well
            ct = plain(b, ct)
        elif not (ct.op is FREEZE and begins_at_zero(ct.args[0])):
            ref = b.accum(b.zero(ct.type))
            b.add_to(ref, ct)
            ct = b.freeze(ref)
        return ct if g is None else self.masked(b, g, ct, nothing(b, ct.type))

    def masked(self, b: Builder, g: Guard, ct: Value, otherwise: Value) -> Value:
        return b.emit(select, (self.writer.mask(b, g), ct, otherwise))

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
        if v.op is GET:
            items = self.cotangent(v.args[0]).items  # an item of a tuple is summed there
            assert items is not None
            k: int = v.attr
            return items[k]
        ct = self.cts.get(v)
        if not isinstance(ct, Cotangent):
            made = self.cts[v] = Cotangent(linear_part(v.type), self.marks_of(v), place=self.place_of(v))
            made.sum = ct
            return made
        return ct

    def marks_of(self, v: Value) -> Callable[[Path], bool]:
        masks = self.masks
        return (lambda path: masks.is_marked(key_of(v, path))) if isinstance(masks, SelectMasks) else never_marked

    def place_of(self, v: Value) -> Place | None:
        return None if v.op is not INDEX or v.type is Tan else lambda b: self.place(b, v)

    def place(self, b: Builder, v: Value) -> Value:
        """The place of an element in the cotangent of its vector."""
        if v not in self.apart:
            i = self.primal(b, v.args[1])
            return b.at(self.cotangent(v.args[0]).open(b), i)
        whole, ref = self.apart[v]
        path: list[Value] = []
        while v is not whole:
            path.append(self.primal(b, v.args[1]))
            v = v.args[0]
        return reduce(b.at, reversed(path), ref)

    def spare(self, t: Type) -> Cotangent:
        """The cotangent of what a call does not contribute to: all of a type share one accumulator, of no loop."""

        def place(b: Builder) -> Value:
            if t not in self.spares:
                inside, b.block = b.block, b.root
                self.spares[t] = b.accum(b.zero(t))
                b.block = inside
            return self.spares[t]

        return Cotangent(t, place=place)

    def closed(self, b: Builder, v: Value) -> Value | None:
        ct = self.cts.pop(v, None)
        return ct.close(b) if isinstance(ct, Cotangent) else ct

    def total(self, b: Builder, v: Value) -> Value:
        """The sum, zero if nothing was ever added."""
        self.cotangent(v)
        made = self.cts.pop(v)
        assert isinstance(made, Cotangent)
        return made.total(b)

    def number(self, b: Builder, v: Value) -> Value | None:
        """The sum of the contributions to a value; if it is a marked number, whether there are any is noted."""
        ct = self.closed(b, v)
        if ct is None or not isinstance(self.masks, SelectMasks) or v not in self.masks.reached:
            return ct
        marker = self.masks.reached[v].condition
        assert marker is not None
        self.tests[marker] = reached(ct)
        return plain(b, ct)

    # instructions, in reverse

    def row(self, b: Builder, v: Value, rule: Callable[..., Sequence[Value | None]]) -> None:
        """An instruction that has a transpose in the table."""
        if (ct := self.number(b, v)) is not None:
            primals = [None if a.type.linear else self.primal(b, a) for a in v.args]
            for k, part in enumerate(rule(ct, *primals)):
                if part is not None:
                    self.contribute(b, v, k, part)

    def stack(self, b: Builder, v: Value) -> None:
        """In reverse a `push` is a `pop`, and a `pop` is a `push`."""
        ct, s = self.closed(b, v), v.args[0]
        if ct is None:
            return
        if v.op is POP:
            t = linear_part(v.type)
            whole = self.element(b, v, ct, t, ())
            self.add(b, s, b.emit(PUSH, (b.get(whole, 1), b.get(whole, 0))))
            return
        item, below = pop(b, ct)
        self.contribute(b, v, 0, below)
        if self.masks.is_marked((v, ())):  # a stack may end early: below it is nothing
            item = b.emit(select, (b.emit(MORE, (ct,)), item, nothing(b, item.type)))
        self.contribute(b, v, 1, item)

    def instruction(self, b: Builder, v: Value) -> None:
        op = v.op
        if op is POP or op is PUSH:
            self.stack(b, v)
        elif (rule := op.transpose) is not None:
            self.row(b, v, rule)
        elif op is ADD_TO:
            if (ct := self.read(b, v.args[0])) is not None:
                self.contribute(b, v, 1, ct)
        elif op is ACCUM:
            if (ct := self.reads.get(v)) is not None and v not in self.begun:
                self.contribute(b, v, 0, ct)
        elif op is FREEZE:
            self.freeze(b, v, v.args[0])
        elif is_call(v):
            self.call(b, v)
        elif op is INDEX:
            self.index(b, v)
        elif (ct := self.number(b, v)) is not None:
            if op is PUT:
                self.put(b, v, ct)
            else:
                self.simple(b, v, ct)

    def simple(self, b: Builder, v: Value, ct: Value) -> None:
        """An instruction whose cotangent goes to its arguments and nowhere else."""
        op, args = v.op, v.args
        if op is TUPLE:
            for k, x in enumerate(args):
                if x.type.linear:
                    self.contribute(b, v, k, b.get(ct, k))
        elif op is PACK:
            for k in range(len(args)):
                self.contribute(b, v, k, b.index(ct, k))
        elif op is RESHAPE:
            self.contribute(b, v, 0, reshaped_back(b, v, ct))
        elif op is select:
            c, zero = self.primal(b, args[0]), self.zero(b, v)
            self.contribute(b, v, 1, b.emit(select, (c, ct, zero)))
            self.contribute(b, v, 2, b.emit(select, (c, zero, ct)))
        elif op is not ZERO:
            raise NotLinear(f"{op.name} is not linear, so it takes no tangent", v.loc, "use add, sub, mul or div")

    def put(self, b: Builder, v: Value, ct: Value) -> None:
        """The cotangent of the element is taken out of that of the vector, where it leaves nothing."""
        path = [self.primal(b, i) for i in v.args[1:-1]]
        taken = ct
        for i in path:
            taken = b.index(taken, i)
        if not taken.type.scalar:
            taken = b.freeze(b.accum(taken))  # a copy: the place of the other is written to
        empty = nothing(b, taken.type) if self.masks.is_marked((v, ())) else b.zero(taken.type)
        self.contribute(b, v, len(path) + 1, taken)
        self.contribute(b, v, 0, put(b, ct, path, empty))

    def freeze(self, b: Builder, v: Value, ref: Value) -> None:
        """The cotangent of a sum is also that of the vector at which it begins: other contributions are added to it."""
        ct = self.reads[ref] = self.number(b, v)
        if ct is not None and ref.op is ACCUM and ref.block is v.block and isinstance(ct.type, Vec):
            self.begun.add(ref)
            self.contribute(b, ref, 0, ct)

    def zero(self, b: Builder, v: Value) -> Value:
        """The cotangent of what a `select` does not take."""
        return b.zero(linear_part(v.type)) if v.type is Tan else self.cotangent(v).zero(b)

    def index(self, b: Builder, v: Value) -> None:
        """Add the cotangent of an element to that of its vector; the vectors in it are there."""
        if v.type is Tan:
            if (ct := self.number(b, v)) is not None:
                b.add_to(self.place(b, v), self.element(b, v, ct, Real, ()))
        elif isinstance(total := self.cts.pop(v, None), Cotangent):
            for path, t in leaves(v.type):
                leaf = total.part(path)
                if by_value(leaf.type) and leaf.place is not None and (ct := leaf.close(b)) is not None:
                    b.add_to(leaf.place(b), self.element(b, v, ct, linear_part(t), path))

    def element(self, b: Builder, v: Value, ct: Value, t: Type, path: Path) -> Value:
        """The cotangent of an element, or of a part of it, as that of the vector takes it."""
        masks = self.masks
        if t.empty or not isinstance(masks, SelectMasks):
            return ct
        if isinstance(t, Tuple):
            parts = enumerate(t.items)
            return b.tuple([self.element(b, v, b.get(ct, k), x, (*path, k)) for k, x in parts], t)
        source = masks.source(v, path, v.args[0], ())
        if not source.used and _is_zero(ct):
            return nothing(b, t) if masks.is_marked(key_of(v.args[0])) else ct
        return self.as_in(b, v.args[0], (), ct, source)

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
        signature, marked = unzip(v.attr).signature, self.masks.half(v)
        linear = {k: v.args[k] for k in signature.linear}
        sums = {a: self.sum_of(b, a, marked) for a in linear.values() if is_ref(a)}
        back = self.cotangent(v)
        ct = self.closed(b, v)
        if ct is None and all(x is None for x in sums.values()):
            return
        totals: dict[int, Total] = {}
        for k, a in linear.items():
            if is_ref(a):
                x, t = sums[a], linear_part(a.type)
                totals[k] = x if x is not None else nothing(b, t) if marked else b.zero(t)
                continue
            nowhere = k in signature.unread or a.op is ZERO  # a zero of outside of this loop has no sum: see `has_sum`
            total = self.spare(linear_part(a.type)) if nowhere else self.cotangent(a)
            totals[k] = total
            opened(b, total)  # before primals are read: to clear memory is a call, and may move what is in registers
        self.pull(b, v, totals, back, ct)

    def pull(self, b: Builder, v: Value, totals: Mapping[int, Total], back: Cotangent, ct: Value | None) -> None:
        """Add what a call contributes to its arguments, whose sums are open, by its backward half."""
        signature = unzip(v.attr).signature
        primals = {k: self.residual(b, v.args[k], signature.kept.items.get(k)) for k in signature.residuals}
        given = Arguments(totals, primals, [back.zero(b) if ct is None else ct], self.call_tape(b, v))
        signature.call_backward(b, self.halves[v], given, self.masks.half(v))

    def residual(self, b: Builder, v: Value, items: Iterable[int] | None) -> Value:
        """An argument that a backward half reads, or some items of it."""
        return self.primal(b, v)

    def sum_of(self, b: Builder, ref: Value, marked: bool) -> Value | None:
        """The cotangent of an accumulator, as the backward half of a call takes it."""
        ct, masks = self.read(b, ref), self.masks
        if ct is None or not marked or not isinstance(masks, SelectMasks):
            return ct
        return self.marked_whole(b, masks, ref, ct, linear_part(ref.type), ())

    def marked_whole(self, b: Builder, masks: SelectMasks, ref: Value, ct: Value, t: Type, path: Path) -> Value:
        if isinstance(t, Tuple):
            parts = enumerate(t.items)
            return b.tuple([self.marked_whole(b, masks, ref, b.get(ct, k), x, (*path, k)) for k, x in parts], t)
        key = key_of(ref, path)
        if t.empty or masks.is_marked(key):
            return ct
        return self.marked_as(b, ct, masks.guard[key]) if key in masks.guard else nothing(b, t)

    # loops

    def loop(self, b: Builder, v: Value) -> None:
        """The loop for a loop: its iterations in reverse order, if it has linear states to carry back."""
        block = loop_of(v)
        n = block.indices
        k = block.carried
        results = list(self.cotangent(v).items or [])
        self.cts.pop(v)
        cts = [ct.close(b) for ct in results]
        states = [j for j in range(k) if block.results[j].type.linear]
        if not differ(n.size, 0):
            for j in states:
                if (ct := cts[j]) is not None:
                    self.contribute(b, v, j, ct)
            return
        outside = [leaf for x in self.loops.outside[v] if has_sum(x) for leaf in self.cotangent(x).leaves()]
        for leaf in outside:
            if not by_value(leaf.type):
                leaf.open(b)
        crossed = self.sums_apart(b, v)
        sums = Sums(b, [leaf for leaf in outside if by_value(leaf.type)])
        span = self.span(b, v)

        def body(i: Value, *carried: Value) -> tuple[list[Value], list[Value]]:
            self.indices[block] = backwards(b, n, span, i) if states else i
            for j, ct in zip(states, carried, strict=True):
                self.contribute(b, v, j, ct, block.results[j])
            for j, ct in enumerate(cts):
                if ct is not None and j >= k:
                    self.contribute(b, v, j, b.index(ct, self.indices[block]), block.results[j])
            self.block(b, block)
            sums.end_iteration(b)
            return [self.total(b, block.state(j)) for j in states], []

        inits = [x if (x := cts[j]) is not None else results[j].zero(b) for j in states]
        out, _ = b.loop(n.size, body, inits, span)
        sums.leave()
        for j, ct in zip(states, out, strict=True):
            self.contribute(b, v, j, ct)
        for x, ref in crossed:
            self.cotangent(x).add(b, b.freeze(ref))
        sums.end(b)  # last, as where the loop is called with a vector of them

    def sums_apart(self, b: Builder, loop: Value) -> list[tuple[Value, Value]]:
        """Begin the sums that a loop has for what it reads of an array along other indices; each with its array."""
        made: list[tuple[Value, Value]] = []
        for x, sums in self.crossed.of(loop).items() if not leaves_out("crossed-reads") else ():
            if not has_sum(x) or self.masks.is_marked(key_of(x)):
                continue
            for numbers in sums:
                made.append((x, b.accum(b.zero(linear_part(x.type)))))
                self.apart.update(dict.fromkeys(numbers, made[-1]))
        return made


def has_sum(x: Value) -> bool:
    """True for a linear value that contributions are summed for: nothing is added to a zero."""
    return not is_ref(x) and x.op is not ZERO


def backwards(b: Builder, t: Fin, span: Value | None, i: Value) -> Value:
    """The index of type `t` that is as far from the end of a loop as `i` is from its start."""
    if span is None:
        return ifrom(i, b.const(t.size - 1, t))
    low, high = b.get(span, 0), b.get(span, 1)
    rest = ibeyond(b.const(t.size, Fin(t.size + 1)), high)
    return ibeyond(b.const(t.size - 1, t), iadd(rest, ibeyond(i, low)))


def _is_zero(ct: Value) -> bool:
    return ct.op is ZERO or is_literal(ct, 0.0)

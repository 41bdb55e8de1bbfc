"""Unzipping what has no instructions: branches, while loops, functions that are recomputed, and linear ones.

`unzip.py` unzips what has instructions. Here the linear half calls the linear halves of the parts; `transpose.py` and
`linearize.py` pass those on, each for its own way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, reduce

from .. import ir
from ..ir import Builder, Func, Linear, Origin, Value
from ..ir.callgraph import make_branch, make_while
from ..ir.ops import or_, reached, select
from ..ir.progress import timed
from ..ir.stacks import MORE, PUSH, pop
from ..ir.types import Bool, Ref, Stack, Tuple, Type, Vec, as_tuple, items_of, linear_part, primal_part, tuple_of
from ..optimise import costs
from ..optimise.instruments import told
from ..optimise.values import first, witness
from .cotangents import Cotangent, nothing, plain
from .half_signature import Arguments, HalfSignature, Kept, Way, declare_forward, declare_primal, has_primal, opened


class Nest:
    """The tapes of calls that lie in a tape: a tree, with a tape for each path of calls, of which some are the same."""

    def __init__(self, inner: Iterable[Nest] = ()) -> None:
        self.inner = tuple(inner)  # for each call
        self.paths = sum([1 + n.paths for n in self.inner])

    @property
    def is_wide(self) -> bool:
        """True if there are far more paths of calls than calls."""
        if self.paths <= costs.TAPE_PATHS:
            return False
        todo: list[Nest] = [self]
        seen, calls = {*todo}, 0
        for n in todo:
            new = {m for m in n.inner if m not in seen}
            seen |= new
            todo += new
            calls += len(n.inner)
        return self.paths > costs.TAPE_SHARING * calls


class Unzipped(ABC):
    """A function that has tangents, unzipped."""

    signature: HalfSignature
    nest = Nest()

    @cached_property
    def fwd(self) -> Func:
        """The forward half, which gives the primal result, and the tape of the linear half."""
        with timed("unzip"):
            made = self.forward()
        if (w := witness()) is not None:
            w.derived("the forward half", self.signature.g, made, self.signature.primal, of_small=first)
        return told("unzip", made)

    @abstractmethod
    def forward(self) -> Func:
        """Make the forward half."""


class UnzippedBranch(Unzipped):
    """A branch, unzipped. Its tape has a place for that of each branch; that of the one not taken is not written to."""

    def __init__(self, g: Func, branches: Sequence[Unzipped]) -> None:
        self.branches = branches
        self.nest = Nest([u.nest for u in branches])
        tape = tuple_of(*[u.signature.tape for u in branches])
        residuals = sorted({k for u in branches for k in u.signature.residuals})
        self.both = HalfSignature(branches[0].signature.g, lambda: Kept(tape, tuple(residuals)), chooses=True)
        kept = Kept(tape, (0, *[k + 1 for k in residuals]))  # parameter 0 is the condition
        unread = branches[0].signature.unread & branches[1].signature.unread
        self.signature = HalfSignature(g, lambda: kept, chooses=True, unread=[k + 1 for k in unread])

    def forward(self) -> Func:
        g = self.signature.g
        return make_branch(f"{g.name}.fwd", self._forward(0), self._forward(1), origin=Origin("fwd", g))

    def _forward(self, k: int) -> Func:
        fwd, tape = self.branches[k].fwd, as_tuple(self.signature.tape)
        with ir.copying(fwd) as b:
            both = b.call(fwd, [b.param(p.type, p.attr) for p in fwd.params])
            tapes = [b.get(both, 1) if j == k else b.zero(t) for j, t in enumerate(tape.items)]
            return b.func(b.tuple([b.get(both, 0), b.tuple(tapes, tape)]))

    def half(self, way: Way, halves: Sequence[Func], marked: bool = False) -> Func:
        """The backward or linear half, from those of the branches."""
        name, origin = self.signature.name(way, marked), self.signature.origin(way)
        chosen = make_branch(name, self._half(0, way, halves[0]), self._half(1, way, halves[1]), origin=origin)
        with self.signature.building(way, marked) as b:
            given = self.signature.declare(b, way)
            linear = {k - 1: x for k, x in given.linear.items()}
            primals = {k - 1: x for k, x in given.primals.items()}
            rest = self.both.in_order(b, given._replace(linear=linear, primals=primals))
            return b.func(b.call(chosen, [given.primals[0], *rest]))

    def _half(self, k: int, way: Way, half: Func) -> Func:
        with ir.copying(half) as b:
            given = self.both.declare(b, way)
            return b.func(self.branches[k].signature.call(b, half, given._replace(tape=b.get(given.tape, k))))


class Recomputed(Unzipped):
    """A function without a tape: its linear half evaluates the forward half again, and so has all that it reads."""

    def __init__(self, g: Func, whole: Unzipped) -> None:
        self.g, self.whole = g, whole
        kept = Kept(tuple_of(), tuple([k for k in whole.signature.primal if not isinstance(g.params[k].type, Ref)]))
        chooses, unread = whole.signature.chooses, whole.signature.unread
        self.signature = HalfSignature(g, lambda: kept, chooses=chooses, unread=unread)

    def forward(self) -> Func:
        g = self.g
        assert g.primal is not None
        with ir.deriving(g, "fwd") as b:
            given = declare_forward(b, g)
            # the parameters of the function itself are those of its derivative that are not tangents
            own = [k for k, p in enumerate(g.params) if not p.type.linear]
            y = b.call(g.primal, [given[k] if k in given else b.zero(g.params[k].type) for k in own])
            t = primal_part(g.result)
            if t is not y.type:
                y = b.tuple([y, b.zero(items_of(t)[1])], as_tuple(t))
            return b.func(b.tuple([y, b.tuple([])]))

    def half(self, way: Way, half: Func, marked: bool = False) -> Func:
        """The backward or linear half, from that of the function with a tape."""
        whole = self.whole.signature
        with self.signature.building(way, marked) as b:
            given = self.signature.declare(b, way)
            primals = {
                k: given.primals[k] if k in given.primals else _unread(b, self.g.params[k]) for k in whole.primal
            }
            tape = b.get(whole.call_forward(b, self.whole.fwd, primals), 1)
            made = b.func(whole.call(b, half, given._replace(tape=tape)))
        made.mark(remat=True)
        return made


def _unread(b: Builder, p: Value) -> Value:
    """An accumulator that nobody reads."""
    t = primal_part(p.type)
    assert isinstance(t, Ref)
    return b.accum(b.zero(t.inner))


class UnzippedWhile(Unzipped):
    """A while loop, unzipped. Its tape is a stack of those of its iterations, with the states that these read.

    Of a state that is a tuple only the items are pushed that the linear half reads: by name, or in a call of a function
    that reads no others. GradBench's saddle point in reverse mode executes 1.05 x as many instructions with all.
    """

    def __init__(self, g: Func, test: Unzipped, body: Unzipped, most: int | None) -> None:
        self.g, self.test, self.body, self.most = g, test, body, most
        self.k = k = len(items_of(g.result))
        residuals, items = body.signature.residuals, body.signature.kept.items
        self.read = [j for j in residuals if j < k]  # the states that the linear half of an iteration reads
        self.pushed = [(j, i) for j in self.read for i in (sorted(items[j]) if j in items else [None])]
        item = tuple_of(body.signature.tape, *[self._type_of(j, i) for j, i in self.pushed])
        self.counted = item.empty  # there is nothing to push, but how many iterations there were
        self.stack = Stack(tuple_of(*item.items, Bool) if self.counted else item)
        kept = Kept(tuple_of(self.stack), tuple([j for j in residuals if j >= k]))
        self.signature = HalfSignature(g, lambda: kept, chooses=body.signature.chooses)
        self.states = [j for j in self.signature.primal if j < k]
        self.moving = [j for j in self.signature.linear if j < k]  # the states that have a tangent
        self.fixed = [j for j in self.signature.linear if j >= k]  # what stays the same, and has one

    def _type_of(self, j: int, item: int | None) -> Type:
        """The type of a state in the forward half, or of an item of it."""
        t = primal_part(self.g.params[j].type)
        return t if item is None else items_of(t)[item]

    @contextmanager
    def _building(self, name: str) -> Generator[Builder]:
        """A builder for a part of the loop, at the location of the loop."""
        with ir.building(f"{self.g.name}.{name}", Origin("piece", self.g)) as b:
            b.loc = self.g.loc
            yield b

    def _tuple(self, b: Builder, states: Mapping[int, Value], t: Type) -> Value:
        """A tuple of some of the states, and zeros for the others."""
        return b.tuple([states[j] if j in states else b.zero(x) for j, x in enumerate(items_of(t))], as_tuple(t))

    # the forward half

    def _params(self, b: Builder) -> tuple[dict[int, Value], Value]:
        """The primal states, the stack, and the primals that stay the same."""
        states = {j: declare_primal(b, self.signature.g.params[j]) for j in self.states}
        stack = b.param(self.stack, "stack")
        return states | {
            j: declare_primal(b, self.signature.g.params[j]) for j in self.signature.primal if j >= self.k
        }, stack

    def _test(self) -> Func:
        with self._building("test") as b:
            given, _ = self._params(b)
            return b.func(b.get(self.test.signature.call_forward(b, self.test.fwd, given), 0))

    def _iteration(self) -> Func:
        with self._building("turn") as b:
            given, stack = self._params(b)
            both = self.body.signature.call_forward(b, self.body.fwd, given)
            parts = [given[j] if i is None else b.get(given[j], i) for j, i in self.pushed]
            item = [b.get(both, 1), *parts, *[b.const(True, Bool)] * self.counted]
            y = b.get(both, 0)
            return b.func(b.tuple([*[b.get(y, j) for j in self.states], b.emit(PUSH, (stack, b.tuple(item)))]))

    def forward(self) -> Func:
        n = len(self.states)
        origin = Origin("fwd", self.g)
        loop = make_while(f"{self.g.name}.fwd", self._test(), self._iteration(), self.most, origin=origin)
        with ir.deriving(self.g, "fwd") as b:
            xs = [*declare_forward(b, self.signature.g).values()]
            out = b.call(loop, [*xs[:n], b.zero(self.stack), *xs[n:]])
            y = self._tuple(b, {j: b.get(out, i) for i, j in enumerate(self.states)}, primal_part(self.g.result))
            return b.func(b.tuple([y, b.tuple([b.get(out, n)])]))

    # the linear half, in either direction

    def _popped(self, b: Builder, stack: Value) -> tuple[Value, dict[int, Value], Value]:
        """The rest of the stack, the residual parameters of an iteration, and its tape."""
        same = {j: declare_primal(b, self.signature.g.params[j]) for j in self.signature.residuals}
        item, rest = pop(b, stack)
        parts = {of: b.get(item, 1 + n) for n, of in enumerate(self.pushed)}
        states = {j: parts[j, None] if (j, None) in parts else self._whole(b, j, parts) for j in self.read}
        return rest, states | same, b.get(item, 0)

    def _whole(self, b: Builder, j: int, parts: Mapping[tuple[int, int | None], Value]) -> Value:
        """A state of which some items were pushed: nothing reads the others."""
        t = as_tuple(self._type_of(j, None))
        return b.tuple([parts[j, i] if (j, i) in parts else b.zero(x) for i, x in enumerate(t.items)], t)

    def _loop(self, name: str, iteration: Func, way: Way) -> Func:
        """The loop that runs for as long as there is an item on its stack, which is its first state."""
        with self._building("test") as b:
            xs = [b.param(p.type, p.attr) for p in iteration.params]
            test = b.func(b.emit(MORE, (xs[0],)))
        return make_while(name, test, iteration, origin=self.signature.origin(way))

    def backward(self, bwd: Func, marked: bool) -> Func:
        """The iterations in reverse, from the backward half of the body."""
        name = self.signature.name(Way.BACKWARD, marked)
        loop = self._loop(f"{name}.turns", self._backward_iteration(bwd, marked), Way.BACKWARD)
        with self.signature.building(Way.BACKWARD, marked) as b:
            given = self.signature.declare(b, Way.BACKWARD, marked)
            stack, (ct,) = b.get(given.tape, 0), given.ct
            sums = [x for j in self.fixed for x in opened(b, given.linear[j], numbers=True)]
            out = b.call(loop, [stack, *[b.get(ct, j) for j in self.moving], *sums, *given.primals.values()])
            for n, j in enumerate(self.moving):
                total = given.linear[j]
                assert isinstance(total, Cotangent)
                total.add(b, b.get(out, 1 + n))
            return b.func(self.signature.result(b, given.linear))

    def _backward_iteration(self, bwd: Func, marked: bool) -> Func:
        with self._building("turn") as b:
            stack = b.param(self.stack, "stack")
            types = {j: linear_part(self.g.params[j].type) for j in self.moving}
            cts = {j: b.param(t, "ct") for j, t in types.items()}
            sums = {j: self.signature.declare_total(b, j, marked, numbers=True) for j in self.fixed}
            rest, primals, tape = self._popped(b, stack)
            ct = self._tuple(b, cts, linear_part(self.g.result))
            totals = {j: Cotangent(t, lambda path: marked) for j, t in types.items()}
            self.body.signature.call_backward(b, bwd, Arguments(totals | sums, primals, [ct], tape), marked)
            return b.func(b.tuple([rest, *[total.total(b) for total in totals.values()]]))

    def linear(self, lin: Func) -> Func:
        """The iterations in order, from the linear half of the body: the stack is reversed first."""
        name = self.signature.name(Way.LINEAR)
        loop = self._loop(f"{name}.turns", self._linear_iteration(lin), Way.LINEAR)
        reverse = self._loop(f"{self.g.name}.turned", self._reversal(), Way.LINEAR)
        with self.signature.building(Way.LINEAR) as b:
            given = self.signature.declare(b, Way.LINEAR)
            stack = b.get(b.call(reverse, [b.get(given.tape, 0), b.zero(self.stack)]), 1)
            tangents = [x for total in given.linear.values() for x in opened(b, total)]
            out = b.call(loop, [stack, *tangents, *given.primals.values()])
            after = {j: b.get(out, 1 + n) for n, j in enumerate(self.moving)}
            return b.func(self._tuple(b, after, linear_part(self.g.result)))

    def _linear_iteration(self, lin: Func) -> Func:
        with self._building("turn") as b:
            stack = b.param(self.stack, "stack")
            tangents = {j: self.signature.declare_tangent(b, j) for j in self.signature.linear}
            rest, primals, tape = self._popped(b, stack)
            out = self.body.signature.call(b, lin, Arguments(tangents, primals, [], tape))
            return b.func(b.tuple([rest, *[b.get(out, j) for j in self.moving]]))

    def _reversal(self) -> Func:
        with self._building("turn") as b:
            stack, reverse = b.param(self.stack, "stack"), b.param(self.stack, "reverse")
            item, rest = pop(b, stack)
            return b.func(b.tuple([rest, b.emit(PUSH, (reverse, item))]))


class UnzippedLinear(Unzipped):
    """A function that is linear because its maker says so, unzipped: its halves are the functions that it was given."""

    def __init__(self, g: Func, kind: Linear) -> None:
        self.g, self.kind = g, kind
        kept = Kept(tuple_of(), tuple([k for k, p in enumerate(g.params) if has_primal(p)]))
        self.signature = HalfSignature(g, lambda: kept, chooses=False)

    def forward(self) -> Func:
        g = self.g
        with ir.deriving(g, "fwd") as b:
            _ = declare_forward(b, g)
            return b.func(b.tuple([b.zero(primal_part(g.result)), b.tuple([])]))

    def _call(self, b: Builder, f: Func, x: Value, given: Arguments) -> Value:
        rest = [given.primals[k] if k in given.primals else b.zero(p.type) for k, p in enumerate(self.g.params) if k]
        return b.call(f, [x, *rest])

    def linear(self) -> Func:
        with self.signature.building(Way.LINEAR) as b:
            given = self.signature.declare(b, Way.LINEAR)
            (x,) = opened(b, given.linear[0])
            return b.func(self._call(b, self.kind.by, x, given))

    def backward(self, marked: bool) -> Func:
        """The transpose. All of a marked cotangent was read if any of that of the result was."""
        with self.signature.building(Way.BACKWARD, marked) as b:
            given = self.signature.declare(b, Way.BACKWARD, marked)
            (ct,), total = given.ct, given.linear[0]
            assert isinstance(total, Cotangent)
            part = self._call(b, self.kind.transposed, ct, given)
            total.add(b, _taken_if(b, _any_reached(b, ct), part) if marked else part)
            return b.func(self.signature.result(b, given.linear))


def _any_reached(b: Builder, ct: Value) -> Value:
    """Whether any number of a marked cotangent has contributions."""
    if isinstance(ct.type, Tuple):
        found = [_any_reached(b, b.get(ct, k)) for k in range(len(ct.type.items))]
        return reduce(lambda c, d: b.emit(or_, (c, d)), found, b.const(False, Bool))
    if not isinstance(ct.type, Vec):
        return b.const(False, Bool) if ct.type.empty else b.emit(reached, (ct,))

    def either(i: Value, found: Value) -> tuple[list[Value], list[Value]]:
        return [b.emit(or_, (found, _any_reached(b, b.index(ct, i))))], []

    return b.loop(ct.type.size, either, [b.const(False, Bool)])[0][0]


def _taken_if(b: Builder, condition: Value, ct: Value) -> Value:
    """A plain cotangent, marked: nothing, unless the condition holds."""
    if isinstance(ct.type, Tuple):
        return b.tuple([_taken_if(b, condition, b.get(ct, k)) for k in range(len(ct.type.items))], ct.type)
    if isinstance(ct.type, Vec):
        return b.vec(ct.type.size, lambda i: _taken_if(b, condition, b.index(ct, i)))
    return ct if ct.type.empty else b.emit(select, (condition, plain(b, ct), nothing(b, ct.type)))

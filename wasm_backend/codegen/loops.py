"""Loops, from IR to instructions: the index, the states that move, and the vectors that are made item by item."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, Protocol

from rose.ir import ACCUM, Block, Value, loop_of, span_of
from rose.ir.accumulators import base
from rose.ir.callgraph import instructions
from rose.ir.sizes import Size, differ, minus, plus, times
from rose.ir.types import Fin, Real, Ref, Single, Tuple, Type

from ..abi.layout import item_leaves, leaf_offsets, leaves, size, wasm_type
from ..abi.signature import Stop
from ..binary.encoder import I32, V128, Body
from .expressions import Expressions
from .locations import Location, Mem, Unmade
from .register_promotion import Promotion
from .rings import Ring
from .strength_reduction import Pointers


class State(NamedTuple):
    """One leaf of a state of a loop: a number in a local, or an aggregate in two buffers, that change places.

    An aggregate that stays where it lies has one buffer, which is both.
    """

    item: int
    leaf: int
    type: Type
    now: int  # the local of the number, or of the address of the buffer where the state is
    then: int  # the local of the address of the buffer where the next is built
    both: int | Size  # the sum of the two addresses
    place: Mem | None = None  # where it stays, if others build it there as well

    @property
    def location(self) -> Location:
        return self.now if self.type.scalar else self.place or Mem(self.now, 0)

    @property
    def next(self) -> Mem:
        """Where the next state is built."""
        return self.place or Mem(self.then, 0)


def open_state(
    expr: Expressions,
    init: Value,
    item: int,
    leaf: int,
    take: Callable[[int], int],
    own: Mem | None = None,
    *,
    changed: bool = False,
) -> State:
    """A leaf of a state at its first value; `take` gives a local of a type. One that stays has a place of its own.

    What is changed where it lies is copied into a buffer at first, as others may read the first value.
    """
    frame, c, t = expr.frame, expr.c, leaves(init.type)[leaf]
    if own is not None:
        expr.store(init, leaf, t, own)
        if frame.in_place.puts:
            return State(item, leaf, t, -1, -1, 0, own)
        now = take(I32)
        c.address(own)
        c.set(now)
        return State(item, leaf, t, now, now, 0)
    if t.scalar:
        expr.push(init, leaf)
        now = take(wasm_type(t))
        c.set(now)
        return State(item, leaf, t, now, -1, 0)
    one, two = frame.memory.reserve(t), frame.memory.reserve(t)
    if changed:
        expr.store(init, leaf, t, two)
        c.address(two)
    else:
        expr.push(init, leaf)
    now, then = take(I32), take(I32)
    c.set(now)
    c.address(one)
    c.set(then)
    both = plus(one.total, two.total)
    return State(item, leaf, t, now, then, both if isinstance(both, Size) else both % 2**32)  # as addresses wrap


def swap_buffers(expr: Expressions, states: list[State]) -> None:
    """At the end of an iteration, when the next states are built: let them be the states."""
    c = expr.c
    for s in states:
        if not s.type.scalar and s.then != s.now:
            c.get(s.then)
            c.set(s.now)
            c.size(s.both)
            c.get(s.then)
            c("i32.sub")
            c.set(s.then)


class Pair(NamedTuple):
    """Sums that a vectorised loop adds to in one vector, and the code that packs and unpacks it."""

    sums: tuple[Value, ...]
    local: int
    pack: Body
    unpack: Body


class Writer(Protocol):
    """The writer of the function that a loop is in."""

    expr: Expressions
    promotion: Promotion
    loop: Loop | None  # whose iteration is being written
    vectorise: Callable[[Loop], bool] | None

    def block(self, block: Block) -> None: ...


class Loop:
    """One `for`, while it is written."""

    def __init__(self, writer: Writer, v: Value) -> None:
        self.writer, self.v = writer, v
        self.expr, self.frame, self.c = writer.expr, writer.expr.frame, writer.expr.c
        self.block = loop_of(v)
        self.index = self.block.index
        assert isinstance(self.index.type, Fin)
        self.size = self.index.type.size
        self.states: list[State] = []
        self.pairs: list[Pair] = []  # of sums that stay in vectors from one iteration to the next
        self.span: tuple[int, int] | None = None  # the locals of the first index, and of the one after the last
        self.may_be_none = isinstance(self.size, Size) or span_of(v) is not None

    def write(self) -> None:
        """Write all of it."""
        v, frame = self.v, self.frame
        for j, a in enumerate(v.args):
            for leaf, t in enumerate(leaves(a.type)):
                s = self._open_state(a, j, leaf)
                self.states.append(s)
                if not t.scalar:
                    frame.next[(self.block, j, leaf_offsets(a.type)[leaf])] = s.next
        if span_of(v) is not None:
            self.span = (self.states[0].now, self.states[1].now)
        self._place()
        frame.release(frame.lives.start[v])
        if differ(self.size, 0) and not (self.writer.vectorise is not None and self.writer.vectorise(self)):
            self._iterations()
        frame.release(frame.lives.end[self.block])

    def _open_state(self, init: Value, j: int, leaf: int) -> State:
        """The next leaf of the states: a number, an aggregate that stays where it lies, or one in two buffers.

        An accumulator that begins at one which nothing reads any more has the buffer of that.
        """
        v, frame, k, t = self.v, self.frame, len(self.states), leaves(init.type)[leaf]
        take: Callable[[int], int] = lambda type: frame.local(v, type)
        if t.scalar:
            return open_state(self.expr, init, j, leaf, take)
        if frame.in_place.stays((v, k)):
            return open_state(self.expr, init, j, leaf, take, frame.build_at(v, k, t))
        ref = frame.in_place.changed(v).get(k)
        if ref is None or (ref, 0) in frame.destinations:
            return open_state(self.expr, init, j, leaf, take)
        s = open_state(self.expr, init, j, leaf, take, changed=True)
        frame.built[(ref, 0)] = Mem(s.now, 0)
        return s

    def _place(self) -> None:
        """The locations of the states, and of the vectors that somebody reads."""
        v, frame = self.v, self.frame
        for j, p in enumerate(self.block.states):
            frame.location[p] = tuple([s.location for s in self.states if s.item == j])
        locations = [s.location for s in self.states]
        assert isinstance(v.type, Tuple)
        for j, t in enumerate(v.type.items):
            if j >= self.block.carried and not t.empty:
                read = (v, j) in frame.lives.items
                locations.append(frame.build_at(v, len(locations), t) if read else Unmade())
        frame.location[v] = tuple(locations)

    def _iterations(self) -> None:
        c, promotion = self.c, self.writer.promotion
        if self.may_be_none:
            self._any()
            c("if")
        pointers = self.frame.program.analyses.pointers(self.v, self.expr.index_uses)
        self._open(pointers)
        sums = promotion.open(self.v)
        every = self.frame.program.stops.every.get(self.v)
        rings = self.frame.program.analyses.rings(self.v, self.expr.index_uses)
        around, c.body = c.body, Body()
        end = self._open_pieces(pointers, every, rings) if rings or (every is not None and every > 1) else None
        c("loop")
        if every == 1:
            self._stop()
        promotion.next(sums)
        self.iteration()
        promotion.keep(sums)
        self._next(pointers, end)
        c("end")
        if end is not None:
            self._close_pieces(pointers)
        loop, c.body = c.body, around
        self.wrap(loop, self.pairs, self.staying([x for pair in self.pairs for x in pair.sums]))
        self._close()
        promotion.close(sums)
        if self.may_be_none:
            c("end")

    def _any(self) -> None:
        """Put on the stack whether there is an iteration."""
        if self.span is None:
            self.c.size(self.size)
            return
        low, high = self.span
        self.c.get(low)
        self.c.get(high)
        self.c("i32.lt_u")

    def iteration(self) -> None:
        """Write one iteration, but for its promoted sums."""
        around, self.writer.loop = self.writer.loop, self
        self._element_addresses()
        self.writer.block(self.block)
        self._store_elements()
        self._move_states()
        self.writer.loop = around

    # sums in vectors

    def staying(self, sums: Collection[Value]) -> set[Value]:
        """The sums whose vectors the loop around this one need not unpack: nothing else in its iterations uses them."""
        around = self.writer.loop
        if not sums or around is None or self.v.block is not around.block or around.v in self.frame.program.stops.every:
            return set()
        others = [x for x in instructions(around.block) if not x.block.inside(self.block)]
        used = {base(a) for x in others for a in x.args if isinstance(a.type, Ref)}
        return {x for x in sums if x.op is ACCUM and x not in used and not x.block.inside(around.block)}

    def wrap(self, loop: Body, pairs: list[Pair], stay: set[Value]) -> None:
        """Write a loop that is there, and around it what packs and unpacks its pairs, unless all of a pair stay."""
        here = [pair for pair in pairs if not stay.issuperset(pair.sums)]
        for pair in here:
            self.c.splice(pair.pack)
        self.c.splice(loop)
        for pair in here:
            self.c.splice(pair.unpack)
            self.frame.free[V128].append(pair.local)
        if stay:
            assert self.writer.loop is not None
            self.writer.loop.pairs += [pair for pair in pairs if stay.issuperset(pair.sums)]

    def _close(self) -> None:
        """A last state that a call comes in between is a number of its own.

        Else the register allocator of wasmtime 50 keeps the state itself in memory, in each iteration, since no
        register is kept by a call: of 2,500 numbers the largest takes 8 cycles each in the place of 3.
        """
        if not self.frame.lives.outlives_a_call(self.v):
            return
        for s in self.states:
            if s.type is Real or s.type is Single:
                self.c.get(s.now)
                self.c.get(s.now)
                self.c(f"{'f64' if s.type is Real else 'f32'}.copysign")
                self.c.set(s.now)

    # the index and the pointers

    def _open(self, pointers: Pointers) -> None:
        """The first index, if it is needed as a number, and the pointers."""
        i, expr = self.index, self.expr
        expr.unread |= pointers.unread
        if i not in expr.unread:
            expr.location[i] = (self.frame.local(i, I32),)
        for n in pointers.strides:
            expr.pointers[i, n] = self.frame.local(i, I32)
        for k, n in self._counters(pointers).items():
            self._count(None if self.span is None else self.span[0], n)
            self.c.set(k)
        self._find_end(pointers)

    def _find_end(self, pointers: Pointers) -> None:
        """Note where the last counter ends, a number or a local that has it, and what is before that."""
        _, n = [*self._counters(pointers).items()][-1]
        self.before = "i32.lt_u" if n > 0 else "i32.gt_s"
        self.last: int | Size = times(pointers.iterations, n) if n > 0 else n
        self.after: int | None = None
        if self.span is not None:
            self.after = self.span[1]
            if n != 1:
                self.after = self.frame.local(self.v, I32)
                self._count(self.span[1], n)
                self.c.set(self.after)

    def _count(self, i: int | None, n: int) -> None:
        """Put the counter that moves by `n` on the stack, at the index in a local, or at the first one.

        One that rises is 0 at the first index, and one that falls at the last.
        """
        last = 0 if n > 0 else minus(self.size, 1)
        if i is None and not isinstance(last, Size):
            self.c.i32_const(last * -n)
            return
        if n < 0:
            self.c.constant(self.index.type, last)
        if i is not None:
            self.c.get(i)
            if n < 0:
                self.c("i32.sub")
        self.expr.times(abs(n))

    def _end(self) -> None:
        """Put on the stack where the last counter ends."""
        if self.after is None:
            self.c.size(self.last)
        else:
            self.c.get(self.after)

    def _counters(self, pointers: Pointers) -> dict[int, int]:
        """The locals that count the iterations, and by how much each moves."""
        counters = {self.expr.pointers[self.index, n]: n for n in pointers.strides}
        if self.index not in self.expr.unread:
            (k,) = self.expr.location[self.index]
            assert isinstance(k, int)
            counters[k] = 1
        return counters

    # stops, and the pieces of a long loop between two

    def _stop(self) -> None:
        self.c.stop(Stop(self.v.loc, tuple(self.frame.live())))

    def _open_pieces(self, pointers: Pointers, every: int | None, rings: Mapping[Value, Ring]) -> int:
        """Begin the loop over the pieces: the local of where one ends, after `every` iterations or with the loop.

        One also ends where the index of a ring goes round.
        """
        c = self.c
        k, n = [*self._counters(pointers).items()][-1]
        c("loop")
        end = self.frame.local(self.v, I32)
        if every is None or every == 1:
            self._end()
        else:
            self._stop()
            self._grown(k, every * n)
            c.tee(end)
            self._end()
            c.get(end)
            self._end()
            c(self.before)
            c("select")
        c.set(end)
        for v, ring in rings.items():
            ring.open(self.expr, v, end)
        return end

    def _close_pieces(self, pointers: Pointers) -> None:
        k = [*self._counters(pointers)][-1]
        self.c.get(k)
        self._end()
        self.c(self.before)
        self.c("br_if", 0)
        self.c("end")

    def _next(self, pointers: Pointers, end: int | None) -> None:
        """Count an iteration, and begin the next one, if there is one before `end`: the last counter tells."""
        *others, last = self._counters(pointers).items()
        for k, n in others:
            self._grown(k, n)
            self.c.set(k)
        k, n = last
        self._grown(k, n)
        self.c.tee(k)
        if end is None:
            self._end()
        else:
            self.c.get(end)
        self.c(self.before)
        self.c("br_if", 0)

    def _grown(self, k: int, n: int) -> None:
        self.c.get(k)
        self.c.i32_const(n)
        self.c("i32.add")

    # vectors and states

    def vector(self, j: int) -> Mem:
        """The address of the vector that the loop makes as result `j`."""
        assert isinstance(self.v.type, Tuple)
        at = self.frame.location[self.v][item_leaves(self.v.type, j)][0]
        assert isinstance(at, Mem)
        return at

    def _element_addresses(self) -> None:
        """The address of the element that this iteration makes, of each vector of aggregates."""
        for j in range(self.block.carried, len(self.block.results)):
            t = self.block.results[j].type
            if not t.empty and not t.scalar and (self.v, j) in self.frame.lives.items:
                at = self.expr.element_at(self.index, self.index, size(t), self.vector(j))
                self.frame.next[(self.block, j, -1)] = at

    def _store_elements(self) -> None:
        for j in range(self.block.carried, len(self.block.results)):
            r = self.block.results[j]
            if (self.v, j) not in self.frame.lives.items:
                continue
            if r.type.scalar:
                to = self.expr.scaled(self.index, size(r.type), self.vector(j))
                self.expr.push(r)
                self.c.write(r.type, to)
            elif not r.type.empty:
                to = self.frame.next[(self.block, j, -1)]
                for leaf, (t, start) in enumerate(zip(leaves(r.type), leaf_offsets(r.type), strict=True)):
                    self.expr.store(r, leaf, t, to.at(start))

    def _move_states(self) -> None:
        moved: list[int] = []
        for s in self.states if self.span is None else self.states[len(self.span) :]:
            r = self.block.results[s.item]
            if s.type.scalar:
                self.expr.push(r, s.leaf)
                moved.append(s.now)
            else:
                self.expr.store(r, s.leaf, s.type, s.next)
        for k in reversed(moved):
            self.c.set(k)
        swap_buffers(self.expr, self.states)

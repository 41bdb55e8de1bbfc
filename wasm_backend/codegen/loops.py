"""Loops, from IR to instructions: the index, the states that move, and the vectors that are made turn by turn."""

from __future__ import annotations

from typing import NamedTuple

from rose.ir import Block, Value
from rose.ir.sizes import Size, differ, plus, times
from rose.ir.types import Fin, Real, Single, Tuple, Type

from ..abi.layout import item_leaves, leaf_offsets, leaves, size
from ..binary.encoder import I32
from .addressing import ElementWriter
from .places import Mem, Place
from .strength_reduction import Pointers


class State(NamedTuple):
    """One leaf of a state of a loop."""

    item: int
    leaf: int
    type: Type


class Swap(NamedTuple):
    """The locals of a state: where it is now, where the next is built, and the sum of the two addresses."""

    now: int
    then: int
    both: int | Size


class LoopWriter(ElementWriter):
    """Writes the loops of a function."""

    def _block(self, block: Block) -> None:
        """Write the instructions of a block."""
        raise NotImplementedError

    def _loop(self, v: Value) -> None:
        block: Block = v.attr
        states = [State(j, leaf, t) for j, a in enumerate(v.args) for leaf, t in enumerate(leaves(a.type))]
        swaps = [self._open_state(v, block, s) for s in states]
        self._places_of_loop(v, block, states, swaps)
        self._release(self.lives.start[v])
        self._turns(v, block, states, swaps)
        self._release(self.lives.end[block])

    def _turns(self, v: Value, block: Block, states: list[State], swaps: list[Swap]) -> None:
        n = block.params[0].type
        assert isinstance(n, Fin)
        if not differ(n.size, 0):
            return
        if isinstance(n.size, Size):
            self.c.extent(n.size)
            self.c("if")
        pointers = Pointers(v, self.lives.items)
        self._open_turns(pointers)
        sums = self._open_sums(v)
        self.c("loop")
        self._next_sums(sums)
        self._turn_addresses(v, block)
        self._block(block)
        self._end_of_turn(v, block, states, swaps)
        self._keep_sums(sums)
        self._next_turn(pointers)
        self.c("end")
        self._close_states(v, states, swaps)
        self._close_sums(sums)
        if isinstance(n.size, Size):
            self.c("end")

    def _close_states(self, v: Value, states: list[State], swaps: list[Swap]) -> None:
        """A last state that a call comes in between is a number of its own.

        Else the register allocator of wasmtime 50 keeps the state itself in memory, in each turn, since no register is
        kept by a call: of 2,500 numbers the largest takes 8 cycles each in the place of 3.
        """
        if not self.lives.outlives_a_call(v):
            return
        for s, w in zip(states, swaps, strict=True):
            if s.type is Real or s.type is Single:
                self.c.get(w.now)
                self.c.get(w.now)
                self.c(f"{'f64' if s.type is Real else 'f32'}.copysign")
                self.c.set(w.now)

    def _open_turns(self, pointers: Pointers) -> None:
        """The index of the first turn, if it is needed as a number, and the pointers."""
        turn = pointers.turn
        self.unread |= pointers.unread
        if turn not in self.unread:
            self.place[turn] = (self._local(turn, I32),)
        for n in pointers.strides:
            self.pointers[turn, n] = self._local(turn, I32)
        for k in self._counters(pointers):
            self.c.i32_const(0)
            self.c.set(k)

    def _counters(self, pointers: Pointers) -> dict[int, int]:
        """What counts the turns: the locals, and by how much each grows."""
        counters = {self.pointers[pointers.turn, n]: n for n in pointers.strides}
        if pointers.turn not in self.unread:
            (i,) = self.place[pointers.turn]
            assert isinstance(i, int)
            counters[i] = 1
        return counters

    def _next_turn(self, pointers: Pointers) -> None:
        """Count a turn, and begin the next one, if there is one: the last counter tells."""
        *others, last = self._counters(pointers).items()
        for k, n in others:
            self._grown(k, n)
            self.c.set(k)
        k, n = last
        self._grown(k, n)
        self.c.tee(k)
        self.c.extent(times(pointers.turns, n))
        self.c("i32.lt_u")
        self.c("br_if", 0)

    def _grown(self, k: int, n: int) -> None:
        self.c.get(k)
        self.c.i32_const(n)
        self.c("i32.add")

    def _open_state(self, v: Value, block: Block, s: State) -> Swap:
        """Where a state is in this turn, and where its next is built: in two buffers, that change places."""
        init = v.args[s.item]
        if s.type.scalar:
            self._push(init, s.leaf)
            return Swap(self._set(v, s.type), -1, 0)
        self._push(init, s.leaf)
        now, then = self._local(v, I32), self._local(v, I32)
        self.c.set(now)
        one, two = self.frame.reserve(s.type), self.frame.reserve(s.type)
        self.c.address(one)
        self.c.set(then)
        self.next[(block, s.item, leaf_offsets(init.type)[s.leaf])] = Mem(then, 0)
        both = plus(one.total, two.total)
        return Swap(now, then, both if isinstance(both, Size) else both % 2**32)  # as addresses wrap

    def _places_of_loop(self, v: Value, block: Block, states: list[State], swaps: list[Swap]) -> None:
        places: list[Place] = [
            w.now if s.type.scalar else Mem(w.now, 0) for s, w in zip(states, swaps, strict=True)
        ]  # fmt: skip
        for j, p in enumerate(block.params[1:]):
            self.place[p] = tuple([x for s, x in zip(states, places, strict=True) if s.item == j])
        assert isinstance(v.type, Tuple)
        for j, t in enumerate(v.type.items):
            if j >= len(v.args) and not t.empty:
                read = (v, j) in self.lives.items
                places.append(self._build_at(v, len(places), t) if read else Mem(None, 0))
        self.place[v] = tuple(places)

    def _turn_addresses(self, v: Value, block: Block) -> None:
        """The address of the element that this turn makes, of each vector of aggregates."""
        for j in range(len(v.args), len(block.results)):
            t = block.results[j].type
            if not t.empty and not t.scalar and (v, j) in self.lives.items:
                turn = block.params[0]
                self.next[(block, j, -1)] = self._element_at(turn, turn, size(t), self._vector(v, j))

    def _vector(self, v: Value, j: int) -> Mem:
        assert isinstance(v.type, Tuple)
        at = self.place[v][item_leaves(v.type, j)][0]
        assert isinstance(at, Mem)
        return at

    def _end_of_turn(self, v: Value, block: Block, states: list[State], swaps: list[Swap]) -> None:
        for j in range(len(v.args), len(block.results)):
            r = block.results[j]
            if (v, j) not in self.lives.items:
                continue
            if r.type.scalar:
                to = self._scaled(block.params[0], size(r.type), self._vector(v, j))
                self._push(r)
                self.c.write(r.type, to)
            elif not r.type.empty:
                to = self.next[(block, j, -1)]
                for leaf, (t, start) in enumerate(zip(leaves(r.type), leaf_offsets(r.type), strict=True)):
                    self._store(r, leaf, t, to.at(start))
        moved: list[int] = []
        for s, w in zip(states, swaps, strict=True):
            r = block.results[s.item]
            if s.type.scalar:
                self._push(r, s.leaf)
                moved.append(w.now)
            else:
                self._store(r, s.leaf, s.type, Mem(w.then, 0))
        for k in reversed(moved):
            self.c.set(k)
        for s, w in zip(states, swaps, strict=True):
            if not s.type.scalar:
                self.c.get(w.then)
                self.c.set(w.now)
                self.c.extent(w.both)
                self.c.get(w.then)
                self.c("i32.sub")
                self.c.set(w.then)

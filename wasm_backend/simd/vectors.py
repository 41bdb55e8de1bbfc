"""Two turns of a loop as instructions: numbers in vectors of two, and the addresses that move."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from rose.ir import FREEZE, Value
from rose.ir.ops import add, mul, neg, sub
from rose.ir.sizes import Size
from rose.ir.types import Real

from ..binary.encoder import I32, V128, Body, instruction
from ..codegen.function import FunctionWriter
from ..codegen.places import Mem
from ..codegen.templates import template
from .plan import Affine, Kind, Plan, Row, Terms, twin

LOW, HIGH = instruction("i8x16.shuffle", 0, 2), instruction("i8x16.shuffle", 1, 3)


class At(NamedTuple):
    """An address that moves. All but the offset is in one local."""

    base: int | None
    size: Size | None
    terms: Terms
    lanes: Terms
    step: int
    offset: int

    @property
    def fixed(self) -> bool:
        return not self.step and not self.lanes

    def is_before(self, other: At) -> bool:
        """True if the other one is that of the next number."""
        return other in {self._replace(offset=self.offset + 8)}  # values are never compared with ==

    @property
    def key(self) -> At:
        return self if self.step < 0 else self._replace(offset=0)


@dataclass
class Two:
    """A loop, while its two turns are written."""

    plan: Plan
    before: Body = field(default_factory=Body)
    after: Body = field(default_factory=Body)
    turn: int | None = None  # the local of the first of the two turns
    pointers: dict[At, int] = field(default_factory=dict[At, int])
    rows: dict[At, tuple[int, int]] = field(default_factory=dict[At, tuple[int, int]])
    splats: dict[Value, int] = field(default_factory=dict[Value, int])
    vectors: dict[Value, int] = field(default_factory=dict[Value, int])
    twice: dict[Value, tuple[int, int]] = field(default_factory=dict[Value, tuple[int, int]])
    lanes: dict[Value, tuple[int, int]] = field(default_factory=dict[Value, tuple[int, int]])
    owned: dict[Value, int] = field(default_factory=dict[Value, int])  # the vectors that are given back
    held: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])  # locals, until the loop ends
    free: list[int] = field(default_factory=list[int])  # vectors that were held, and can be had again


class LaneWriter(FunctionWriter):
    """Writes the instructions of two turns."""

    two: Two

    @contextmanager
    def _aside(self, body: Body) -> Generator[None]:
        """Inside, what comes before or after the loop is written."""
        inner, self.c.body = self.c.body, body
        yield
        self.c.body = inner

    def _before(self) -> AbstractContextManager[None]:
        return self._aside(self.two.before)

    def _after(self) -> AbstractContextManager[None]:
        return self._aside(self.two.after)

    # locals

    def _hold(self, type: int) -> int:
        """A local until the end of the loop."""
        free = self.free.setdefault(type, [])
        k = free.pop() if free else self.c.local(type)
        self.two.held.append((type, k))
        return k

    def _vector_local(self) -> int:
        """A local for two numbers, which is given back to `two.free`."""
        return self.two.free.pop() if self.two.free else self._hold(V128)

    def _give_back(self, n: int) -> None:
        for v in self.two.plan.dies.get(n, ()):
            k = self.two.owned.pop(v, None)
            if k is not None:
                self.two.free.append(k)

    def _turn(self) -> int:
        """The local that has the number of the first of the two turns."""
        if self.two.turn is None:
            k = self.two.turn = self._hold(I32)
            with self._before():
                self.c.i32_const(0)
                self.c.set(k)
        return self.two.turn

    # values

    def _make_pair(self, v: Value) -> None:
        """What an instruction makes in two turns, in locals."""
        two, kind = self.two, self.two.plan.kinds[v]
        if kind is Kind.SUM:
            k = two.vectors[v] = self._hold(V128)
            self._pair(v.args[0])
            self.c.set(k)
        elif v.op is FREEZE:
            two.vectors[v] = two.vectors[v.args[0]]
        elif v in two.plan.joined:
            self._load_joined(*two.plan.joined[v])
        elif kind is Kind.VECTOR or kind is Kind.MASK:
            self._compute_pair(v)
            self._own(v)
        elif kind is Kind.LANES:
            k = two.lanes[v] = self._hold(I32), self._hold(I32)
            for lane in (0, 1):
                self._compute_lane(v, lane)
                self.c.set(k[lane])

    def _own(self, v: Value) -> None:
        k = self.two.vectors[v] = self.two.owned[v] = self._vector_local()
        self.c.set(k)

    def _pair(self, v: Value) -> None:
        """Put two numbers, or truth values, on the stack."""
        two = self.two
        if v in two.plan.deferred:
            self._compute_pair(v)
        elif v in two.vectors:
            self.c.get(two.vectors[v])
        elif two.plan.outside(v):
            self.c.get(self._splat(v))
        else:
            self._of_lanes(v)

    def _splat(self, v: Value) -> int:
        """The local that has a number, or a truth value, from outside of the loop twice."""
        splats = self.two.splats
        if v not in splats:
            splats[v] = self._hold(V128)
            with self._before():
                self._push(v)
                if v.type is not Real:
                    self._mask_bits()
                self._beside("f64x2" if v.type is Real else "i64x2", 0)
                self.c.set(splats[v])
        return splats[v]

    def _mask_bits(self) -> None:
        """A truth value as 64 bits: all, or none."""
        self.c("i64.extend_i32_u")
        self.c("i64.const", -1)
        self.c("i64.mul")

    def _beside(self, kind: str, lane: int) -> None:
        """Make a vector of the number on the stack; or put it beside the one that is there."""
        if lane:
            self.c(f"{kind}.replace_lane", lane)
        else:
            self.c(f"{kind}.splat")

    def _of_lanes(self, v: Value) -> None:
        """Two truth values that are apart."""
        for lane in (0, 1):
            self._lane(v, lane)
            self._mask_bits()
            self._beside("i64x2", lane)

    def _lane(self, v: Value, lane: int) -> None:
        """Put what one of the turns has on the stack: a number as in a loop of single turns."""
        two = self.two
        if two.plan.outside(v):
            self._push(v)
        elif v in two.lanes:
            self.c.get(two.lanes[v][lane])
        elif v in two.vectors:
            self.c.get(two.vectors[v])
            if v.type is Real:
                self.c("f64x2.extract_lane", lane)
            else:
                self.c("i64x2.extract_lane", lane)
                self.c("i32.wrap_i64")
                self.c.i32_const(1)
                self.c("i32.and")
        else:
            moving = two.plan.kinds[v]
            assert isinstance(moving, Affine), v
            self._moved(moving, lane)

    def _moved(self, i: Affine, lane: int) -> None:
        """An index that moves."""
        self.c.get(self._turn())
        self.c.i32_const(i.step)
        self.c("i32.mul")
        self.c.i32_const(i.start + lane * i.step)
        self.c("i32.add")
        for v, k in i.terms:
            self._term(v, k, 0)

    def _term(self, v: Value, k: int, lane: int) -> None:
        """Add an index so many times to what is on the stack."""
        pointer = self._pointer(v, k) if self.two.plan.outside(v) else None
        if pointer is not None:
            self.c.address(pointer)
        else:
            self._lane(v, lane)
            self._times(k)
        self.c("i32.add")

    def _compute_pair(self, v: Value) -> None:
        """Put what an instruction makes in two turns on the stack."""
        plan = self.two.plan
        if v in plan.rows:
            self._load_pair(self._at(plan.rows[v]))
        elif not plan.is_twin(v):
            for lane in (0, 1):
                self._compute_lane(v, lane)
                self._beside("f64x2", lane)
        elif not self._fused(v):
            for step in twin(v.op) or ():
                if isinstance(step, int):
                    self._pair(v.args[step])
                else:
                    self.c.emit(step)

    def _fused(self, v: Value) -> bool:
        """Write a sum with a product as one instruction, if that is allowed.

        In a row of sums only the first is: each would wait for all of the one before it, and so would the products.
        """
        found = self._fusion(v)
        if found is None or self._fusion(found[0]) is not None:
            return False
        term, product = found
        self._multiplied(product, lambda: self._pair(term), minus=v.op is sub)
        return True

    def _fusion(self, v: Value) -> tuple[Value, tuple[Value, Value, bool]] | None:
        """What a sum or difference is made of, if there is a product in it: what that is added to, and its factors."""
        if self.program.simd != "relaxed" or (v.op is not add and v.op is not sub):
            return None
        x, y = v.args
        found = self._product(y)
        if found is not None:
            return x, found
        found = self._product(x) if v.op is add else None
        return None if found is None else (y, found)

    def _product(self, v: Value) -> tuple[Value, Value, bool] | None:
        """The factors of a product that nothing else reads, and whether it is negated."""
        deferred = self.two.plan.deferred
        negated = v in deferred and v.op is neg
        (v,) = v.args if negated else (v,)
        return (v.args[0], v.args[1], negated) if v in deferred and v.op is mul else None

    def _multiplied(self, found: tuple[Value, Value, bool], term: Callable[[], None], *, minus: bool = False) -> None:
        x, y, negated = found
        self.program.fused = True
        self._pair(x)
        self._pair(y)
        term()
        self.c("f64x2.relaxed_nmadd" if minus != negated else "f64x2.relaxed_madd")

    def _compute_lane(self, v: Value, lane: int) -> None:
        """Put what an instruction makes in one of the turns on the stack."""
        row = self.two.plan.rows.get(v)
        if row is not None:
            self.c.load_from(v.type, Mem(None, self._base(self._at(row), lane)))
            return
        if "$" not in v.op.wasm:
            for a in v.args:
                self._lane(a, lane)
        for step in template(v.op):
            if isinstance(step, int):
                self._lane(v.args[step], lane)
            elif isinstance(step, str):
                self.c("call", self.program.math[step])
            else:
                self.c.emit(step)

    # addresses

    def _at(self, row: Row) -> At:
        mem = self._memory(row.whole)
        return At(mem.base, mem.more, row.terms, row.lanes, row.step, mem.offset + row.offset)

    def _base(self, at: At, lane: int) -> int:
        """Put the base of an address in one of the turns on the stack; the offset is given back."""
        if at.lanes:
            self.c.get(self._lane_rows(at.key)[lane])
            return at.offset
        if at.step < 0:
            self.c.get(self._moving(at))
            return (lane - 1) * at.step
        if at.step or at.size is not None or at.terms:
            self.c.get(self._moving(at.key))
        else:
            self.c.base(Mem(at.base, 0))
        return at.offset + lane * at.step

    def _moving(self, at: At) -> int:
        """The local of an address that moves: where it is in the first turn, or if it moves back, in the second."""
        two = self.two
        if at not in two.pointers:
            k = two.pointers[at] = self._hold(I32)
            with self._before():
                self.c.address(Mem(at.base, at.offset + at.step if at.step < 0 else 0, at.size))
                for v, n in at.terms:
                    self._term(v, n, 0)
                self.c.set(k)
        return two.pointers[at]

    def _lane_rows(self, at: At) -> tuple[int, int]:
        """The addresses of the two turns, where each has an index of its own."""
        two = self.two
        if at not in two.rows:
            two.rows[at] = self._hold(I32), self._hold(I32)
            for lane, k in enumerate(two.rows[at]):
                offset = self._base(at._replace(lanes=(), offset=0), lane)
                if offset:
                    self.c.i32_const(offset)
                    self.c("i32.add")
                for v, n in at.lanes:
                    self._term(v, n, lane)
                self.c.set(k)
        return two.rows[at]

    def _load_pair(self, at: At) -> None:
        offset = self._base(at, 0)
        if at.step == 8 and not at.lanes:
            self.c("v128.load", offset)
            return
        self.c("v128.load64_splat", offset)
        if not at.fixed:
            self.c("f64.load", self._base(at, 1))
            self.c("f64x2.replace_lane", 1)

    def _load_joined(self, v: Value, w: Value) -> None:
        """Two numbers that lie side by side, in each turn: they change places."""
        at = self._at(self.two.plan.rows[v])
        x, y = self._vector_local(), self._vector_local()
        for lane, k in enumerate((x, y)):
            self.c("v128.load", self._base(at, lane))
            self.c.set(k)
        for number, order in ((v, LOW), (w, HIGH)):
            self.c.get(x)
            self.c.get(y)
            self.c.emit(order)
            self._own(number)
        self.two.free += [x, y]

    def _store_kept(self, parts: Sequence[tuple[At, int]]) -> None:
        """Store vectors of what two turns made, and give them back: two at once, where the numbers are neighbours."""
        todo = list(parts)
        while todo:
            at, k = todo.pop(0)
            if at.step != 8 and todo and at.is_before(todo[0][0]):
                _, other = todo.pop(0)
                for lane, order in enumerate((LOW, HIGH)):
                    offset = self._base(at, lane)
                    self.c.get(k)
                    self.c.get(other)
                    self.c.emit(order)
                    self.c("v128.store", offset)
                self.two.free.append(other)
            elif at.step == 8:
                offset = self._base(at, 0)
                self.c.get(k)
                self.c("v128.store", offset)
            else:
                for lane in (0, 1):
                    offset = self._base(at, lane)
                    self.c.get(k)
                    self.c("v128.store64_lane", offset, lane)
            self.two.free.append(k)

    def _keep(self, x: Value) -> int:
        """A vector that nobody else gives back, for two numbers."""
        k = self._vector_local()
        self._pair(x)
        self.c.set(k)
        return k

    def _plus(self, term: Callable[[], None], x: Value) -> None:
        """Put a sum on the stack."""
        found = self._product(x) if self.program.simd == "relaxed" else None
        if found is not None:
            self._multiplied(found, term)
            return
        negated = x in self.two.plan.deferred and x.op is neg
        term()
        self._pair(x.args[0] if negated else x)
        self.c("f64x2.sub" if negated else "f64x2.add")

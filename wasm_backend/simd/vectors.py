"""The instructions of a vectorised loop: two iterations at once, numbers in vectors of two, and addresses that move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rose.ir import FREEZE, Value
from rose.ir.ops import add, mul, neg, sub
from rose.ir.sizes import Size
from rose.ir.types import Real

from ..binary.encoder import I32, V128, Body, instruction
from ..codegen.assembler import noted
from ..codegen.expressions import Expressions
from ..codegen.locations import Mem
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
    def falls(self) -> bool:
        """True if a part of it is below zero, as no address may be: its local has the offset, too."""
        return self.step < 0 or any([k < 0 for _, k in self.terms])

    @property
    def key(self) -> At:
        return self if self.falls else self._replace(offset=0)


class VectorWriter:
    """Writes the instructions of two iterations of a loop."""

    def __init__(self, expr: Expressions, plan: Plan) -> None:
        self.expr, self.frame, self.c, self.plan = expr, expr.frame, expr.c, plan
        self.relaxed = expr.frame.program.simd == "relaxed"
        self.before, self.after = Body(), Body()  # what is written before and after the loop
        self.index: int | None = None  # the local of the first of the two indices
        self.in_pieces = False  # then it is there before, and is not 0
        self.pointers: dict[At, int] = {}
        self.rows: dict[At, tuple[int, int]] = {}
        self.splats: dict[Value, int] = {}
        self.vectors: dict[Value, int] = {}
        self.twice: dict[Value, tuple[int, int]] = {}
        self.lanes: dict[Value, tuple[int, int]] = {}
        self.owned: dict[Value, int] = {}  # the vectors that are given back
        self.held: list[tuple[int, int]] = []  # locals, until the loop ends
        self.free: list[int] = []  # vectors that were held, and can be had again

    # locals

    def hold(self, type: int) -> int:
        """A local until the end of the loop."""
        k = self.frame.take(type)
        self.held.append((type, k))
        return k

    def release(self) -> None:
        """After the loop: give back what was held."""
        for type, k in self.held:
            self.frame.free[type].append(k)

    def vector_local(self) -> int:
        """A local for two numbers, which is given back to `self.free`."""
        return self.free.pop() if self.free else self.hold(V128)

    def give_back(self, n: int) -> None:
        for v in self.plan.dies.get(n, ()):
            k = self.owned.pop(v, None)
            if k is not None:
                self.free.append(k)

    def first_index(self) -> int:
        """The local that has the index of the first of the two iterations."""
        if self.index is None:
            k = self.index = self.hold(I32)
            with self.c.aside(self.before):
                self.c.i32_const(0)
                self.c.set(k)
        return self.index

    # values

    @noted
    def make(self, v: Value, /) -> None:
        """Compute an instruction for two iterations, into locals."""
        kind = self.plan.kinds[v]
        if kind is Kind.SUM:
            k = self.vectors[v] = self.hold(V128)
            self.push(v.args[0])
            self.c.set(k)
        elif v.op is FREEZE:
            self.vectors[v] = self.vectors[v.args[0]]
        elif v in self.plan.joined:
            self._load_joined(*self.plan.joined[v])
        elif kind is Kind.VECTOR or kind is Kind.MASK:
            self.compute(v)
            self._own(v)
        elif kind is Kind.LANES:
            k = self.lanes[v] = self.hold(I32), self.hold(I32)
            for lane in (0, 1):
                self.compute_lane(v, lane)
                self.c.set(k[lane])

    def _own(self, v: Value) -> None:
        k = self.vectors[v] = self.owned[v] = self.vector_local()
        self.c.set(k)

    def waits(self, v: Value) -> bool:
        """True for numbers of memory that are loaded when they are first needed: products of neighbours need none."""
        return v in self.plan.rows and self.plan.kinds[v] is Kind.VECTOR

    def push(self, v: Value) -> None:
        """Put two numbers, or truth values, on the stack."""
        self._load_late(v)
        if v in self.plan.deferred:
            self.compute(v)
        elif v in self.vectors:
            self.c.get(self.vectors[v])
        elif self.plan.outside(v):
            self.c.get(self.splat(v))
        else:
            self._push_lanes(v)
            self._own(v)
            self.c.get(self.vectors[v])

    def _load_late(self, v: Value) -> None:
        if v not in self.vectors and v not in self.plan.deferred and self.waits(v):
            self.make(v)

    def splat(self, v: Value) -> int:
        """The local that has a number, or a truth value, from outside of the loop twice."""
        splats = self.splats
        if v not in splats:
            splats[v] = self.hold(V128)
            with self.c.aside(self.before):
                self.expr.push(v)
                if v.type is not Real:
                    self._mask_bits()
                self._beside("f64x2" if v.type is Real else "i64x2", 0)
                self.c.set(splats[v])
        return splats[v]

    def _mask_bits(self) -> None:
        """Turn the truth value on the stack into 64 bits: all, or none."""
        self.c("i64.extend_i32_u")
        self.c("i64.const", -1)
        self.c("i64.mul")

    def _beside(self, kind: str, lane: int) -> None:
        """Make a vector of the number on the stack; or put it beside the one that is there."""
        if lane:
            self.c(f"{kind}.replace_lane", lane)
        else:
            self.c(f"{kind}.splat")

    def _push_lanes(self, v: Value) -> None:
        """Put two truth values that are apart on the stack."""
        for lane in (0, 1):
            self._push_lane(v, lane)
            self._mask_bits()
            self._beside("i64x2", lane)

    def _push_lane(self, v: Value, lane: int) -> None:
        """Put the value of one lane on the stack: a number as in a loop of single iterations."""
        self._load_late(v)
        if self.plan.outside(v):
            self.expr.push(v)
        elif v in self.lanes:
            self.c.get(self.lanes[v][lane])
        elif v in self.vectors:
            self.c.get(self.vectors[v])
            if v.type is Real:
                self.c("f64x2.extract_lane", lane)
            else:
                self.c("i64x2.extract_lane", lane)
                self.c("i32.wrap_i64")
                self.c.i32_const(1)
                self.c("i32.and")
        else:
            moving = self.plan.kinds[v]
            assert isinstance(moving, Affine), v
            self._moved(moving, lane)

    def _moved(self, i: Affine, lane: int) -> None:
        """Put the index that moves of one lane on the stack."""
        self.c.get(self.first_index())
        self.c.i32_const(i.step)
        self.c("i32.mul")
        self.c.i32_const(i.start + lane * i.step)
        self.c("i32.add")
        for v, k in i.terms:
            self._term(v, k, 0)

    def _term(self, v: Value, k: int, lane: int) -> None:
        """Add an index so many times to what is on the stack."""
        pointer = self.expr.pointer(v, k) if self.plan.outside(v) else None
        if pointer is not None:
            self.c.address(pointer)
        elif v in self.plan.rings:
            self.c.get(self.expr.shifts[v][1])
            self.expr.times(k)
        else:
            self._push_lane(v, lane)
            self.expr.times(k)
        self.c("i32.add")

    @noted
    def compute(self, v: Value, /) -> None:
        """Compute an instruction for two iterations, on the stack."""
        plan = self.plan
        if v in plan.rows:
            self.load_pair(self.at(plan.rows[v]))
        elif not plan.is_twin(v):
            for lane in (0, 1):
                self.compute_lane(v, lane)
                self._beside("f64x2", lane)
        elif not self._fused(v):
            for step in twin(v.op) or ():
                if isinstance(step, int):
                    self.push(v.args[step])
                elif isinstance(step, str):
                    self.c("call", self.frame.program.math.twice(step))
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
        self._multiplied(product, lambda: self.push(term), minus=v.op is sub)
        return True

    def _fusion(self, v: Value) -> tuple[Value, tuple[Value, Value, bool]] | None:
        """The operands of a sum or difference with a product: the term, and the factors of the product."""
        if not self.relaxed or (v.op is not add and v.op is not sub):
            return None
        x, y = v.args
        found = self.product(y)
        if found is not None:
            return x, found
        found = self.product(x) if v.op is add else None
        return None if found is None else (y, found)

    def product(self, v: Value) -> tuple[Value, Value, bool] | None:
        """The factors of a product that nothing else reads, and whether it is negated."""
        deferred = self.plan.deferred
        negated = v in deferred and v.op is neg
        (v,) = v.args if negated else (v,)
        return (v.args[0], v.args[1], negated) if v in deferred and v.op is mul else None

    def _multiplied(self, found: tuple[Value, Value, bool], term: Callable[[], None], *, minus: bool = False) -> None:
        x, y, negated = found
        self.frame.program.fused = True
        self.push(x)
        self.push(y)
        term()
        self.c("f64x2.relaxed_nmadd" if minus != negated else "f64x2.relaxed_madd")

    def compute_lane(self, v: Value, /, lane: int) -> None:
        """Compute an instruction for one lane, on the stack."""
        row = self.plan.rows.get(v)
        if row is not None:
            self.c.load_from(v.type, Mem(None, self.base(self.at(row), lane)))
            return
        if "$" not in v.op.wasm:
            for a in v.args:
                self._push_lane(a, lane)
        for step in template(v.op):
            if isinstance(step, int):
                self._push_lane(v.args[step], lane)
            elif isinstance(step, str):
                self.c("call", self.frame.program.math.index[step])
            else:
                self.c.emit(step)

    # addresses

    def at(self, row: Row) -> At:
        mem = self.frame.address(row.whole)
        return At(mem.base, mem.more, row.terms, row.lanes, row.step, mem.offset + row.offset)

    def base(self, at: At, lane: int) -> int:
        """Put the base of the address of one lane on the stack; the offset is given back."""
        if at.lanes:
            self.c.get(self._rows_of_lanes(at.key)[lane])
            return 0 if at.falls else at.offset
        if at.falls:
            self.c.get(self._moving(at))
            return lane * at.step - min(at.step, 0)
        if at.step or at.size is not None or at.terms:
            self.c.get(self._moving(at.key))
        else:
            self.c.base(Mem(at.base, 0))
        return at.offset + lane * at.step

    def _moving(self, at: At) -> int:
        """The local of an address that moves: that of the first iteration, or if it moves back, of the second."""
        if at not in self.pointers:
            k = self.pointers[at] = self.hold(I32)
            with self.c.aside(self.before):
                self.c.address(Mem(at.base, at.offset + min(at.step, 0), at.size))
                for v, n in at.terms:
                    self._term(v, n, 0)
                if self.in_pieces and at.step:
                    self.c.get(self.first_index())
                    self.c.i32_const(at.step)
                    self.c("i32.mul")
                    self.c("i32.add")
                self.c.set(k)
        return self.pointers[at]

    def _rows_of_lanes(self, at: At) -> tuple[int, int]:
        """The locals of the addresses of the two lanes, where each has an index of its own."""
        if at not in self.rows:
            self.rows[at] = self.hold(I32), self.hold(I32)
            for lane, k in enumerate(self.rows[at]):
                offset = self.base(at._replace(lanes=()), lane)
                if offset:
                    self.c.i32_const(offset)
                    self.c("i32.add")
                for v, n in at.lanes:
                    self._term(v, n, lane)
                self.c.set(k)
        return self.rows[at]

    def load_pair(self, at: At) -> None:
        offset = self.base(at, 0)
        if at.step == 8 and not at.lanes:
            self.c("v128.load", offset)
            return
        self.c("f64.load", offset)  # and not `v128.load64_splat`, for which wasmtime takes a detour
        self.c("f64x2.splat")
        if not at.fixed:
            self.c("f64.load", self.base(at, 1))
            self.c("f64x2.replace_lane", 1)

    def _load_joined(self, v: Value, w: Value) -> None:
        """Load two numbers that lie side by side, in each iteration, and transpose them."""
        at = self.at(self.plan.rows[v])
        x, y = self.vector_local(), self.vector_local()
        for lane, k in enumerate((x, y)):
            self.c("v128.load", self.base(at, lane))
            self.c.set(k)
        for number, order in ((v, LOW), (w, HIGH)):
            self.c.get(x)
            self.c.get(y)
            self.c.emit(order)
            self._own(number)
        self.free += [x, y]

    def store_kept(self, parts: Sequence[tuple[At, int]]) -> None:
        """Store vectors of what two iterations made, and free them: two at once, where the numbers are neighbours."""
        todo = list(parts)
        while todo:
            at, k = todo.pop(0)
            if at.step != 8 and todo and at.is_before(todo[0][0]):
                _, other = todo.pop(0)
                for lane, order in enumerate((LOW, HIGH)):
                    offset = self.base(at, lane)
                    self.c.get(k)
                    self.c.get(other)
                    self.c.emit(order)
                    self.c("v128.store", offset)
                self.free.append(other)
            elif at.step == 8:
                offset = self.base(at, 0)
                self.c.get(k)
                self.c("v128.store", offset)
            else:
                for lane in (0, 1):
                    offset = self.base(at, lane)
                    self.c.get(k)
                    self.c("v128.store64_lane", offset, lane)
            self.free.append(k)

    def keep(self, x: Value) -> int:
        """Compute two numbers into a vector that nobody else gives back."""
        k = self.vector_local()
        self.push(x)
        self.c.set(k)
        return k

    def plus(self, term: Callable[[], None], x: Value) -> None:
        """Put the sum of `term` and `x` on the stack."""
        found = self.product(x) if self.relaxed else None
        if found is not None:
            self._multiplied(found, term)
            return
        negated = x in self.plan.deferred and x.op is neg
        term()
        self.push(x.args[0] if negated else x)
        self.c("f64x2.sub" if negated else "f64x2.add")

"""The instructions of a vectorised loop: several iterations at once, numbers in vectors, and addresses that move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rose.ir import FREEZE, Value
from rose.ir.ops import add, mul, neg, sub
from rose.ir.sizes import Size
from rose.ir.types import Bool, Fin, Type

from ..binary.encoder import I32, V128, Body
from ..codegen.assembler import noted
from ..codegen.expressions import Expressions
from ..codegen.locations import Mem
from ..codegen.templates import template
from .plan import CONVERT, CONVERT_SMALL, NUMBERS, Affine, Kind, Plan, Row, Terms, double, integers, twin


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

    def is_before(self, other: At, far: int) -> bool:
        """True if the other one is that of the number so many bytes on."""
        return other in {self._replace(offset=self.offset + far)}  # values are never compared with ==

    @property
    def falls(self) -> bool:
        """True if a part of it is below zero, as no address may be: its local has the offset, too."""
        return self.step < 0 or any([k < 0 for _, k in self.terms])

    @property
    def key(self) -> At:
        return self if self.falls else self._replace(offset=0)


def is_small(i: Value) -> bool:
    """True for an index that is an integer with a sign, too."""
    return isinstance(i.type, Fin) and not isinstance(i.type.size, Size) and i.type.size <= 2**31


class VectorWriter:
    """Writes the instructions of the iterations of a loop that are done at once, one in each lane."""

    def __init__(self, expr: Expressions, plan: Plan) -> None:
        self.expr, self.frame, self.c, self.plan = expr, expr.frame, expr.c, plan
        self.shape, self.lanes_of = plan.shape, range(plan.shape.lanes)
        self.relaxed = expr.frame.program.simd == "relaxed"
        self.before, self.after = Body(), Body()  # what is written before and after the loop
        self.index: int | None = None  # the local of the first of the indices
        self.in_pieces = False  # then it is there before, and is not 0
        self.pointers: dict[At, int] = {}
        self.rows: dict[At, list[int]] = {}
        self.splats: dict[Value, int] = {}
        self.vectors: dict[Value, int] = {}
        self.splat_lanes: dict[Value, list[int]] = {}  # for each lane, the vector that has it everywhere
        self.lanes: dict[Value, list[int]] = {}
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
        """A local for a vector, which is given back to `self.free`."""
        return self.free.pop() if self.free else self.hold(V128)

    def give_back(self, n: int) -> None:
        for v in self.plan.dies.get(n, ()):
            k = self.owned.pop(v, None)
            if k is not None:
                self.free.append(k)

    def first_index(self) -> int:
        """The local that has the index of the first of the iterations."""
        if self.index is None:
            k = self.index = self.hold(I32)
            with self.c.aside(self.before):
                self.c.i32_const(0)
                self.c.set(k)
        return self.index

    # values

    @noted
    def make(self, v: Value, /) -> None:
        """Compute an instruction for all lanes, into locals."""
        kind = self.plan.kinds[v]
        if kind is Kind.SUM:
            k = self.vectors[v] = self.hold(V128)
            self.push(v.args[0])
            self.c.set(k)
        elif v.op is FREEZE:
            self.vectors[v] = self.vectors[v.args[0]]
        elif v in self.plan.joined:
            self._load_joined(self.plan.joined[v])
        elif kind is Kind.VECTOR or kind is Kind.MASK:
            self.compute(v)
            self._own(v)
        elif kind is Kind.LANES:
            k = self.lanes[v] = [self.hold(I32) for _ in self.lanes_of]
            for lane in self.lanes_of:
                self.compute_lane(v, lane)
                self.c.set(k[lane])

    def _own(self, v: Value) -> None:
        k = self.vectors[v] = self.owned[v] = self.vector_local()
        self.c.set(k)

    def waits(self, v: Value) -> bool:
        """True for numbers of memory that are loaded when they are first needed: products of neighbours need none."""
        return v in self.plan.rows and self.plan.kinds[v] is Kind.VECTOR

    def push(self, v: Value) -> None:
        """Put a vector of numbers, or of truth values, on the stack."""
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
        """The local that has a number, or a truth value, from outside of the loop in all lanes."""
        splats = self.splats
        if v not in splats:
            splats[v] = self.hold(V128)
            with self.c.aside(self.before):
                self.expr.push(v)
                if v.type is Bool:
                    self._put_truth(0)
                    self.c(f"{self.shape.ints}.neg")
                else:
                    self.put(0, self.vectors_of(v))
                self.c.set(splats[v])
        return splats[v]

    def vectors_of(self, v: Value) -> str:
        """The mnemonics of vectors of such a value begin so."""
        return self.shape.floats if v.type in NUMBERS else self.shape.ints

    def put(self, lane: int, vectors: str) -> None:
        """Put the number on the stack into a lane of the vector below it; the first into all lanes."""
        self.c(f"{vectors}.replace_lane", lane) if lane else self.c(f"{vectors}.splat")

    def _put_truth(self, lane: int) -> None:
        """Put 1 or 0 into a lane, as `put` does: its negative is a mask."""
        if self.shape.int == "i64":
            self.c("i64.extend_i32_u")
        self.put(lane, self.shape.ints)

    def take(self, lane: int) -> None:
        """Take the number of one lane out of the vector on the stack."""
        self.c(f"{self.shape.floats}.extract_lane", lane)

    def _push_lanes(self, v: Value) -> None:
        """Put truth values that are apart on the stack, as a mask; or indices that are."""
        moving = self.plan.kinds[v]
        if isinstance(moving, Affine):
            self._moved(moving, 0)
            self.put(0, self.shape.ints)
            if moving.step:
                self.c.emit(integers(*[lane * moving.step for lane in self.lanes_of]))
                self.c(f"{self.shape.ints}.add")
            return
        for lane in self.lanes_of:
            self._push_lane(v, lane)
            if v.type is Bool:
                self._put_truth(lane)
            else:
                self.put(lane, self.shape.ints)
        if v.type is Bool:
            self.c(f"{self.shape.ints}.neg")

    def _push_lane(self, v: Value, lane: int) -> None:
        """Put the value of one lane on the stack: a number as in a loop of single iterations."""
        self._load_late(v)
        if self.plan.outside(v):
            self.expr.push(v)
        elif v in self.lanes:
            self.c.get(self.lanes[v][lane])
        elif v in self.vectors:
            self.c.get(self.vectors[v])
            if v.type in NUMBERS:
                self.take(lane)
            else:
                self.c("i32x4.extract_lane", lane * 4 // self.shape.lanes)
                if v.type is Bool:
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
        """Compute an instruction for all lanes, on the stack."""
        plan = self.plan
        if v in plan.rows:
            self.load(self.at(plan.rows[v]), v.type)
        elif not plan.is_twin(v):
            for lane in self.lanes_of:
                self.compute_lane(v, lane)
                self.put(lane, self.shape.floats)
        elif not self._fused(v):
            for step in twin(v.op) or ():
                if isinstance(step, int):
                    self.push(v.args[step])
                elif isinstance(step, str):
                    self.c("call", self.frame.program.math.twice(step))
                elif step == CONVERT and is_small(v.args[0]):
                    self.c.emit(CONVERT_SMALL)
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
        self._multiplied(product, lambda: self.push(term), minus=double(v.op) is sub)
        return True

    def _fusion(self, v: Value) -> tuple[Value, tuple[Value, Value, bool]] | None:
        """The operands of a sum or difference with a product: the term, and the factors of the product."""
        op = double(v.op)
        if not self.relaxed or (op is not add and op is not sub):
            return None
        x, y = v.args
        found = self.product(y)
        if found is not None:
            return x, found
        found = self.product(x) if op is add else None
        return None if found is None else (y, found)

    def product(self, v: Value) -> tuple[Value, Value, bool] | None:
        """The factors of a product that nothing else reads, and whether it is negated."""
        deferred = self.plan.deferred
        negated = v in deferred and double(v.op) is neg
        (v,) = v.args if negated else (v,)
        return (v.args[0], v.args[1], negated) if v in deferred and double(v.op) is mul else None

    def _multiplied(self, found: tuple[Value, Value, bool], term: Callable[[], None], *, minus: bool = False) -> None:
        x, y, negated = found
        self.frame.program.fused = True
        self.push(x)
        self.push(y)
        term()
        self.multiply_add(negated=minus != negated)

    def multiply_add(self, *, negated: bool) -> None:
        self.c(f"{self.shape.floats}.relaxed_{'nmadd' if negated else 'madd'}")

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
            return lane * at.step - self._behind(at)
        if at.step or at.size is not None or at.terms:
            self.c.get(self._moving(at.key))
        else:
            self.c.base(Mem(at.base, 0))
        return at.offset + lane * at.step

    def _behind(self, at: At) -> int:
        """The bytes from the address of the first lane to that of the last, if that lies before it."""
        return (self.shape.lanes - 1) * min(at.step, 0)

    def _moving(self, at: At) -> int:
        """The local of an address that moves: that of the first lane, or if it moves back, of the last."""
        if at not in self.pointers:
            k = self.pointers[at] = self.hold(I32)
            with self.c.aside(self.before):
                self.c.address(Mem(at.base, at.offset + self._behind(at), at.size))
                for v, n in at.terms:
                    self._term(v, n, 0)
                if self.in_pieces and at.step:
                    self.c.get(self.first_index())
                    self.c.i32_const(at.step)
                    self.c("i32.mul")
                    self.c("i32.add")
                self.c.set(k)
        return self.pointers[at]

    def _rows_of_lanes(self, at: At) -> list[int]:
        """The locals of the addresses of the lanes, where each has an index of its own."""
        if at not in self.rows:
            self.rows[at] = [self.hold(I32) for _ in self.lanes_of]
            for lane, k in enumerate(self.rows[at]):
                offset = self.base(at._replace(lanes=()), lane)
                if offset:
                    self.c.i32_const(offset)
                    self.c("i32.add")
                for v, n in at.lanes:
                    self._term(v, n, lane)
                self.c.set(k)
        return self.rows[at]

    def load(self, at: At, t: Type) -> None:
        """Put a vector of what lies at an address in each lane on the stack."""
        offset, vectors = self.base(at, 0), self.shape.floats if t in NUMBERS else self.shape.ints
        if at.step == self.shape.bytes and not at.lanes:
            self.c("v128.load", offset)
            return
        self.c.load_from(t, Mem(None, offset))  # and not `v128.load64_splat`, for which wasmtime takes a detour
        self.put(0, vectors)
        if not at.fixed:
            for lane in self.lanes_of[1:]:
                self.c.load_from(t, Mem(None, self.base(at, lane)))
                self.put(lane, vectors)

    def _load_joined(self, numbers: Sequence[Value]) -> None:
        """Load numbers that lie side by side, in each iteration, and transpose them."""
        at, n = self.at(self.plan.rows[numbers[0]]), len(numbers)
        rows = [self.vector_local() for _ in numbers]
        for k, row in enumerate(rows):
            self._load_side_by_side(at, k * self.shape.lanes // n, n)
            self.c.set(row)
        columns = self._transposed(rows, [self.shape.even(), self.shape.odd()])
        for number, (x, y, order) in zip(numbers, columns, strict=True):
            self._push_shuffled(x, y, order)
            self._own(number)
        self.free += rows

    def _load_side_by_side(self, at: At, lane: int, n: int) -> None:
        """Put `n` numbers of a lane on the stack, and behind them those of the next, if there is room."""
        offset = self.base(at, lane)
        if self._fills(at, n):
            self.c("v128.load", offset)
            return
        self.c("f64.load", offset)
        self.c("f64x2.splat")
        self.c("f64.load", self.base(at, lane + 1))
        self.c("f64x2.replace_lane", 1)

    def _fills(self, at: At, n: int) -> bool:
        """True if `n` numbers that lie side by side fill a vector, or do with those of the next lane behind them."""
        return n == self.shape.lanes or (at.step == n * self.shape.bytes and not at.lanes)

    def _push_shuffled(self, x: int, y: int, order: bytes) -> None:
        self.c.get(x)
        self.c.get(y)
        self.c.emit(order)

    def _transposed(self, rows: Sequence[int], of_two: Sequence[bytes]) -> list[tuple[int, int, bytes]]:
        """The shuffles that make the columns of two rows, or of four, in whose locals halves of them are then."""
        if len(rows) == 2:
            return [(rows[0], rows[1], order) for order in of_two]
        for x, y in (rows[:2], rows[2:]):
            self._weave(x, y)
        halves = [self.shape.halves(k) for k in (0, 1)]
        return [(x, y, half) for x, y in (rows[::2], rows[1::2]) for half in halves]

    def _weave(self, x: int, y: int) -> None:
        """Let two locals have the numbers of both in turns: the first halves of them, and the second."""
        for half in (0, 1):
            self._push_shuffled(x, y, self.shape.woven(half))
        self.c.set(y)
        self.c.set(x)

    def store_kept(self, parts: Sequence[tuple[At, int]]) -> None:
        """Store vectors of what the iterations made, and free them: several at once, where numbers are neighbours."""
        todo = list(parts)
        while todo:
            at, _ = todo[0]
            n = self._side_by_side([at for at, _ in todo])
            locals = [k for _, k in todo[:n]]
            del todo[:n]
            if n == 1:
                self._store(at, *locals)
            elif self._fills(at, n):
                shuffles = self._transposed(locals, [self.shape.woven(k) for k in (0, 1)])
                for k, (x, y, order) in enumerate(shuffles):
                    offset = self.base(at, k * self.shape.lanes // n)
                    self._push_shuffled(x, y, order)
                    self.c("v128.store", offset)
            else:
                self._weave(locals[0], locals[1])
                for lane in self.lanes_of:
                    offset = self.base(at, lane)
                    self.c.get(locals[lane // 2])
                    self.c("v128.store64_lane", offset, lane % 2)
            self.free += reversed(locals)

    def _side_by_side(self, rows: Sequence[At]) -> int:
        """How many of these first numbers lie side by side, and are stored at once: a vector full, or two, or one."""
        if rows[0].step == self.shape.bytes:
            return 1
        near = [rows[0].is_before(at, k * self.shape.bytes) for k, at in enumerate(rows[: self.shape.lanes])]
        n = near.index(False, 1) if False in near[1:] else len(near)
        return n if n == self.shape.lanes else min(n, 2)

    def _store(self, at: At, k: int) -> None:
        if at.step == self.shape.bytes:
            offset = self.base(at, 0)
            self.c.get(k)
            self.c("v128.store", offset)
            return
        for lane in self.lanes_of:
            offset = self.base(at, lane)
            self.c.get(k)
            self.c(f"v128.store{8 * self.shape.bytes}_lane", offset, lane)

    def keep(self, x: Value) -> int:
        """Compute numbers into a vector that nobody else gives back."""
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
        negated = x in self.plan.deferred and double(x.op) is neg
        term()
        self.push(x.args[0] if negated else x)
        self.c(f"{self.shape.floats}.{'sub' if negated else 'add'}")

"""The plan of a vectorised loop: whether two iterations can be one, and what each instruction then is.

Iterations that follow one another are computed together where none needs another: the loop has no states, and nothing
in it but numbers, indices, elements and sums. A number is then a vector, an affine index is an address that moves, and
any other index is one for each lane: apart, if it is that of an element, else in a vector, where lanes have 32 bits.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from rose.ir import (
    ACCUM,
    ADD_TO,
    AT,
    CONST,
    FOR,
    FREEZE,
    GET,
    INDEX,
    PACK,
    TUPLE,
    ZERO,
    Loop,
    Op,
    Value,
    is_index,
    single_ops,
)
from rose.ir.ops import iadd, ifrom, imul
from rose.ir.sizes import Size
from rose.ir.types import Bool, Fin, Real, Ref, Single, Tuple, Type, Vec

from ..abi.layout import is_flat, item_offsets, offsets, size
from ..binary.encoder import OPCODES, instruction
from ..binary.shapes import F32X4, F64X2, Shape
from ..codegen import costs
from ..codegen.liveness import operands
from ..codegen.rings import Ring
from ..codegen.strength_reduction import step
from ..libm.lanes import has_lanes

NUMBERS = (Real, Single)
Terms = tuple[tuple[Value, int], ...]  # numbers, and how often each counts


class Affine(NamedTuple):
    """An affine index: so many times that of the iteration, a number, and what does not change in the loop."""

    step: int
    start: int
    terms: Terms = ()


class Row(NamedTuple):
    """An address: in the memory of a value from outside, so many bytes on, and farther with each iteration."""

    whole: Value
    offset: int = 0
    step: int = 0
    terms: Terms = ()
    lanes: Terms = ()  # the indices of which each iteration has its own

    def to(self, i: Value | Affine, stride: int) -> Row:
        """The address of an element."""
        if isinstance(i, Value):
            return self._replace(lanes=(*self.lanes, (i, stride)))
        terms = (*self.terms, *[(v, k * stride) for v, k in i.terms])
        return self._replace(offset=self.offset + i.start * stride, step=self.step + i.step * stride, terms=terms)


class Kind(Enum):
    """The kind of an instruction that is neither an index that moves, nor an address."""

    VECTOR = 0  # numbers, or integers of 32 bits
    MASK = 1  # truth values: all bits of a lane are one, or none
    LANES = 2  # integers of 32 bits, apart
    SUM = 3  # an accumulator that each iteration has for itself
    SAME = 4  # what does not change in the loop, and makes no code
    NOTHING = 5


class Unfit(Exception):
    """The loop cannot be vectorised."""


_PLAIN = "add sub mul div neg abs sqrt min max ceil floor trunc nearest eq ne lt le".split()


def _of_shape(s: Shape) -> dict[str, bytes]:
    return {
        **{f"{s.float}.{x}": instruction(f"{s.floats}.{x}") for x in _PLAIN},
        f"{s.int}.ne": instruction(f"{s.ints}.ne"),
        f"{s.int}.reinterpret_{s.float}": b"",
        f"{s.float}.copysign": s.no_sign + instruction("v128.bitselect"),
    }


_TWINS: dict[str, bytes] = {
    **{f"i32.{x}": instruction(f"v128.{x}") for x in ("and", "or", "xor")},
    "select": instruction("v128.bitselect"),
    "i32.eqz": instruction("v128.not"),
    **_of_shape(F64X2),
    **_of_shape(F32X4),
    # of indices, where lanes have 32 bits
    **{f"i32.{x}": instruction(f"i32x4.{x}") for x in ("add", "sub", "mul", "eq", "lt_u", "le_u", "gt_u", "shr_u")},
    "i32.trunc_sat_f32_s": instruction("i32x4.trunc_sat_f32x4_s"),
    "f32.convert_i32_u": (CONVERT := instruction("f32x4.convert_i32x4_u")),
}
CONVERT_SMALL = instruction("f32x4.convert_i32x4_s")  # of indices below 2**31, which is much faster
_DOUBLE = {single: double for double, single in single_ops.TWINS.items()}
_CONSTANTS = {f"{s.float}.const": s for s in (F64X2, F32X4)}


def double(op: Op) -> Op:
    """The row of the table that computes the same in double precision."""
    return _DOUBLE.get(op, op)


@cache
def twin(op: Op) -> tuple[int | bytes | str, ...] | None:
    """The `wasm` column for the numbers of a vector, as `template` has it for one; None if there is none."""
    steps: list[int | bytes | str] = []
    parts = op.wasm.split(", ")
    for part, following in zip(parts, [*parts[1:], ""], strict=True):
        word, *rest = part.split() or [""]
        if word.startswith("$"):
            steps.append(int(word[1:]))
        elif word in _CONSTANTS:
            steps.append(_CONSTANTS[word].constant(float(rest[0])))
        elif word == "i32.const":
            steps.append(instruction(word, int(rest[0])) if "sh" in following else integers(*[int(rest[0])] * 4))
        elif word in _TWINS:
            steps.append(_TWINS[word])
        elif word == "call" and has_lanes(rest[0]):
            steps.append(rest[0])
        else:
            return None
    if not any([isinstance(x, int) for x in steps]):
        steps = [*range(double(op).type.__code__.co_argcount), *steps]
    return tuple(steps)


def integers(*lanes: int) -> bytes:
    """The instruction that puts integers of 32 bits on the stack."""
    return OPCODES["v128.const"][0] + b"".join([x.to_bytes(4, "little", signed=x < 0) for x in lanes])


def known(n: int | Size) -> int:
    if isinstance(n, Size):
        raise Unfit
    return n


class Plan:
    """The kind of each instruction of a loop, when it is computed, and what it costs."""

    def __init__(
        self, block: Loop, made: Sequence[Value], placed: Container[Value], rings: Mapping[Value, Ring],
        shape: Shape = F64X2,
    ) -> None:  # fmt: skip
        """`made` are the results that somebody reads, and `placed` what a loop around this one has promoted.

        The index of one of its `rings` moves as that of the loop does, in each piece, and its shift is a term.
        """
        self.block, self.placed, self.rings, self.shape = block, placed, rings, shape
        self.kinds: dict[Value, Affine | Row | Kind] = {block.index: Affine(1, 0)}
        self.rows: dict[Value, Row] = {}  # where what is read lies
        self.apart = self._indices_of_elements()
        for v in block.code:
            self.kinds[v] = self._kind(v)
        self.parts = {r: self._parts(r) for r in made}
        self.joined = self._join()
        self.deferred: dict[Value, int] = {}  # -> how deep it stands in its expression
        self.dies: dict[int, list[Value]] = {}
        self._schedule()

    # what each is

    def _indices_of_elements(self) -> set[Value]:
        """The indices from which those of elements are computed."""
        found = set[Value]()
        for v in reversed(self.block.code) if self.shape.has_indices else ():
            if v.op is INDEX or v.op is AT:
                found.update(v.args[1:])
            elif v in found:
                found.update(v.args)
        return found

    def in_vector(self, v: Value) -> bool:
        """True for indices of several lanes that can be in a vector."""
        return self.shape.has_indices and isinstance(v.type, Fin) and v not in self.apart

    @property
    def number(self) -> Type:
        """The type of the numbers of the module."""
        return Real if self.shape is F64X2 else Single

    def is_apart(self, v: Value) -> bool:
        """True for an index of which each lane has its own."""
        return self.kinds.get(v) is Kind.LANES and isinstance(v.type, Fin)

    def outside(self, v: Value) -> bool:
        """True for what does not change in the loop."""
        return v.block is not self.block or v.op is CONST or v.op is ZERO or self.kinds.get(v) is Kind.SAME

    def _kind(self, v: Value) -> Affine | Row | Kind:
        op, t = v.op, v.type
        if v in self.placed:
            return Kind.SAME
        if op is INDEX or op is AT or op is GET:
            return self._part(v)
        if op is ADD_TO:
            ref, x = v.args
            self.numbers([x])
            if not self.outside(ref) and not isinstance(self.kinds[ref], Row) and self.kinds[ref] is not Kind.SUM:
                raise Unfit
            return Kind.NOTHING
        if op is ACCUM and v.args[0].type in NUMBERS:
            self.numbers(v.args)
            return Kind.SUM
        if op is FREEZE and not self.outside(v.args[0]) and self.kinds[v.args[0]] is Kind.SUM:
            return Kind.VECTOR
        if op is CONST or op is ZERO or op is TUPLE or op is PACK:
            return Kind.NOTHING
        if not t.scalar or not op.wasm:
            raise Unfit
        return self._affine(v) or self._row_of_the_table(v)

    def _part(self, v: Value) -> Row | Kind:
        """An element, or an item: an address, or what is read from it."""
        whole = v.args[0]
        t: Type = whole.type.inner if isinstance(whole.type, Ref) else whole.type
        if v.type.empty:
            raise Unfit
        if isinstance(t, Tuple):
            if self.outside(whole) and (is_flat(t) or whole.op is FOR):
                return Kind.SAME
            row = self.row(whole).to(Affine(0, 1), known(offsets(t)[int(v.attr)]))
        else:
            assert isinstance(t, Vec)
            row = self.row(whole).to(self.index(v.args[1]), known(size(t.elem)))
        if isinstance(v.type, Ref) or not v.type.scalar:
            return row
        self.rows[v] = row
        if v.type not in NUMBERS and v.type is not Bool and not isinstance(v.type, Fin):
            raise Unfit
        return Kind.VECTOR if v.type in NUMBERS or self.in_vector(v) else Kind.LANES

    def _parts(self, v: Value) -> list[tuple[int, Value]]:
        """The numbers of an element that an iteration makes, and where in it each is."""
        if v.type in NUMBERS:
            self.numbers([v])
            return [(0, v)]
        if self.outside(v) or (v.op is not PACK and v.op is not TUPLE):
            raise Unfit
        known(size(v.type))
        starts = zip(v.args, item_offsets(v), strict=True)
        return [(known(start) + k, x) for a, start in starts if not a.type.empty for k, x in self._parts(a)]

    def row(self, v: Value) -> Row:
        if self.outside(v):
            return Row(v)
        found = self.kinds[v]
        if not isinstance(found, Row):
            raise Unfit
        return found

    def index(self, v: Value) -> Value | Affine:
        if v.op is CONST and not isinstance(v.attr, Size):
            return Affine(0, int(v.attr))
        if self.outside(v):
            at = step(v)  # of the index of a loop around this one, which is there as long as that runs
            if is_index(at.i) and at.times > 0 and not isinstance(at.ahead, Size):
                return Affine(0, at.ahead, ((at.i, at.times),))
            return Affine(0, 0, ((v, 1),))  # from the end: no part of an address is below zero
        found = self.kinds[v]
        return found if isinstance(found, Affine) else v

    def _affine(self, v: Value) -> Affine | None:
        """A ring, a sum of indices that move, or a product of one with a literal."""
        if v in self.rings:
            return Affine(-1 if self.rings[v].falls else 1, 0, ((v, 1),))
        if v.op not in (iadd, imul, ifrom):
            return None
        x, y = [self.index(a) for a in v.args]
        if isinstance(x, Value) or isinstance(y, Value):
            return None
        if v.op is ifrom:
            x = Affine(-x.step, -x.start, tuple([(a, -k) for a, k in x.terms]))
        if v.op is not imul:
            return Affine(x.step + y.step, x.start + y.start, (*x.terms, *y.terms))
        if x.step or x.terms:
            x, y = y, x
        if x.step or x.terms or not x.start:
            return None
        return Affine(x.start * y.step, x.start * y.start, tuple([(a, x.start * k) for a, k in y.terms]))

    def numbers(self, args: Sequence[Value]) -> None:
        """Require that each of these is a vector, or can be one."""
        for a in args:
            if a.type not in NUMBERS or not (self.outside(a) or self.kinds[a] is Kind.VECTOR):
                raise Unfit

    def _row_of_the_table(self, v: Value) -> Kind:
        for a in v.args:
            if a.type not in NUMBERS and a.type is not Bool and not isinstance(a.type, Fin):
                raise Unfit
        if v.type in NUMBERS:
            return Kind.VECTOR
        if v.type is Bool:
            return Kind.MASK if self.is_twin(v) else Kind.LANES
        if not isinstance(v.type, Fin):
            raise Unfit
        return Kind.VECTOR if self.in_vector(v) and self.is_twin(v) else Kind.LANES

    def is_twin(self, v: Value) -> bool:
        """True for a row that is computed for all lanes at once."""
        fit = [a.type in NUMBERS or a.type is Bool or (self.shape.has_indices and a.type is not Bool) for a in v.args]
        return all(fit) and twin(v.op) is not None

    # when and where

    def _join(self) -> dict[Value, tuple[Value, ...]]:
        """Join numbers that lie side by side in rows that are read: two, or a vector, are loaded at once."""
        n, near = self.shape.lanes, self.shape.bytes
        read = [(v, r) for v, r in reversed(self.rows.items()) if v.type in NUMBERS]
        lone = {r: v for v, r in read if r.lanes or abs(r.step) > near}
        out: dict[Value, tuple[Value, ...]] = {}
        for row, v in sorted(lone.items(), key=lambda item: item[0].offset):
            ahead = [lone.get(row._replace(offset=row.offset + k * near)) for k in range(n)]
            beside = [x for x in takewhile(lambda x: x is not None, ahead) if x is not None]
            joined = beside if len(beside) == n else beside[:2]
            if len(joined) > 1 and v not in out:
                out |= dict.fromkeys(joined, tuple(joined))
        return out

    def _schedule(self) -> None:
        """Backwards: what reads a value is known before the value."""
        end = len(self.block.code)
        uses: dict[Value, int] = {}
        last: dict[Value, int] = {}  # when it is read for the last time
        reader: dict[Value, Value | None] = {}

        def read(a: Value, by: Value | None, when: int) -> None:
            if not self.outside(a):
                uses[a] = uses.get(a, 0) + 1
                last[a] = max(last.get(a, 0), when)
                reader[a] = by

        for _, r in (part for found in self.parts.values() for part in found):
            read(r, None, end)
        for n in range(end - 1, -1, -1):
            v, when = self.block.code[n], n
            kind = self.kinds[v]
            if kind in (Kind.VECTOR, Kind.MASK) and uses.get(v) == 1 and v not in self.joined and v.op is not FREEZE:
                user = reader[v]
                depth = self.deferred.get(user, 0) + 1 if user is not None else 1
                if depth <= costs.STACK_DEPTH and (user is None or user.op is ADD_TO or self.is_twin(user)):
                    self.deferred[v] = depth
                    when = last[v]
            if v.op is ADD_TO:
                read(v.args[1], v, when)
            elif v not in self.rows and not isinstance(kind, Row) and kind is not Kind.NOTHING:
                for a in operands(v):
                    read(a, v, when)
        for v, n in last.items():
            if v not in self.deferred:
                self.dies.setdefault(n, []).append(v)

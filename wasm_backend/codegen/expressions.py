"""Expressions, on WebAssembly's stack: trees of operations, loads, and the addresses of elements.

These are one recursion: a number that is deferred is computed where it is read, the number may be an element, its
address depends on an index, and that may be deferred.
"""

from __future__ import annotations

from rose.ir import CONST, GET, INDEX, Loop, Value
from rose.ir.ops import imod, select
from rose.ir.sizes import Size, times
from rose.ir.types import Real, Ref, Tuple, Type

from ..abi.layout import leaves, offsets, size
from ..binary.encoder import I32, LOCAL_GET
from . import costs
from .assembler import noted
from .frame import Frame
from .locations import Literal, Mem
from .strength_reduction import IndexUses, reached
from .templates import BY_DATA, PLAIN, Several, template


class Expressions:
    """Writes the code of values that are read, and of addresses."""

    def __init__(self, frame: Frame) -> None:
        self.frame, self.c, self.location = frame, frame.c, frame.location
        self.deferred = frame.lives.deferred
        self.math = frame.program.math.index
        # (index of a loop, bytes that an iteration moves it) -> the local of a pointer: see `strength_reduction.py`
        self.pointers: dict[tuple[Value, int], int] = {}
        self.unread: set[Value] = set()  # indices that only pointers are made of, so that they are no numbers
        self.shifts: dict[Value, tuple[Value, int, bool]] = {}  # of rings: the index, the shift, and which is negative
        self._index_uses: IndexUses | None = None

    @property
    def index_uses(self) -> IndexUses:
        """What is done with the indices of the loops of this function."""
        if self._index_uses is None:
            self._index_uses = IndexUses(self.frame.f.body, self.frame.lives.items)
        return self._index_uses

    def push(self, v: Value, leaf: int = 0) -> None:
        """Put a leaf on the stack: a number, or an address."""
        if v in self.deferred:
            self.compute(v)
            return
        if v.op is CONST and v.type is Real:
            self.c.f64_const(v.attr)
            return
        locations = self.location.get(v)
        where = (self.frame.all_locations(v) if locations is None else locations)[leaf]
        if isinstance(where, int):
            self.c.body += LOCAL_GET[where]
        elif isinstance(where, Mem):
            t = leaves(v.type)[leaf] if not isinstance(v.type, Ref) else v.type
            if t.scalar:
                self.c.load(t, where)
            else:
                self.c.address(where)
        else:
            assert isinstance(where, Literal), v
            self.c.constant(where.type, where.value)

    def number(self, v: Value, /) -> None:
        """Put the number that an instruction makes on the stack: a row of the table, or a load."""
        if v.op is INDEX:
            at = self.frame.address(v.args[0])
            if v.args[1].op is CONST:
                self.c.load(v.type, at.at(times(v.args[1].attr, size(v.type))))
                return
            self.c.load_from(v.type, self.scaled(v.args[1], size(v.type), at))
        elif v.op is GET:
            t, k = v.args[0].type, int(v.attr)
            assert isinstance(t, Tuple)
            self.c.load(v.type, self.frame.address(v.args[0]).at(offsets(t)[k]))
        elif v.op is imod and v in self.shifts:
            index, shift, falls = self.shifts[v]
            self.c.get(shift)
            self.push(index)
            self.c("i32.sub" if falls else "i32.add")
        else:
            simple = PLAIN.get(v.op)
            if simple is not None:
                body, location, deferred = self.c.body, self.location, self.deferred
                for a in v.args:
                    if a in deferred:
                        self.compute(a)
                    elif a in location and isinstance(k := location[a][0], int):
                        body += LOCAL_GET[k]
                    else:
                        self.push(a)
                body += simple
                return
            if "$" not in v.op.wasm:
                for a in v.args:
                    self.push(a)
            for step in BY_DATA if v.op is select and _is_by_data(v) else template(v.op):
                if isinstance(step, int):
                    self.push(v.args[step])
                elif isinstance(step, str):
                    several = step.__class__ is Several
                    self.c("call", self.frame.program.math.twice(step) if several else self.math[step])
                else:
                    self.c.emit(step)

    compute = noted(number)

    def store(self, v: Value, leaf: int, t: Type, to: Mem) -> None:
        """Let a leaf of `v` be at an address; nothing to do if it was built there."""
        if t.scalar:
            self.c.base(to)
            self.push(v, leaf)
            self.c.write(t, to)
        elif (at := self.frame.address(v, leaf)) != to:
            self.c.copy(t, at, to)

    # addresses of elements

    def scaled(self, i: Value, stride: int | Size, row: Mem) -> Mem:
        """Put the address of element `i` of a row on the stack, but for the offset of the address that comes back."""
        based, pointer = self.c.beginning(row), self.pointer(i, stride)
        if pointer is None:
            self.push(i)
            self.times(stride)
        else:
            self.c.base(pointer)
            row = row.at(pointer.offset)
        if based:
            self.c("i32.add")
        return row

    def pointer(self, i: Value, stride: int | Size) -> Mem | None:
        """The distance of element `i` from the first one, if a loop has a pointer for that."""
        found = reached(i, stride)
        return None if found is None or found[0] not in self.pointers else Mem(self.pointers[found[0]], found[1])

    def element_at(self, i: Value, owner: Value, stride: int | Size, row: Mem) -> Mem:
        """The address of element `i` of a row: in a local of the owner, where a pointer is not enough."""
        pointer = self.pointer(i, stride)
        if pointer is not None and row.base is None and row.more is None:
            return pointer.at(row.offset)
        at = self.scaled(i, stride, row)
        k = self.frame.local(owner, I32)
        self.c.set(k)
        return Mem(k, at.offset)

    def times(self, stride: int | Size) -> None:
        """Multiply the index on the stack."""
        if isinstance(stride, Size):
            self.c.size(stride)
            self.c("i32.mul")
        elif stride & (stride - 1) == 0:
            if stride > 1:
                self.c.i32_const(stride.bit_length() - 1)
                self.c("i32.shl")
        else:
            self.c.i32_const(stride)
            self.c("i32.mul")


def _is_by_data(v: Value) -> bool:
    """True if an array tells in each iteration of a long loop which number is chosen, which no machine predicts.

    Not where a state may wait for it. Measured: a scan that chooses in each step takes 3 times as long without branch,
    a network of few neurons 1.1 times, and the gradient of a product of 512 rows under a mask 0.3 times.
    """
    c, block = v.args[0], v.block
    if v.type is not Real or c.op is not INDEX or c.block is not block or not isinstance(block, Loop):
        return False
    return not block.carried and (isinstance(block.size, Size) or block.size >= costs.UNPREDICTED_ITERATIONS)

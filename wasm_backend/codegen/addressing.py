"""Where the elements of vectors are, and the sums of a loop that its turns have in locals."""

from __future__ import annotations

from typing import NamedTuple

from rose.ir import ACCUM, FOR, ZERO, Value
from rose.ir.sizes import Size, times
from rose.ir.types import Fin, Type, Vec

from ..abi.layout import wasm_type
from ..binary.encoder import I32
from .places import Mem
from .register_promotion import Carried, carried, first_uses, parts
from .strength_reduction import step
from .values import ValueWriter


class Sum(NamedTuple):
    """A number of the elements of a row that a loop adds to."""

    turn: Value
    row: Carried
    start: int  # where in an element it is
    type: Type
    now: int  # its local
    then: int  # that of the element after it: of the same one, if no element is handed on
    fresh: bool  # nothing was added to it before


class ElementWriter(ValueWriter):
    """Writes addresses of elements, and sums into them."""

    def _scaled(self, i: Value, stride: int | Size, row: Mem) -> Mem:
        """Put where element `i` of a row is on the stack, but for the offset of the address that comes back."""
        based, pointer = self.c.beginning(row), self._pointer(i, stride)
        if pointer is None:
            self._push(i)
            self._times(stride)
        else:
            self.c.base(pointer)
            row = row.at(pointer.offset)
        if based:
            self.c("i32.add")
        return row

    def _pointer(self, i: Value, stride: int | Size) -> Mem | None:
        """How far element `i` is from the first one, if a loop has a pointer for that."""
        at = step(i)
        k = None if isinstance(stride, Size) else self.pointers.get((at.turn, stride * at.times))
        return None if k is None else Mem(k, 0).at(times(at.ahead, stride))

    def _element_at(self, i: Value, owner: Value, stride: int | Size, row: Mem) -> Mem:
        """The address of element `i` of a row: in a local of the owner, where a pointer is not enough."""
        pointer = self._pointer(i, stride)
        if pointer is not None and row.base is None and row.more is None:
            return pointer.at(row.offset)
        at = self._scaled(i, stride, row)
        k = self._local(owner, I32)
        self.c.set(k)
        return Mem(k, at.offset)

    def _times(self, stride: int | Size) -> None:
        """Multiply the index on the stack."""
        if isinstance(stride, Size):
            self.c.extent(stride)
            self.c("i32.mul")
        elif stride & (stride - 1) == 0:
            if stride > 1:
                self.c.i32_const(stride.bit_length() - 1)
                self.c("i32.shl")
        else:
            self.c.i32_const(stride)
            self.c("i32.mul")

    # sums in locals

    def _rows(self, v: Value) -> list[Carried]:
        """The rows whose elements are numbers in the turns of a loop."""
        if v not in self.rows:
            self.rows[v] = [x for x in carried(v.attr) if x.pays() or self._is_first(v, x)]
        return self.rows[v]

    def _is_first(self, v: Value, row: Carried) -> bool:
        """True if a loop is the first to add to a sum that begins at zeros, to one element after the other."""
        ref, n = row.row, v.attr.params[0].type
        if ref.op is not ACCUM or ref.args[0].op is not ZERO or ref.block is not v.block or not row.covers():
            return False
        return self._first_use(ref) is v and isinstance(n, Fin) and not isinstance(n.size, Size) and n.size > 0

    def _first_use(self, ref: Value) -> Value | None:
        if self.first_uses is None:
            self.first_uses = first_uses(self.f.body)
        return self.first_uses.get(ref)

    def _written_first(self, ref: Value, t: Type) -> int:
        """How many elements of a sum a loop writes before all else: they need not be cleared."""
        v = self._first_use(ref) if isinstance(t, Vec) and not isinstance(t.size, Size) else None
        if v is None or v.op is not FOR:
            return 0
        rows = [x for x in self._rows(v) if x.row is ref and self._is_first(v, x)]
        return sum([v.attr.params[0].type.size + x.moves for x in rows])

    def _open_sums(self, v: Value) -> list[Sum]:
        """Before a loop: where its turns have their sums. Of an element that they hand on, the first one is read."""
        turn, sums = v.attr.params[0], list[Sum]()
        for row in self._rows(v):
            local = {start: self._local(turn, wasm_type(t)) for start, t in row.numbers.items()}
            then = {start: self._local(turn, wasm_type(t)) for start, t in row.numbers.items()} if row.moves else local
            fresh = self._is_first(v, row)
            found = [Sum(turn, row, start, t, local[start], then[start], fresh) for start, t in row.numbers.items()]
            for x in found if row.moves else ():
                self._read_sum(x, x.now, None)
            self.carried.update(row.ahead)
            for ref in row.added:
                ahead = then if row.ahead[ref] > row.first else local
                self.place[ref] = tuple([ahead[row.start[ref] + start] for _, start in parts(ref)])
            sums += found
        return sums

    def _next_sums(self, sums: list[Sum]) -> None:
        """At the start of a turn: the element that no turn before has read."""
        for x in sums:
            self._read_sum(x, x.then, x.turn)

    def _keep_sums(self, sums: list[Sum]) -> None:
        """At the end of a turn: store the element that no turn after will add to, and hand on the other."""
        for x in sums:
            self._store_sum(x)
        for x in sums:
            if x.row.moves:
                self.c.get(x.then)
                self.c.set(x.now)

    def _close_sums(self, sums: list[Sum]) -> None:
        """After the loop, when pointers are where the next turn would be: the element that was handed on."""
        for x in sums:
            if x.row.moves:
                self._store_sum(x)

    def _read_sum(self, x: Sum, to: int, turn: Value | None) -> None:
        """Read the newest element of a turn, or without one the first of all."""
        at = self._memory(x.row.row).at(x.start + x.row.first * x.row.stride)
        if x.fresh:
            self.c.constant(x.type, 0)
        elif turn is None:
            self.c.load(x.type, at)
        else:
            self.c.load_from(x.type, self._scaled(turn, x.row.stride, at.at(x.row.moves * x.row.stride)))
        self.c.set(to)

    def _store_sum(self, x: Sum) -> None:
        at = self._memory(x.row.row).at(x.start + x.row.first * x.row.stride)
        to = self._scaled(x.turn, x.row.stride, at)
        self.c.get(x.now)
        self.c.write(x.type, to)

"""Shapes of vectors, as WebAssembly calls them: two numbers of 64 bits, or four of 32. Those of a module are of one."""

from __future__ import annotations

from typing import NamedTuple

from .encoder import F32, F64, OPCODES, instruction


class Shape(NamedTuple):
    """The numbers of a vector, its lanes, and the integers of as many bits: truth values are all bits, or none."""

    local: int  # the type of a local that has one of them
    lanes: int
    float: str  # the mnemonics of one of its numbers begin so
    int: str  # those of an integer

    @property
    def bytes(self) -> int:
        """The bytes of a number."""
        return 16 // self.lanes

    @property
    def has_indices(self) -> bool:
        """True if the integers of its vectors are those of indices."""
        return self.int == "i32"

    @property
    def floats(self) -> str:
        """The mnemonics of its vectors of numbers begin so."""
        return f"{self.float}x{self.lanes}"

    @property
    def ints(self) -> str:
        return f"{self.int}x{self.lanes}"

    def constant(self, x: float) -> bytes:
        """The instruction that puts a number on the stack, in each lane."""
        return instruction("v128.const", *[x] * self.lanes)

    @property
    def no_sign(self) -> bytes:
        """All bits but the signs."""
        return OPCODES["v128.const"][0] + bytes([*[0xFF] * (self.bytes - 1), 0x7F]) * self.lanes

    # vectors of the lanes of two others, which are on the stack

    def even(self) -> bytes:
        """The first number of each pair of neighbours."""
        return _shuffle(*range(0, 2 * self.lanes, 2))

    def odd(self) -> bytes:
        return _shuffle(*range(1, 2 * self.lanes, 2))

    def woven(self, half: int) -> bytes:
        """The numbers of one half of each, in turns."""
        first = half * self.lanes // 2
        return _shuffle(*[k for lane in range(first, first + self.lanes // 2) for k in (lane, self.lanes + lane)])

    def together(self, lane: int) -> bytes:
        """One lane of the first in the first half, and of the second in the second half."""
        half = self.lanes // 2
        return _shuffle(*[lane] * half, *[self.lanes + lane] * half)

    def halves(self, half: int) -> bytes:
        """One half of the first, and that of the second."""
        n = self.lanes // 2
        return _shuffle(*[start + half * n + k for start in (0, self.lanes) for k in range(n)])

    def across(self, last: int) -> bytes:
        """So many of the first, its last, and before the end of the second."""
        return _shuffle(*range(self.lanes - last, 2 * self.lanes - last))

    def splat(self, lane: int) -> bytes:
        """One lane of the first in all."""
        return _shuffle(*[lane] * self.lanes)


def _shuffle(*lanes: int) -> bytes:
    return instruction("i8x16.shuffle", *lanes)


F64X2, F32X4 = Shape(F64, 2, "f64", "i64"), Shape(F32, 4, "f32", "i32")

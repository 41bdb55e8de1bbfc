"""The code of a function of the library, as instructions."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

from .library import Function, Relocation


class Reader:
    """Bytes, from front to back."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def bytes(self, n: int) -> bytes:
        self.at += n
        return self.data[self.at - n : self.at]

    def byte(self) -> int:
        return self.bytes(1)[0]

    def unsigned(self) -> int:
        """An unsigned integer, in LEB128."""
        n = shift = 0
        while True:
            byte = self.byte()
            n |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return n

    def signed(self) -> int:
        """A signed integer, in LEB128."""
        start = self.at
        n = self.unsigned()
        bits = 7 * (self.at - start)
        return n - (1 << bits) if n >> (bits - 1) else n

    def name(self) -> str:
        return self.bytes(self.unsigned()).decode()


class Instruction(NamedTuple):
    """A mnemonic, and its immediates."""

    mnemonic: str
    immediates: tuple[int | float | Relocation, ...]


def decode(f: Function, opcodes: Mapping[int, tuple[str, int]]) -> tuple[list[int], list[Instruction]]:
    """The types of the locals that are no parameters, and the instructions, the last `end` included."""
    r, holes = Reader(f.code), {h.at: h for h in f.relocations}
    types: list[int] = []
    for _ in range(r.unsigned()):
        n = r.unsigned()
        types += [r.byte()] * n
    code: list[Instruction] = []
    while r.at < len(f.code):
        mnemonic, integers = opcodes[r.byte()]
        code.append(Instruction(mnemonic, _immediates(r, mnemonic, integers, holes)))
    return types, code


def _immediates(
    r: Reader, mnemonic: str, integers: int, holes: Mapping[int, Relocation]
) -> tuple[int | float | Relocation, ...]:
    if mnemonic == "f64.const":
        return struct.unpack("<d", r.bytes(8))
    if mnemonic == "f32.const":
        return struct.unpack("<f", r.bytes(4))
    if mnemonic == "br_table":
        return tuple([r.unsigned() for _ in range(r.unsigned() + 1)])
    read = r.signed if mnemonic.endswith(".const") else r.unsigned
    out: list[int | Relocation] = []
    for _ in range(integers):
        hole = holes.get(r.at)
        out.append(read() if hole is None else hole)
    return tuple(out)

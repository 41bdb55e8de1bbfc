"""A module of ours as text: its imports, exports and instructions, with the names of the specification.

It reads what `encode` writes, by the same table, and nothing more.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .encode import OPCODES, unsigned

_TYPES = {0x7F: "i32", 0x7E: "i64", 0x7D: "f32", 0x7C: "f64", 0x7B: "v128"}
_KINDS = {0: "func", 2: "memory", 3: "global"}
_INDENTS, _OUTDENTS = {"block", "loop", "if", "else"}, {"end", "else"}


class _Reader:
    """The bytes of a module, from front to back."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def bytes(self, n: int) -> bytes:
        self.at += n
        return self.data[self.at - n : self.at]

    def unsigned(self) -> int:
        out = shift = 0
        while True:
            byte = self.bytes(1)[0]
            out |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return out

    def signed(self) -> int:
        start = self.at
        n = self.unsigned()
        bits = 7 * (self.at - start)
        return n - (1 << bits) if n >> (bits - 1) else n

    def name(self) -> str:
        return self.bytes(self.unsigned()).decode()

    def types(self) -> str:
        return " ".join([_TYPES[t] for t in self.bytes(self.unsigned())])


def _by_bytes() -> dict[bytes, tuple[str, str]]:
    """Fixed bytes of an instruction -> its mnemonic, and the kind of what follows."""
    out: dict[bytes, tuple[str, str]] = {}
    for mnemonic, (fixed, encode) in OPCODES.items():
        kind = "" if encode is None else "u" if encode is unsigned else mnemonic
        out[fixed] = mnemonic, kind
    return out


_INSTRUCTIONS = _by_bytes()
_LONGEST = max(map(len, _INSTRUCTIONS))


def disassemble(wasm: bytes) -> str:
    """The text of a module."""
    sections = dict(_sections(wasm))
    names = _names(sections)
    types = [_type(r) for r in _items(sections, 1)]
    lines: list[str] = []
    imported: list[int] = []
    for r in _items(sections, 2):
        path = f'"{r.name()}" "{r.name()}"'
        r.bytes(1)
        imported.append(r.unsigned())
        lines.append(f"import {path} {types[imported[-1]]}")
    for r in _items(sections, 5):
        r.bytes(1)
        lines.append(f"memory {r.unsigned()} pages")
    for r in _items(sections, 7):
        field, kind, index = r.name(), _KINDS[r.bytes(1)[0]], r.unsigned()
        lines.append(f'export "{field}" {kind} {names.get(index, index) if kind == "func" else index}')
    of = [r.unsigned() for r in _items(sections, 3)]
    for k, r in enumerate(_items(sections, 10)):
        index = len(imported) + k
        lines.append(f"\nfunc {names.get(index, index)} {types[of[k]]}")
        lines.extend(_body(r, names))
    for r in _items(sections, 11):
        r.bytes(2)
        at = r.signed() % 2**32
        r.bytes(1)
        lines.append(f"\ndata {at}: {r.unsigned()} bytes")
    return "\n".join(lines)


def _sections(wasm: bytes) -> Iterator[tuple[int | str, bytes]]:
    r = _Reader(wasm, 8)
    while r.at < len(wasm):
        id = r.bytes(1)[0]
        content = r.bytes(r.unsigned())
        if id:
            yield id, content
        else:
            custom = _Reader(content)
            yield custom.name(), content[custom.at :]


def _items(sections: dict[int | str, bytes], id: int) -> Iterator[_Reader]:
    """A reader at each item of a section; the next is where it was left."""
    if id in sections:
        r = _Reader(sections[id])
        for _ in range(r.unsigned()):
            yield r


def _type(r: _Reader) -> str:
    r.bytes(1)
    return f"({r.types()}) -> ({r.types()})"


def _names(sections: dict[int | str, bytes]) -> dict[int, str]:
    out: dict[int, str] = {}
    r = _Reader(sections.get("name", b""))
    while r.at < len(r.data):
        id, content = r.bytes(1)[0], _Reader(r.bytes(r.unsigned()))
        if id == 1:
            out = {content.unsigned(): content.name() for _ in range(content.unsigned())}
    return out


def _body(r: _Reader, names: dict[int, str]) -> Iterator[str]:
    size = r.unsigned()
    end = r.at + size
    for _ in range(r.unsigned()):
        yield f"  local {r.unsigned()} {_TYPES[r.bytes(1)[0]]}"
    depth = 1
    while r.at < end:
        mnemonic, kind = _instruction(r)
        text = mnemonic
        if mnemonic == "call":
            index = r.unsigned()
            text += f" {names.get(index, index)}"
        elif kind == "u":
            text += f" {r.unsigned()}"
        elif kind == "f64.const":
            text += f" {struct.unpack('<d', r.bytes(8))[0]!r}"
        elif kind == "f32.const":
            text += f" {struct.unpack('<f', r.bytes(4))[0]!r}"
        elif kind == "v128.const":
            text += " {!r} {!r}".format(*struct.unpack("<dd", r.bytes(16)))
        elif kind == "i8x16.shuffle":
            text += " {} {}".format(*[x // 8 for x in r.bytes(16)[::8]])
        elif kind == "v128.store64_lane":
            text += f" {r.unsigned()} {r.bytes(1)[0]}"
        elif kind.endswith("_lane"):
            text += f" {r.bytes(1)[0]}"
        elif kind in ("i32.const", "i64.const"):
            text += f" {r.signed()}"
        elif mnemonic == "br_table":
            text += "".join([f" {r.unsigned()}" for _ in range(r.unsigned() + 1)])
        elif kind:
            r.bytes(1)  # the type of a block
        depth -= mnemonic in _OUTDENTS
        yield "  " * depth + text
        depth += mnemonic in _INDENTS


def _instruction(r: _Reader) -> tuple[str, str]:
    for n in range(1, _LONGEST + 1):
        found = _INSTRUCTIONS.get(r.data[r.at : r.at + n])
        if found is not None:
            r.bytes(n)
            return found
    raise AssertionError(r.data[r.at : r.at + 4].hex())

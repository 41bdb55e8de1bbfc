"""The disassembler: the imports, exports and instructions of a module as text, with the names of the specification.

It decodes by the table of `encoder.py`, so it reads the modules that the encoder writes, and no others.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from .encoder import OPCODES, unsigned
from .reader import KINDS, TYPES, Reader, function_type, items, names_of, sections_of

_INDENTS, _OUTDENTS = {"block", "loop", "if", "else"}, {"end", "else"}


def _by_bytes() -> dict[bytes, tuple[str, str]]:
    """Fixed bytes of an instruction -> its mnemonic, and the kind of its immediates."""
    out: dict[bytes, tuple[str, str]] = {}
    for mnemonic, (fixed, encode) in OPCODES.items():
        kind = "" if encode is None else "u" if encode is unsigned else mnemonic
        out[fixed] = mnemonic, kind
    return out


_INSTRUCTIONS = _by_bytes()
_LONGEST = max(map(len, _INSTRUCTIONS))


def disassemble(wasm: bytes) -> str:
    """A module as text."""
    sections = dict(sections_of(wasm))
    names = names_of(sections)
    types = [function_type(r) for r in items(sections, 1)]
    lines: list[str] = []
    imported: list[int] = []
    for r in items(sections, 2):
        path = f'"{r.name()}" "{r.name()}"'
        r.bytes(1)
        imported.append(r.unsigned())
        lines.append(f"import {path} {types[imported[-1]]}")
    for r in items(sections, 5):
        r.bytes(1)
        lines.append(f"memory {r.unsigned()} pages")
    for r in items(sections, 7):
        field, kind, index = r.name(), KINDS[r.bytes(1)[0]], r.unsigned()
        lines.append(f'export "{field}" {kind} {names.get(index, index) if kind == "func" else index}')
    if 8 in sections:
        index = Reader(sections[8]).unsigned()
        lines.append(f"start {names.get(index, index)}")
    of = [r.unsigned() for r in items(sections, 3)]
    for k, r in enumerate(items(sections, 10)):
        index = len(imported) + k
        lines.append(f"\nfunc {names.get(index, index)} {types[of[k]]}")
        lines.extend(_body(r, names))
    for r in items(sections, 11):
        r.bytes(2)
        at = r.signed() % 2**32
        r.bytes(1)
        lines.append(f"\ndata {at}: {r.unsigned()} bytes")
    return "\n".join(lines)


def _body(r: Reader, names: dict[int, str]) -> Iterator[str]:
    size = r.unsigned()
    end = r.at + size
    for _ in range(r.unsigned()):
        yield f"  local {r.unsigned()} {TYPES[r.bytes(1)[0]]}"
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
            raw = r.bytes(16)
            of_four = raw[:4] == raw[4:8] != bytes(4)
            text += "".join([f" {x!r}" for x in struct.unpack("<ffff" if of_four else "<dd", raw)])
        elif kind == "i8x16.shuffle":
            order = r.bytes(16)
            width = 8 if all([order[k + 4] == order[k] + 4 for k in (0, 8)]) else 4
            text += "".join([f" {x // width}" for x in order[::width]])
        elif kind in ("v128.store32_lane", "v128.store64_lane"):
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


def _instruction(r: Reader) -> tuple[str, str]:
    for n in range(1, _LONGEST + 1):
        found = _INSTRUCTIONS.get(r.data[r.at : r.at + n])
        if found is not None:
            r.bytes(n)
            return found
    raise AssertionError(r.data[r.at : r.at + 4].hex())

"""Insertion: instructions that are put into a finished module, with globals and a function of an imported table.

Nothing that the module has gets another number.
"""

from __future__ import annotations

from collections.abc import Sequence

from .encoder import CODE, F32, F64, I32, I64, V128, instruction, name, section, unsigned
from .reader import Reader

TYPE, IMPORT, GLOBALS = 1, 2, 6  # ids of sections
_TABLE = b"\x01\x70\x00\x01"  # the kind of an import; of functions, at least one
_CALL_INDIRECT, _MUTABLE, _END = b"\x11", b"\x01", b"\x0b"


_ZEROS = {
    I32: instruction("i32.const", 0), I64: instruction("i64.const", 0), F32: instruction("f32.const", 0),
    F64: instruction("f64.const", 0), V128: instruction("v128.const", 0, 0),
}  # fmt: skip


class Insertion:
    """An insertion into a module, which has functions, and no table of its own.

    `table` is the import of a table, whose functions take an `i32` and give nothing. `globals` are the types of new
    globals.
    """

    def __init__(self, wasm: bytes, type: bytes, table: tuple[str, str], globals: Sequence[int]) -> None:
        self.wasm, self.type, self.import_ = wasm, type, name(table[0]) + name(table[1]) + _TABLE
        self.added = globals
        r, count = Reader(wasm, 8), {TYPE: 0, GLOBALS: 0}
        while r.at < len(wasm):
            id, size = r.byte(), r.unsigned()
            end = r.at + size
            if id in count:
                count[id] = r.unsigned()
            r.at = end
        self.call = _CALL_INDIRECT + unsigned(count[TYPE]) + b"\0"  # of the function whose number is on the stack
        self.first = count[GLOBALS]

    def globals(self) -> dict[int, list[int]]:
        """The new globals, by type."""
        found: dict[int, list[int]] = {}
        for k, type in enumerate(self.added, self.first):
            found.setdefault(type, []).append(k)
        return found

    def finish(self, pieces: Sequence[tuple[int, bytes]]) -> bytes:
        """The module with each piece put in at its offset; they are in order."""
        items = {TYPE: [self.type], IMPORT: [self.import_]}
        if self.added:
            items[GLOBALS] = [bytes([type]) + _MUTABLE + _ZEROS[type] + _END for type in self.added]
        out, r = [self.wasm[:8]], Reader(self.wasm, 8)
        while r.at < len(self.wasm):
            id, size = r.byte(), r.unsigned()
            start, content = r.at, r.bytes(size)
            for missing in [k for k in items if k < id]:
                out.append(_longer(missing, b"\0", items.pop(missing)))
            if id in items:
                out.append(_longer(id, content, items.pop(id)))
            else:
                out.append(section(id, _codes(content, start, pieces) if id == CODE else content))
        return b"".join(out)


def _longer(id: int, content: bytes, more: Sequence[bytes]) -> bytes:
    """A section with further items."""
    r = Reader(content)
    n = r.unsigned()
    return section(id, unsigned(n + len(more)) + content[r.at :] + b"".join(more))


def _codes(content: bytes, start: int, pieces: Sequence[tuple[int, bytes]]) -> bytes:
    """The content of the code section, which begins at the offset `start` of the module."""
    r, left = Reader(content), [*reversed(pieces)]
    out = [unsigned(n := r.unsigned())]
    for _ in range(n):
        size = r.unsigned()
        at, end, parts = r.at, r.at + size, list[bytes]()
        while left and left[-1][0] - start < end:
            offset, piece = left.pop()
            parts += [content[at : offset - start], piece]
            at = offset - start
        body = b"".join([*parts, content[at:end]])
        out += [unsigned(len(body)), body]
        r.at = end
    assert not left
    return b"".join(out)

"""The reader of relocatable object files of WebAssembly, in an archive, by LLVM's tool conventions.

https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from rose.ir.libm.decode import Reader
from rose.ir.libm.library import ADDRESS, CALL, OFFSET, STACK_POINTER

RELOCATIONS = {0: CALL, 3: OFFSET, 4: ADDRESS, 7: STACK_POINTER}  # the kinds that occur
HOLE = 5  # bytes of a number that is to be relocated
FUNCTION, DATA, GLOBAL, SECTION = 0, 1, 2, 3  # kinds of symbols
_LOCAL, _UNDEFINED, _EXPLICIT_NAME = 0x02, 0x10, 0x40  # flags of a symbol

Types = tuple[tuple[int, ...], tuple[int, ...]]


class Piece(NamedTuple):
    """The bytes of one function or segment, and where they start in their section."""

    start: int
    content: bytes


class Segment(NamedTuple):
    """A piece of data: its name, and its alignment."""

    name: str
    align: int
    piece: Piece


class Symbol(NamedTuple):
    """A symbol: the name of a function, a global, or an address in a segment; `target` is None if it is imported."""

    kind: int
    name: str
    local: bool
    target: int | None
    offset: int = 0


class Hole(NamedTuple):
    """A relocation in the code section: its offset, its kind, and its symbol."""

    at: int
    type: int
    symbol: int
    addend: int


class Object(NamedTuple):
    """An object file: its compiler, functions (imported ones first, which have no piece), data, symbols and holes."""

    compiler: str
    types: list[Types]
    functions: list[Piece | None]
    segments: list[Segment]
    symbols: list[Symbol]
    holes: list[Hole]


class Archive:
    """An archive of objects, each found by a symbol that it defines."""

    def __init__(self, raw: bytes) -> None:
        assert raw[:8] == b"!<arch>\n", "not an archive"
        self._raw, self._read = raw, dict[int, Object]()
        table = self._member(8)
        n = int.from_bytes(table[:4], "big")
        places = struct.unpack(f">{n}I", table[4 : 4 + 4 * n])
        names = table[4 + 4 * n :].decode().split("\0")
        self._defines = dict(zip(names, places, strict=False))  # a last empty name ends the table

    def _member(self, at: int) -> bytes:
        size = int(self._raw[at + 48 : at + 58])
        return self._raw[at + 60 : at + 60 + size]

    def defining(self, symbol: str) -> Object:
        """The object that defines a symbol."""
        at = self._defines[symbol]
        if at not in self._read:
            self._read[at] = read_object(self._member(at))
        return self._read[at]


def read_object(raw: bytes) -> Object:
    """The functions and the data of an object file."""
    sections = dict(_sections(raw))
    assert "reloc.DATA" not in sections, "data that points at data"
    functions, globals = _imports(sections)
    types = [_type(r) for r in _items(sections, "1")]
    defined = [r.unsigned() for r in _items(sections, "3")]
    pieces = [_piece(r) for r in _items(sections, "10")]
    segments, symbols = _linking(sections, [name for name, _ in functions], globals)
    return Object(
        _compiler(sections),
        [types[k] for k in [*[k for _, k in functions], *defined]],
        [*[None for _ in functions], *pieces],
        segments,
        symbols,
        _holes(sections),
    )


def _sections(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The sections in order: the id as text, or the name of a custom section, and the content."""
    assert raw[:8] == b"\0asm\1\0\0\0", "not an object of WebAssembly"
    r = Reader(raw, 8)
    while r.at < len(raw):
        id = r.byte()
        content = r.bytes(r.unsigned())
        inner = Reader(content)
        yield (inner.name(), content[inner.at :]) if id == 0 else (str(id), content)


def _items(sections: dict[str, bytes], section: str) -> Iterator[Reader]:
    """A reader at each item of a section in turn."""
    r = Reader(sections.get(section, b"\0"))
    for _ in range(r.unsigned()):
        yield r


def _type(r: Reader) -> Types:
    assert r.byte() == 0x60
    return tuple(r.bytes(r.unsigned())), tuple(r.bytes(r.unsigned()))


def _piece(r: Reader) -> Piece:
    size = r.unsigned()
    return Piece(r.at, r.bytes(size))


def _imports(sections: dict[str, bytes]) -> tuple[list[tuple[str, int]], list[str]]:
    """The imported functions, each with the index of its type, and the imported globals."""
    functions, globals = list[tuple[str, int]](), list[str]()
    for r in _items(sections, "2"):
        _, field, kind = r.name(), r.name(), r.byte()
        if kind == 0:
            functions.append((field, r.unsigned()))
        elif kind == 3:
            r.bytes(2)
            globals.append(field)
        else:  # the memory, or a table that nothing here uses: their limits
            if kind == 1:
                r.byte()
            for _ in range(1 + (r.byte() & 1)):
                r.unsigned()
    return functions, globals


def _compiler(sections: dict[str, bytes]) -> str:
    """The tools that made an object, with their versions."""
    r = Reader(sections.get("producers", b"\0"))
    fields = {r.name(): [(r.name(), r.name()) for _ in range(r.unsigned())] for _ in range(r.unsigned())}
    return ", ".join([" ".join(tool) for tool in fields.get("processed-by", [])])


def _linking(
    sections: dict[str, bytes], functions: list[str], globals: list[str]
) -> tuple[list[Segment], list[Symbol]]:
    r = Reader(sections["linking"])
    assert r.unsigned() == 2, "another version of the conventions"
    pieces = [_segment(s) for s in _items(sections, "11")]
    segments, symbols = list[Segment](), list[Symbol]()
    while r.at < len(r.data):
        id, inner = r.byte(), Reader(r.bytes(r.unsigned()))
        if id == 5:
            for piece in pieces[: inner.unsigned()]:
                name, align = inner.name(), 1 << inner.unsigned()
                inner.unsigned()
                segments.append(Segment(name, align, piece))
        elif id == 8:
            symbols = [_symbol(inner, functions, globals) for _ in range(inner.unsigned())]
    return segments, symbols


def _segment(r: Reader) -> Piece:
    assert (r.unsigned(), r.byte()) == (0, 0x41), "not a constant address in memory 0"
    r.signed()
    assert r.byte() == 0x0B
    return _piece(r)


def _symbol(r: Reader, functions: list[str], globals: list[str]) -> Symbol:
    kind, flags = r.byte(), r.unsigned()
    local, defined = bool(flags & _LOCAL), not flags & _UNDEFINED
    if kind == DATA:
        name = r.name()
        segment, offset, _ = (r.unsigned(), r.unsigned(), r.unsigned()) if defined else (None, 0, 0)
        return Symbol(kind, name, local, segment, offset)
    index = r.unsigned()
    if kind == SECTION:
        return Symbol(kind, "", local, index)
    if defined or flags & _EXPLICIT_NAME:
        name = r.name()
    else:
        name = globals[index] if kind == GLOBAL else functions[index] if kind == FUNCTION else ""
    return Symbol(kind, name, local, index if defined else None)


def _holes(sections: dict[str, bytes]) -> list[Hole]:
    r = Reader(sections.get("reloc.CODE", b"\0\0"))
    r.unsigned()  # the section that it relocates
    out: list[Hole] = []
    for _ in range(r.unsigned()):
        type, at, symbol = r.byte(), r.unsigned(), r.unsigned()
        out.append(Hole(at, type, symbol, r.signed() if RELOCATIONS.get(type) in (OFFSET, ADDRESS) else 0))
    return out

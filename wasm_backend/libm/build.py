"""Building `rose/ir/libm/libm.bin`: musl's functions, from the library of Debian's package wasi-libc.

    apt install wasi-libc
    python -m wasm_backend.libm.build

A developer runs it, and a test compares. The objects of that package are musl's own sources, built by clang
with -O2: they import nothing from a host, do not set errno, and use no memory but their tables, a little
scratch memory, and `signgam`. Their imports must be in the archive, and the tests list the allowed ones.
"""

from __future__ import annotations

import hashlib
import struct
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from rose.ir.libm.decode import decode
from rose.ir.libm.library import (
    CALL,
    DOUBLE,
    FILE,
    SINGLE,
    STACK,
    STACK_POINTER,
    Data,
    Function,
    Library,
    Relocation,
    pack,
)

from ..binary.encoder import OPCODES
from .objects import DATA, FUNCTION, HOLE, RELOCATIONS, Archive, Hole, Object

ARCHIVE = Path("/usr/lib/wasm32-wasi/libc.a")  # where Debian's wasi-libc has it

# Of the bits of 2/pi, those that only a `long double` needs are left out, as musl itself leaves them out
# where a `long double` is a double (`#if LDBL_MAX_EXP > 1024` in __rem_pio2_large.c).
_KEPT = {"__rem_pio2_large.ipio2": 66 * 4}  # bytes

# Mends, which leave the length of the code. The tests of `acosh` for "below 2^26" and of `acoshf` for "below 2^12"
# left the sign out, so that some large negative numbers had a value: now `local.tee 1` keeps it, before the mask. For
# `expm1f` the logarithm of the largest number had 13 bits: above it `expm1f` was infinite too early, and `sinhf` nan.
_MENDED = {
    "acosh": (b"\x41\xff\x0f\x71\x22\x01", b"\x22\x01\x41\xff\x0f\x71"),
    "acoshf": (b"\x41\xff\xff\xff\xff\x07\x71\x22\x01", b"\x22\x01\x41\xff\xff\xff\xff\x07\x71"),
    "expm1f": (struct.pack("<f", 88.7216796875), struct.pack("<f", 88.72283172607422)),
}


def build(archive: Archive, made_from: dict[str, str]) -> Library:
    """The library, from a libc.a."""
    collector = Collector(archive)
    for name in (*DOUBLE, *SINGLE):
        assert collector.exported(FUNCTION, name) == name
    library = collector.library(made_from)
    assert max([stack_of(name, library) for name in library.functions]) <= STACK
    return library


class Collector:
    """Collects functions from an archive, with the functions that they call but those known, and their data."""

    def __init__(self, archive: Archive, known: Iterable[str] = (), rename: Callable[[str], str] = str) -> None:
        self.archive, self.known, self.rename = archive, frozenset(known), rename
        self.functions: dict[str, Function] = {}
        self.data: dict[str, Data] = {}

    def library(self, made_from: dict[str, str]) -> Library:
        """What was collected."""
        functions, data = dict(sorted(self.functions.items())), dict(sorted(self.data.items()))
        every = _opcodes()
        used = {i.mnemonic for f in functions.values() for i in decode(f, every)[1]}
        return Library(made_from, {code: row for code, row in every.items() if row[0] in used}, functions, data)

    def exported(self, kind: int, name: str) -> str:
        """Collect an exported function or its data; the result is its name in the library, as it may have several."""
        object = self.archive.defining(name)
        (index,) = [s.target for s in object.symbols if (s.kind, s.name) == (kind, name) and s.target is not None]
        return self._function(object, index) if kind == FUNCTION else self._data(object, index)

    def _function(self, object: Object, index: int) -> str:
        name, piece = self.rename(_name(object, FUNCTION, index)), object.functions[index]
        assert piece is not None, name
        if name not in self.functions:
            params, results = object.types[index]
            self.functions[name] = Function(name, params, results, b"", ())
            code, holes = _cut(piece.content, [h._replace(at=h.at - piece.start) for h in object.holes])
            code = code.replace(*_MENDED[name]) if name in _MENDED else code
            relocations = tuple([self._relocation(object, h) for h in holes])
            self.functions[name] = Function(name, params, results, code, relocations)
        return name

    def _data(self, object: Object, index: int) -> str:
        name, segment = self.rename(_name(object, DATA, index)), object.segments[index]
        self.data[name] = Data(name, segment.align, segment.piece.content[: _KEPT.get(name)])
        return name

    def _relocation(self, object: Object, h: Hole) -> Relocation:
        kind, symbol = RELOCATIONS[h.type], object.symbols[h.symbol]
        if kind == STACK_POINTER:
            assert symbol.name == "__stack_pointer", symbol
            return Relocation(h.at, kind, "", 0)
        if symbol.kind == FUNCTION and symbol.name in self.known:
            target = symbol.name
        elif symbol.target is None:
            target = self.exported(symbol.kind, symbol.name)
        else:
            target = (self._function if kind == CALL else self._data)(object, symbol.target)
        return Relocation(h.at, kind, target, symbol.offset + h.addend)


def _name(object: Object, kind: int, index: int) -> str:
    """The first exported name of a symbol; a local symbol is named after the first export of its object."""
    named = [s for s in object.symbols if s.kind == kind and s.target == index]
    exported = [s.name for s in named if not s.local]
    if exported:
        return exported[0]
    owner = next(s.name for s in object.symbols if s.kind in (FUNCTION, DATA) and s.target is not None and not s.local)
    return f"{owner}.{named[0].name}"


def _cut(code: bytes, holes: list[Hole]) -> tuple[bytes, list[Hole]]:
    """The code without its holes, and the offsets of the holes in what is left."""
    parts, cut, start = list[bytes](), list[Hole](), 0
    for h in sorted([h for h in holes if 0 <= h.at < len(code)]):
        parts.append(code[start : h.at])
        cut.append(h._replace(at=h.at - HOLE * len(cut)))
        start = h.at + HOLE
    return b"".join([*parts, code[start:]]), cut


def _opcodes() -> dict[int, tuple[str, int]]:
    """Opcodes of one byte: the mnemonic, and the number of its integer immediates, alignments included."""
    rows = {fixed[0]: (mnemonic, encode) for mnemonic, (fixed, encode) in OPCODES.items() if fixed[0] != 0xFC}
    return {
        code: (mnemonic, 2 if ".load" in mnemonic or ".store" in mnemonic else int(encode is not None))
        for code, (mnemonic, encode) in rows.items()
    }


def stack_of(name: str, library: Library, known: dict[str, int] | None = None) -> int:
    """The bytes of stack that a function needs, with those that it calls; one that calls itself does so once."""
    known = {} if known is None else known
    if name not in known:
        f = library.functions[name]
        code = decode(f, library.opcodes)[1]
        frame = code[1].immediates[0] if code[0].mnemonic == "global.get" else 0
        assert isinstance(frame, int)
        known[name] = frame  # for a function that it calls, and that calls it
        called = [stack_of(r.target, library, known) for r in f.relocations if r.kind == CALL]
        known[name] += max(called, default=0)
    return known[name]


def made_from(raw: bytes, archive: Archive) -> dict[str, str]:
    """The provenance of the library: package, compiler and hash of the archive."""
    version = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", "wasi-libc"], capture_output=True, text=True, check=True
    )
    return {
        "package": f"Debian's wasi-libc {version.stdout}",
        "compiler": archive.defining("exp").compiler,
        "sha256": hashlib.sha256(raw).hexdigest(),
    }


def main() -> None:
    """Write `libm.bin`."""
    raw = ARCHIVE.read_bytes()
    archive = Archive(raw)
    library = build(archive, made_from(raw, archive))
    made = pack(library)
    Path(FILE).write_bytes(made)
    print(f"{FILE}: {len(made):,} bytes, {len(library.functions)} functions, {library.made_from}")


if __name__ == "__main__":
    main()

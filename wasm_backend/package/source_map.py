"""Source maps: which line of Python each instruction of a module comes from, for debuggers and stack traces.

The format is ECMA-426, in which a module is one line whose columns are its bytes. The module names its map in a custom
section, "sourceMappingURL". The texts of the sources are in the map, so that it needs no file beside it; of their paths
it has as much as tells them apart, and nothing of the machine.
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from urllib.parse import quote

from rose.errors import Loc

from ..abi.signature import Lowered, Origin
from ..binary.encoder import name, section
from ..binary.reader import sections_of

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

Place = tuple[str, int, int]  # a file, and in it a line and a column, counted from 0


def with_map(wasm: bytes, file: str) -> bytes:
    """A module that says where its source map is: in a file beside it."""
    return wasm + section(0, name("sourceMappingURL") + name(f"./{quote(file)}"))


def without_names(made: Lowered) -> Lowered:
    """The same modules, without the names of the functions inside."""
    plain = made.plain and replace(made.plain, wasm=_without_names(made.plain.wasm))
    return replace(made, wasm=_without_names(made.wasm), plain=plain)


def _without_names(wasm: bytes) -> bytes:
    return wasm[:8] + b"".join([section(id, x) for id, x in sections_of(wasm) if isinstance(id, int)])


def source_map(wasm: str, origins: Iterable[Origin]) -> bytes:
    """The source map of the module in the file `wasm`."""
    segments = list(_segments(origins))
    files = list(dict.fromkeys([place[0] for _, place in segments if place is not None]))
    texts = ["".join(linecache.getlines(file)) or None for file in files]
    number = {file: k for k, file in enumerate(files)}
    made, last = list[str](), [0, 0, 0, 0]
    for at, place in segments:
        now = [at] if place is None else [at, number[place[0]], *place[1:]]
        made.append("".join([_digits(x - y) for x, y in zip(now, last, strict=False)]))
        last[: len(now)] = now
    data = {
        "version": 3, "file": wasm, "sources": _short(files), "sourcesContent": texts, "names": [],
        "mappings": ",".join(made),
    }  # fmt: skip
    return (json.dumps(data, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def _segments(origins: Iterable[Origin]) -> Iterator[tuple[int, Place | None]]:
    """Where the place changes that instructions come from, and to which."""
    place_of, found = _Places(), dict[int, Place | None]()  # of what is noted at one offset, the last holds
    for at, loc in origins:
        found[at] = None if loc is None else place_of(loc)
    last = None
    for at, place in found.items():
        if place != last:
            yield at, place
        last = place


class _Places:
    """The places of expressions. Each is looked up once, and so are those that Python knows of a function."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int, int], Place] = {}
        self.positions: dict[int, list[tuple[int | None, int | None, int | None, int | None]]] = {}

    def __call__(self, loc: Loc) -> Place:
        key = id(loc.code), loc.lasti, id(loc.part)
        if key not in self.known:
            self.known[key] = self.find(loc)
        return self.known[key]

    def find(self, loc: Loc) -> Place:
        file, code = loc.code.co_filename, loc.code
        if type(loc) is Loc and loc.lasti >= 0:
            if id(code) not in self.positions:
                self.positions[id(code)] = [*code.co_positions()]
            line, _, column, _ = self.positions[id(code)][loc.lasti // 2]
            if line is not None and column is not None:
                before = loc.text(line).encode()[:column].decode(errors="replace")
                return file, line - 1, _units(before)
        _, line, column, _ = loc.position()
        return file, line - 1, _units(loc.text(line)[:column])


def _units(text: str) -> int:
    """How long JavaScript finds a text."""
    return len(text.encode("utf-16-le")) // 2


def _short(files: Sequence[str]) -> list[str]:
    """The names of files, with as many of their directories as tell them apart."""
    parts = [[p for p in PurePath(file).parts if p != PurePath(file).anchor] for file in files]
    for n in range(1, max(map(len, parts), default=0) + 1):
        names = [quote("/".join(x[-n:])) for x in parts]
        if len({*names}) == len(names):
            return names
    return [quote(file) for file in files]


def _digits(n: int) -> str:
    """A number in base 64, lowest digits first: the top bit of each says that more come, the last is the sign."""
    n, text = -n << 1 | 1 if n < 0 else n << 1, ""
    while n > 31:
        text, n = text + _DIGITS[n & 31 | 32], n >> 5
    return text + _DIGITS[n]

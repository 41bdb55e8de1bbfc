"""Source maps: the line of Python that each instruction of a module comes from, for debuggers and stack traces.

The format is ECMA-426, in which a module is one line whose columns are its bytes. The module names its map in a custom
section, "sourceMappingURL". The map contains the texts of the sources, and of their paths only as many parts as are
needed to tell them apart, so that it does not depend on the machine.
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from urllib.parse import quote

from rose.errors import Loc

from ..abi.signature import Lowered, WrittenAt
from ..binary.encoder import name, section
from ..binary.reader import sections_of

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

Position = tuple[str, int, int]  # a file, and in it a line and a column, counted from 0


def with_map(wasm: bytes, file: str) -> bytes:
    """The module with a link to its source map, a file beside it."""
    return wasm + section(0, name("sourceMappingURL") + name(f"./{quote(file)}"))


def without_names(made: Lowered) -> Lowered:
    """The same modules without their custom sections, such as the names of functions."""
    plain = made.plain and made.plain._replace(wasm=_without_names(made.plain.wasm))
    return made._replace(wasm=_without_names(made.wasm), plain=plain)


def _without_names(wasm: bytes) -> bytes:
    return wasm[:8] + b"".join([section(id, x) for id, x in sections_of(wasm) if isinstance(id, int)])


def source_map(wasm: str, origins: Iterable[WrittenAt]) -> bytes:
    """The source map of the module in the file `wasm`."""
    segments = list(_segments(origins))
    files = list(dict.fromkeys([position[0] for _, position in segments if position is not None]))
    texts = ["".join(linecache.getlines(file)) or None for file in files]
    number = {file: k for k, file in enumerate(files)}
    made, last = list[str](), [0, 0, 0, 0]
    for at, position in segments:
        now = [at] if position is None else [at, number[position[0]], *position[1:]]
        made.append("".join([_digits(x - y) for x, y in zip(now, last, strict=False)]))
        last[: len(now)] = now
    data = {
        "version": 3, "file": wasm, "sources": _short(files), "sourcesContent": texts, "names": [],
        "mappings": ",".join(made),
    }  # fmt: skip
    return (json.dumps(data, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def _segments(origins: Iterable[WrittenAt]) -> Iterator[tuple[int, Position | None]]:
    """The offsets at which the position of the instructions changes, with the new position."""
    position_of, found = _Positions(), dict[int, Position | None]()  # of several at one offset, the last holds
    for at, loc in origins:
        found[at] = None if loc is None else position_of(loc)
    last = None
    for at, position in found.items():
        if position != last:
            yield at, position
        last = position


class _Positions:
    """The positions of expressions, memoised, as are the position tables of Python's code objects."""

    def __init__(self) -> None:
        self.memo: dict[tuple[int, int, int], Position] = {}
        self.tables: dict[int, list[tuple[int | None, int | None, int | None, int | None]]] = {}

    def __call__(self, loc: Loc) -> Position:
        key = id(loc.code), loc.lasti, id(loc.part)
        if key not in self.memo:
            self.memo[key] = self.find(loc)
        return self.memo[key]

    def find(self, loc: Loc) -> Position:
        file, code = loc.code.co_filename, loc.code
        if type(loc) is Loc and loc.lasti >= 0:
            if id(code) not in self.tables:
                self.tables[id(code)] = [*code.co_positions()]
            line, _, column, _ = self.tables[id(code)][loc.lasti // 2]
            if line is not None and column is not None:
                before = loc.text(line).encode()[:column].decode(errors="replace")
                return file, line - 1, _units(before)
        _, line, column, _ = loc.position()
        return file, line - 1, _units(loc.text(line)[:column])


def _units(text: str) -> int:
    """The length of a text in UTF-16 code units, as JavaScript counts it."""
    return len(text.encode("utf-16-le")) // 2


def _short(files: Sequence[str]) -> list[str]:
    """The names of files, with the fewest parent directories that tell them apart."""
    parts = [[p for p in PurePath(file).parts if p != PurePath(file).anchor] for file in files]
    for n in range(1, max(map(len, parts), default=0) + 1):
        names = [quote("/".join(x[-n:])) for x in parts]
        if len({*names}) == len(names):
            return names
    return [quote(file) for file in files]


def _digits(n: int) -> str:
    """A signed number as a base-64 VLQ: lowest digits first, a continuation bit in each, the sign in the last bit."""
    n, text = -n << 1 | 1 if n < 0 else n << 1, ""
    while n > 31:
        text, n = text + _DIGITS[n & 31 | 32], n >> 5
    return text + _DIGITS[n]

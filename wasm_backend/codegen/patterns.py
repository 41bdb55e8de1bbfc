"""Patterns: large literals that a module writes itself when it starts, in the place of data.

Memory begins as zeros. A literal over it is taken apart into pieces: runs of one number whose starts and lengths go on
evenly (`Fill`: a constant, a diagonal, a triangle), numbers that go on evenly themselves, where the sum and product
give their very bits (`Steps`), rows that are the same as one before (`Repeat`), and what is left, which is data
(`Raw`). Everything else, the derivatives and the time of a call, stays as with data.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from math import isfinite
from typing import NamedTuple

from rose.ir.libm.evaluate import nearest
from rose.ir.types import Fin, Real, Single, Type, Vec

from ..abi.layout import align, known_size
from ..binary.encoder import F64, I32, I64, Module
from . import costs
from .assembler import Assembler

HEAD = 8  # bytes of a segment, besides its content
CALL = 28  # bytes of a call that writes a piece


class Raw(NamedTuple):
    """Bytes as they are."""

    at: int
    content: bytes


class Fill(NamedTuple):
    """`runs` runs of one word, each `step` bytes after the last, and `growth` words longer."""

    at: int
    step: int
    runs: int
    length: int
    growth: int
    word: int
    width: int


class Steps(NamedTuple):
    """The numbers, or the indices, `k * by + first`, for `k` from `start` to before `end`; `code` is that of `struct`.

    Those of 32 bits are computed with 64, and rounded.
    """

    at: int
    start: int
    end: int
    by: float
    first: float
    code: str


class Repeat(NamedTuple):
    """Copies of a row, one after the other."""

    at: int
    source: int
    bytes: int
    copies: int


Piece = Raw | Fill | Steps | Repeat


def pieces_of(data: bytes, t: Type) -> list[Piece]:
    """The pieces of a literal of a type; the whole as data, unless they take at most half of its bytes."""
    whole: list[Piece] = [Raw(0, data)]
    if len(data) < costs.PATTERN_BYTES:
        return whole
    rows, elem = list[int](), t
    while isinstance(elem, Vec):
        elem = elem.elem
        rows.append(known_size(elem))
    found = _joined(_taken_apart(data, 0, [n for n in rows if n > align(elem)], align(elem), elem), data)
    small = sum([HEAD + len(x.content) if isinstance(x, Raw) else CALL for x in found]) * 2 <= len(data)
    return found if small and len(found) <= costs.PATTERN_PIECES else whole


def _taken_apart(data: bytes, at: int, rows: Sequence[int], width: int, elem: Type) -> Iterator[Piece]:
    """The pieces of what lies at an address; `rows` has the bytes of its rows, from the longest on."""
    for k, n in enumerate(rows):
        each = [data[i : i + n] for i in range(0, len(data), n)]
        row, count = Counter(each).most_common(1)[0]
        if count > 1 and count * 2 >= len(each) and any(row):
            yield from _repeated(each, row, at, rows[k + 1 :], width, elem)
            return
    code = "d" if elem is Real else "f" if elem is Single else "I" if isinstance(elem, Fin) else ""
    steps = _steps(data, at, code) if code else None
    yield from _runs(data, at, width) if steps is None else steps


def _repeated(
    each: Sequence[bytes], row: bytes, at: int, rows: Sequence[int], width: int, elem: Type
) -> Iterator[Piece]:
    """The pieces of rows of which many are the same `row`."""
    n, source = len(row), at + each.index(row) * len(row)
    yield from _taken_apart(row, source, rows, width, elem)
    for same, group in groupby(range(len(each)), lambda k: each[k] == row):
        ks = [k for k in group if at + k * n != source]
        if not same:
            for k in ks:
                yield from _taken_apart(each[k], at + k * n, rows, width, elem)
        elif ks:
            yield Repeat(at + ks[0] * n, source, n, len(ks))


def _steps(data: bytes, at: int, code: str) -> list[Piece] | None:
    """The pieces of numbers that go on evenly, as those of `np.arange` and `np.linspace` do; None if they do not."""
    width = struct.calcsize(code)
    xs: Sequence[float] = struct.unpack(f"<{len(data) // width}{code}", data)
    n, first = len(xs), xs[0]
    if n < costs.PATTERN_BYTES // 8 or data[:width] == data[width : 2 * width]:
        return None
    for by in (xs[1] - first, 0 if code == "I" else (xs[n - 1] - first) / (n - 1)):
        if by and isfinite(first) and isfinite(by):
            some = struct.unpack(f"<2{code}", _as_bytes([k * by + first for k in (n // 2, n // 3)], code))
            if not {*some} & {xs[n // 2], xs[n // 3]}:
                continue
            found = [*_stretches(data, at, _as_bytes([k * by + first for k in range(n)], code), by, first, code)]
            if len(found) * 8 < n:
                return found
    return None


def _words(data: bytes, width: int) -> Sequence[int]:
    return struct.unpack(f"<{len(data) // width}{ {8: 'Q', 4: 'I', 1: 'B'}[width] }", data)


def _as_bytes(xs: Sequence[float], code: str) -> bytes:
    """Numbers as they lie in memory; of indices, none below zero is any that there is."""
    if code != "d":
        xs = [nearest(x) if code == "f" else int(x) % 2**32 for x in xs]
    return struct.pack(f"<{len(xs)}{code}", *xs)


def _stretches(data: bytes, at: int, made: bytes, by: float, first: float, code: str) -> Iterator[Piece]:
    """The pieces of words: those as in `made`, which go on evenly, and the others."""
    width = struct.calcsize(code)
    xs, ys = _words(data, width), _words(made, width)
    for same, group in groupby(range(len(xs)), lambda k: xs[k] == ys[k]):
        ks = [*group]
        start, end = ks[0], ks[-1] + 1
        where = at + start * width
        yield Steps(where, start, end, by, first, code) if same else Raw(where, data[start * width : end * width])


def _runs(data: bytes, at: int, width: int) -> Iterator[Piece]:
    """The pieces of runs of equal words: those that go on evenly together, and the others as they are."""
    runs = list[tuple[int, int, int]]()  # where it starts, its length, the word
    start = 0
    words = _words(data, width)
    if len({*words}) * 4 > len(words):
        yield Raw(at, data)
        return
    for word, group in groupby(words):
        end = start + len([*group])
        if word:
            runs.append((start, end - start, word))
        start = end
    k = 0
    while k < len(runs):
        count, step, growth = _even(runs, k)
        start, length, word = runs[k]
        if (count * length + growth * count * (count - 1) // 2) * width + count * HEAD > 2 * CALL:
            yield Fill(at + start * width, step * width, count, length, growth, word, width)
            k += count
        else:
            yield Raw(at + start * width, data[start * width : (start + length) * width])
            k += 1


def _even(runs: Sequence[tuple[int, int, int]], k: int) -> tuple[int, int, int]:
    """How many runs from the `k`-th on go on evenly, and by how much they start later, and are longer."""
    start, length, word = runs[k]
    if k + 1 == len(runs):
        return 1, 0, 0
    step, growth, count = runs[k + 1][0] - start, runs[k + 1][1] - length, 1
    while k + count < len(runs) and runs[k + count] == (start + count * step, length + count * growth, word):
        count += 1
    return (count, step, growth) if count > 1 else (1, 0, 0)


def _joined(found: Iterable[Piece], data: bytes) -> list[Piece]:
    """The pieces, in which data that lies close together is one; a row is copied when it is there."""
    raws, others = list[Raw](), list[Piece]()
    for x in sorted(found, key=lambda x: x.at):
        if not isinstance(x, Raw):
            others.append(x)
        elif raws and x.at - raws[-1].at - len(raws[-1].content) <= HEAD:
            raws[-1] = Raw(raws[-1].at, data[raws[-1].at : x.at + len(x.content)])
        else:
            raws.append(x)
    return [*raws, *sorted(others, key=lambda x: isinstance(x, Repeat))]


class Patterns:
    """The data of a module, and the function with which it begins, which writes what follows a pattern."""

    def __init__(self, module: Module) -> None:
        self.module, self.count = module, 0
        self.start: Assembler | None = None
        self._made: dict[str, int] = {}

    def place(self, at: int, data: bytes, t: Type) -> None:
        """Place a literal at an address."""
        pieces = pieces_of(data, t)
        if self.count + len(pieces) > costs.PATTERN_PIECES:
            pieces = [Raw(0, data)]
        self.count += len(pieces)
        for x in pieces:
            if isinstance(x, Raw):
                self.module.data(at + x.at, x.content)
            else:
                self._write(at, x)

    def finish(self) -> None:
        """Let the module begin with the function, if there is anything to write."""
        if self.start is not None:
            index = self.module.reserve(self.module.type([], []), "start")
            self.module.define(index, self.start)
            self.module.start(index)

    def _write(self, at: int, x: Fill | Steps | Repeat) -> None:
        """Write a piece: a call of the function of its kind."""
        c = self.start = self.start or Assembler(0, False)
        c.i32_const(at + x.at)
        if isinstance(x, Fill):
            for k in (x.step, x.runs, x.length, x.growth):
                c.i32_const(k)
            c("i64.const", x.word - 2**64 if x.word >= 2**63 else x.word)
            c("call", self._function(f"fill_{8 * x.width}", [I32] * 5 + [I64], lambda: _fill(x.width)))
        elif isinstance(x, Steps):
            c.i32_const(x.start)
            c.i32_const(x.end)
            for k in (x.by, x.first):
                c.i32_const(int(k)) if x.code == "I" else c.f64_const(k)
            name, kind = {"d": "steps_64", "f": "steps_single", "I": "steps_32"}[x.code], I32 if x.code == "I" else F64
            c("call", self._function(name, [I32] * 3 + [kind] * 2, lambda: _steps_from(x.code)))
        else:
            for k in (at + x.source, x.bytes, x.copies):
                c.i32_const(k)
            c("call", self._function("repeat", [I32] * 4, _repeat))

    def _function(self, name: str, params: Sequence[int], write: Callable[[], Assembler]) -> int:
        if name not in self._made:
            self._made[name] = self.module.reserve(self.module.type(params, []), name)
            self.module.define(self._made[name], write())
        return self._made[name]


def _fill(width: int) -> Assembler:
    at, step, count, length, growth, word = range(6)
    c = Assembler(6, False)
    to, left = c.local(I32), c.local(I32)
    c("loop")
    c.get(at)
    c.set(to)
    c.get(length)
    c.set(left)
    c("loop")
    c.get(to)
    c.get(word)
    c({8: "i64.store", 4: "i64.store32", 1: "i64.store8"}[width], 0)
    _add(c, to, width)
    _add(c, left, -1)
    c.get(left)
    c("br_if", 0)
    c("end")
    _grow(c, at, step)
    _grow(c, length, growth)
    _again(c, count)
    return c


def _steps_from(code: str) -> Assembler:
    at, k, end, by, first = range(5)
    kind = "i32" if code == "I" else "f64"
    c = Assembler(5, False)
    c("loop")
    c.get(at)
    c.get(k)
    if kind == "f64":
        c("f64.convert_i32_u")
    c.get(by)
    c(f"{kind}.mul")
    c.get(first)
    c(f"{kind}.add")
    if code == "f":
        c("f32.demote_f64")
    c(f"{'f32' if code == 'f' else kind}.store", 0)
    _add(c, at, struct.calcsize(code))
    _add(c, k, 1)
    c.get(k)
    c.get(end)
    c("i32.lt_u")
    c("br_if", 0)
    c("end")
    return c


def _repeat() -> Assembler:
    at, source, bytes, count = range(4)
    c = Assembler(4, False)
    c("loop")
    c.get(at)
    c.get(source)
    c.get(bytes)
    c("memory.copy")
    _grow(c, at, bytes)
    _again(c, count)
    return c


def _add(c: Assembler, local: int, k: int) -> None:
    c.get(local)
    c.i32_const(k)
    c("i32.add")
    c.set(local)


def _grow(c: Assembler, local: int, by: int) -> None:
    c.get(local)
    c.get(by)
    c("i32.add")
    c.set(local)


def _again(c: Assembler, count: int) -> None:
    """End a loop that is done `count` times."""
    _add(c, count, -1)
    c.get(count)
    c("br_if", 0)
    c("end")

"""Weaving: the rows of several elements, one after another in a column, with their numbers side by side.

Where a function computes several elements at once, a number of its arguments or of its result is that number of each of
them, in one vector; a truth value is a mask. What is written here is the text of WebAssembly that puts the rows of a
column, in the memory `$batch`, into that form, in the memory `$own`, and back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from rose.ir.sizes import number as number_of
from rose.ir.types import Bool, Fin, Four, Real, Single, Tuple, Type, Vec, count_leaves, lanes

from ..abi.layout import offsets, size
from ..abi.signature import Signature

WRITTEN_OUT = 16  # numbers of a row that are copied without a loop
MOST_RUNS = 64  # of numbers that lie together, in a row


def has_singles(s: Signature) -> bool:
    """True for a function over several elements in single precision."""
    return any([count_leaves(x.type, lambda leaf: leaf is Four) for x in (*s.params, s.result)])


def _kinds(t: Type) -> set[Type]:
    """The types of the leaves of a value."""
    if isinstance(t, Vec):
        return set() if t.empty else _kinds(t.elem)
    if isinstance(t, Tuple):
        return {s for x in t.items for s in _kinds(x)}
    return set() if t.empty else {t}


class Run(NamedTuple):
    """Numbers of one type that lie one after another: how many, where in a row, and where in the woven form."""

    type: Type
    many: int
    at: int
    to: int


def runs(t: Type, at: int = 0, to: int = 0) -> Iterator[Run]:
    """Yield the runs of a row."""
    kinds = _kinds(t)
    if len(kinds) == 1:
        yield Run(next(iter(kinds)), count_leaves(t, lambda x: not x.empty), at, to)
    elif isinstance(t, Tuple):
        for x, k, j in zip(t.items, offsets(t), offsets(_woven(t)), strict=True):
            yield from runs(x, at + number_of(k), to + number_of(j))
    elif isinstance(t, Vec) and kinds:
        near, far = number_of(size(t.elem)), number_of(size(lanes(t.elem)))
        for k in range(number_of(t.size)):
            yield from runs(t.elem, at + k * near, to + k * far)


def too_many_runs(types: Iterable[Type]) -> bool:
    """True for rows whose numbers lie in too many places to be copied without a loop."""
    return any([len([*islice(runs(t), MOST_RUNS + 1)]) > MOST_RUNS for t in types])


def _woven(t: Tuple) -> Tuple:
    made = lanes(t)
    assert isinstance(made, Tuple)
    return made


class Weaving:
    """The text for so many elements at once."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.ints = "i64x2" if count == 2 else "i32x4"

    def woven(self, t: Type, row: str, stride: int, to: int) -> Iterator[str]:
        """Yield what puts the rows from an address in a local on, which are `stride` apart, into the woven form."""
        for run in runs(t, to=to):
            yield from self._each(run, row, lambda t, at, to: self._put(t, at, stride, to))

    def parted(self, t: Type, row: str, stride: int, to: int) -> Iterator[str]:
        """Yield what puts the woven form into rows."""
        for run in runs(t, to=to):
            yield from self._each(run, row, lambda t, at, to: self._take(t, at, stride, to))

    def _each(self, run: Run, row: str, one: Callable[[Type, Place, Place], str]) -> Iterator[str]:
        """Yield what does one thing for each number of a run."""
        near = number_of(size(run.type))
        far = number_of(size(lanes(run.type)))
        if run.many <= WRITTEN_OUT:
            for k in range(run.many):
                at, to = Place(f"(local.get {row})", run.at + k * near), Place("(i32.const 0)", run.to + k * far)
                yield one(run.type, at, to)
            return
        yield f"(local.set $at (local.get {row})) (local.set $to (i32.const 0)) (loop $each"
        yield one(run.type, Place("(local.get $at)", run.at), Place("(local.get $to)", run.to))
        yield f"(local.set $at (i32.add (local.get $at) (i32.const {near})))"
        yield f"(local.tee $to (i32.add (local.get $to) (i32.const {far})))"
        yield f"(br_if $each (i32.lt_u (i32.const {run.many * far}))))"

    def _put(self, t: Type, at: Place, stride: int, to: Place) -> str:
        """The instructions that weave one number."""
        assert not isinstance(t, Fin), "an index is the same for all elements"
        if t is Bool:
            one = self.ints[:3]
            x = f"({self.ints}.splat ({one}.load8_u $batch {at}))"
            for k in range(1, self.count):
                x = f"({self.ints}.replace_lane {k} {x} ({one}.load8_u $batch {at.on(k * stride)}))"
            return f"(v128.store $own {to} ({self.ints}.neg {x}))"
        bits = 64 if t is Real else 32
        x = f"(v128.load{bits}_zero $batch {at})"
        for k in range(1, self.count):
            far = at.on(k * stride)
            x = f"(v128.load{bits}_lane $batch offset={far.offset} {k} {far.base} {x})"
        return f"(v128.store $own {to} {x})"

    def _take(self, t: Type, at: Place, stride: int, to: Place) -> str:
        """The instructions that take one number apart."""
        parts = list[str]()
        for k in range(self.count):
            far = at.on(k * stride)
            if t is Real or t is Single:
                bits = 64 if t is Real else 32
                parts.append(f"(v128.store{bits}_lane $batch offset={far.offset} {k} {far.base} (v128.load $own {to}))")
            elif t is Bool:  # the lowest byte of a lane tells
                byte = k * 16 // self.count
                parts.append(f"(i32.store8 $batch {far} (i32.and (i32.const 1) (i32.load8_u $own {to.on(byte)})))")
            else:
                parts.append(f"(i32.store $batch {far} (i32.load $own {to}))")
        return " ".join(parts)


class Place(NamedTuple):
    """An address in WebAssembly's text: a base, and an offset."""

    base: str
    offset: int

    def on(self, bytes: int) -> Place:
        """The address so many bytes on."""
        return self._replace(offset=self.offset + bytes)

    def __str__(self) -> str:
        return f"offset={self.offset} {self.base}"

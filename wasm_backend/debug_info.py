"""Debug information: which expression of the user's each instruction of a function comes from.

A value's own code comes from where the value was written. Around it is the code of what reads it, or of its loop, and
around all is that of the function's result. A value that nobody wrote has no place of its own: the place of a number on
a tape, say, is where the derivative was asked for.

The notes are made while a module is written, which takes a few percent of that time; they are made sense of when
somebody asks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import CodeType
from typing import cast

from rose.errors import Loc, is_ours

from .abi.signature import Lowered, WrittenAt
from .binary.encoder import Module, Notes


class Origins:
    """The `Loc` of each value, as the writers of modules noted it on the value's code: see `assembler.noted`."""

    def __init__(self) -> None:
        self.notes: dict[bytes, list[tuple[int, Notes]]] = {}  # by the bytes of the module

    def take(self, module: Module, wasm: bytes) -> None:
        """Keep the notes on a module."""
        self.notes[wasm] = module.notes()

    def of(self, made: Lowered, asking: Collection[CodeType]) -> Lowered:
        """The module with the origins of its instructions: none are in `asking`, the code that asks for it."""
        plain = made.plain and made.plain._replace(origins=self._origins(made.plain.wasm, asking))
        return made._replace(origins=self._origins(made.wasm, asking), plain=plain)

    def _origins(self, wasm: bytes, asking: Collection[CodeType]) -> tuple[WrittenAt, ...]:
        return tuple([x for at, notes in self.notes[wasm] for x in _flat(notes, at, asking)])


def _flat(notes: Notes, at: int, asking: Collection[CodeType]) -> Iterator[WrittenAt]:
    """The offsets in a module at which the origin may change, with the new one: of several at one offset, the last."""
    starts, ends, around = notes.starts, notes.ends, list[tuple[int, Loc | None]]()  # the ends of the open spans
    yield at, None
    for k in sorted(range(len(starts)), key=lambda k: (starts[k], -ends[k], -k)):
        yield from _left(around, starts[k], at)
        loc = cast("Loc | None", notes.texts[k])
        if loc is None or loc.code in asking or is_ours(loc.code.co_filename):
            loc = around[-1][1] if around else None
        around.append((ends[k], loc))
        yield at + starts[k], loc
    yield from _left(around, max(ends, default=0), at)


def _left(around: list[tuple[int, Loc | None]], start: int, at: int) -> Iterator[WrittenAt]:
    """Close the spans that end before a place, or there."""
    while around and around[-1][0] <= start:
        end, _ = around.pop()
        yield at + end, around[-1][1] if around else None

"""What a compiled module looks like from outside: the contract between `lower`, the runtimes and the packages.

A module exports its memory as "memory", and each function by its name. A Real is an f64 parameter or
result, a Single an f32, a Bool or an index an i32, and what is empty is left out. An aggregate (a vector,
tuple or struct) lies in memory at an address that the signature says: the caller writes arguments there
before the call, and reads the result after it. An opaque function is an import `"opaque" name`: its aggregates come as
i32 pointers, and where its result is one, the address to write it to is the last parameter.
What prints is an import `"print" k`, by its place among those that print: the runtime has the printer, and the text
as data.

A function that cannot go on, since an assertion does not hold, say, writes the number of the reason at the address
FAILED, counted from 1, and stops the module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rose.effects import Failure, Printer
from rose.ir import Func
from rose.types import Type

from .layout import describe

FAILED = 8  # the address of a word: which of the failures stopped the module; 0 if none


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter or result: its type, and its address if it lies in memory."""

    name: str
    type: Type
    at: int | None


@dataclass(frozen=True, slots=True)
class Signature:
    """One exported function."""

    name: str
    params: tuple[Slot, ...]
    result: Slot

    def describe(self) -> dict[str, Any]:
        """As plain data, for JavaScript."""
        return {
            "name": self.name,
            "params": [{"name": p.name, "type": describe(p.type), "at": p.at} for p in self.params],
            "result": {"type": describe(self.result.type), "at": self.result.at},
        }


@dataclass(frozen=True, slots=True)
class Lowered:
    """A module: its bytes, its exports, and in order the opaque functions that it imports.

    `mathematics` names the functions of the library that it contains, whose notices go where it goes. Of the
    functions that it imports, those that print are not for the page to supply.
    """

    wasm: bytes
    signatures: dict[str, Signature]
    imports: tuple[Func, ...]
    mathematics: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()

    def opaque(self) -> list[Func]:
        """The functions that the page supplies."""
        return [f for f in self.imports if not isinstance(f.impl, Printer)]

    def prints(self) -> list[Printer]:
        """Those that print, in order."""
        return [f.impl for f in self.imports if isinstance(f.impl, Printer)]

"""The calling convention of a compiled module: the contract between `lower`, the runtimes and the packages.

A module exports its memory as "memory", and each function by its name. A Real is an f64 parameter or
result, a Single an f32, a Bool or an index an i32, and what is empty is left out. An aggregate (a vector,
tuple or struct) lies in memory at an address that the signature says: the caller writes arguments there
before the call, and reads the result after it. An opaque function is an import `"opaque" name`: its aggregates come as
i32 pointers, and where its result is one, the address to write it to is the last parameter.
A printer is import `"print" k`, the `k`-th of those that print: the runtime has the printer, and the text
as data.

A function that cannot go on, since an assertion does not hold, say, writes the number of the reason at the address
FAILED, counted from 1, and stops the module.

Beside a function `f` whose types have sizes that only a call tells, there is an export `#f`, which takes them, in the
order of `Signature.sizes`: it is called first, and again when one has changed. See `dynamic_sizes.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from rose.errors import Loc
from rose.host.effects import Failure, Printer, place
from rose.ir import Func
from rose.ir.sizes import Dim, Size, Sizes, number, sized
from rose.ir.types import Type

from ..binary.encoder import I32
from .layout import describe, dynamic_sizes, is_aggregate, kind, plan, told

WrittenAt = tuple[int, Loc | None]  # an offset in a module, and where the instructions from there on were written

FAILED = 8  # the address of a word: which of the failures stopped the module; 0 if none
ASKED = 12  # the address of a byte: 1 if the next stop is to call the runtime


class Slot(NamedTuple):
    """One parameter or result: its type, and its address if it lies in memory."""

    name: str
    type: Type
    at: int | Size | None

    @property
    def placed(self) -> bool:
        """True for a slot in memory, and for an aggregate without bytes."""
        return self.at is not None or is_aggregate(self.type)

    @property
    def address(self) -> int:
        """The address in memory, where all sizes are known."""
        return number(self.at or 0)


class Signature(NamedTuple):
    """One exported function."""

    name: str
    params: tuple[Slot, ...]
    result: Slot
    sizes: tuple[Dim, ...] = ()  # those that a call tells, by its vectors
    calls: bool = False  # it may call a function of the page, or print
    fails: bool = False  # it may stop the module for a reason
    defaults: tuple[tuple[str, Any], ...] = ()  # what parameters are in Python where a call leaves them out
    labels: tuple[Any, ...] = ()  # what the items of its result are called: pairs of a name, and of labels in the item

    def sized(self, sizes: Sizes) -> Signature:
        """The signature for these sizes."""

        def slot(s: Slot) -> Slot:
            return Slot(s.name, sized(s.type, sizes), s.at.at(sizes) if isinstance(s.at, Size) else s.at)

        return self._replace(params=tuple([slot(p) for p in self.params]), result=slot(self.result))

    def dynamic_sizes(self) -> Iterator[Size]:
        """The dynamic sizes and addresses in it."""
        for slot in (*self.params, self.result):
            yield from dynamic_sizes(slot.type)
            if isinstance(slot.at, Size):
                yield slot.at

    def told_by(self, d: Dim) -> list[str | int]:
        """The vector of so many elements in the arguments of a call, as the path to it."""
        return min([path for k, p in enumerate(self.params) for path in plan(p.type).paths(d, (k,))], key=len)

    def describe(self) -> dict[str, Any]:
        """As plain data, for JavaScript."""
        sizes = {"sizes": [[d.text, *self.told_by(d)] for d in self.sizes]} if self.sizes else {}
        return {
            "name": self.name,
            "params": [{"name": p.name, "type": describe(p.type), "at": told(p.at)} for p in self.params],
            "result": {"type": describe(self.result.type), "at": told(self.result.at)},
            **sizes,
            **({"calls": True} if self.calls else {}),
            **({"fails": True} if self.fails else {}),
        }


def import_types(f: Func) -> tuple[list[int], list[int]]:
    """The parameters and results of an import: aggregates as pointers, also the place for one that is a result."""
    params = [kind(p.type).wasm for p in f.params if not p.type.empty]
    if f.result.empty:
        return params, []
    return ([*params, I32], []) if is_aggregate(f.result) else (params, [kind(f.result).wasm])


class Stop(NamedTuple):
    """A place in a loop where a runtime may put in a test whether to go on.

    What is called there is to be handed the numbers of these `locals`, each an index and a type, and to hand them back:
    a number that lives on in a call is in memory for as long as it lives, in each iteration of the loops around.
    """

    loc: Loc | str | None  # of the loop: once pickled, the file and the line
    locals: tuple[tuple[int, int], ...] = ()

    @property
    def where(self) -> str:
        """The file and the line of the loop."""
        return self.loc if isinstance(self.loc, str) else place(self.loc)

    def __reduce__(self) -> tuple[Any, ...]:
        return Stop, (self.where, self.locals)


class Plain(NamedTuple):
    """The same module for engines that do not have all of WebAssembly, and a small one, which tells such engines."""

    wasm: bytes
    probe: bytes
    origins: tuple[WrittenAt, ...] = ()


class Lowered(NamedTuple):
    """A module: its bytes, its exports, and in order the opaque functions that it imports.

    `mathematics` names the functions of the library that it contains, whose notices go where it goes. Of the
    functions that it imports, those that print are not for the page to supply. At `base` the memory begins whose layout
    depends on sizes that a call tells. A module that needs more than every engine has, has a `plain` one beside it.
    Of a module that was made to be looked into, `origins` tells where its instructions come from. `stops` are where a
    runtime may put tests in (see `codegen/stops.py`), each with its offset. In a
    package, functions have forms `at_once`.
    """

    wasm: bytes
    signatures: dict[str, Signature]
    imports: tuple[Func, ...]
    mathematics: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()
    base: int = 0
    plain: Plain | None = None
    origins: tuple[WrittenAt, ...] = ()
    stops: tuple[tuple[int, Stop], ...] = ()
    at_once: tuple[Signature, ...] = ()  # of the forms of functions for several elements

    def opaque(self) -> list[Func]:
        """The functions that the page supplies."""
        return [f for f in self.imports if not isinstance(f.impl, Printer)]

    def has_dynamic_sizes(self) -> bool:
        """True if a call tells sizes."""
        return any([s.sizes for s in self.signatures.values()])

    def prints(self) -> list[Printer]:
        """Those that print, in order."""
        return [f.impl for f in self.imports if isinstance(f.impl, Printer)]


BASE = Dim("@")  # where the memory ends whose layout is known; above is what depends on sizes


AT_ONCE = "##"  # before the name of an export: its form for several elements of a batch, which takes and gives tuples
MARK = "#"  # before the name of an export that gives sizes, or has one
LARGEST = 2**32  # bytes that a memory can have

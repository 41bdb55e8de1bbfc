"""Effects of a compiled function: it prints, it asserts, and it fails.

What prints and what asserts are opaque functions that are not pure, so every pass keeps each call, once and in
order, in the forward half of a derivative. What they do is data, which the back end sends to the runtimes: a page
supplies nothing. The other reasons to stop go the same way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import AssertionFailed, Loc, OutOfRange, RoseError, TooLarge, here, unpickled
from ..ir import types
from ..ir.func import AsData
from ..ir.sizes import Sizes, sized
from ..ir.types import Real, Single, Tuple, Type, is_complex
from .marshal import plain


class Printer(AsData):
    """Prints values of some types between pieces of text. A spec, such as ".3f", says how a Real is written."""

    def __init__(self, pieces: Sequence[str], types: Sequence[Type], specs: Sequence[str]) -> None:
        self.pieces, self.types, self.specs = tuple(pieces), tuple(types), tuple(specs)

    def sized(self, sizes: Sizes) -> Printer:
        """The printer of values of these sizes."""
        return Printer(self.pieces, [sized(t, sizes) for t in self.types], self.specs)

    def data(self, number: Callable[[Type], int]) -> Any:
        return "print", self.pieces, [number(t) for t in self.types], self.specs

    def __call__(self, *xs: Any) -> None:
        first, *rest = self.pieces
        given = zip(xs, self.types, self.specs, rest, strict=True)
        print(first + "".join([spelled(plain(x, t), t, spec) + piece for x, t, spec, piece in given]))


def spelled(x: Any, t: Type, spec: str = "") -> str:
    """A plain value as Python writes it: a vector as a list, a struct as a dataclass."""
    if isinstance(t, types.Vec):
        return f"[{', '.join([spelled(y, t.elem) for y in x])}]"
    if is_complex(t):
        return repr(complex(*x))
    if isinstance(t, Tuple):
        items = [spelled(y, s) for y, s in zip(x, t.items, strict=True)]
        if t.form is None:
            return f"({', '.join(items)}{',' * (len(items) == 1)})"
        if t.form.is_dict:
            return f"{{{', '.join([f'{k!r}: {y}' for k, y in zip(t.form.fields, items, strict=True)])}}}"
        return f"{t.form.name}({', '.join([f'{k}={y}' for k, y in zip(t.form.fields, items, strict=True)])})"
    return format(x, spec) if t is Real or t is Single else repr(x)


def place(loc: Loc | None) -> str:
    """The file, without its directory, and the line: the same on every machine. Nothing, if there is no place."""
    if loc is None:
        return ""
    file, line, *_ = loc.position()
    return f"{os.path.basename(file)}:{line}"


class Failure:
    """Why a compiled function stops, and the error to raise. Once pickled it knows only the text of its error."""

    def __init__(self, kind: type[RoseError], message: str, loc: Loc | None, hint: str) -> None:
        self.kind, self.message, self.loc, self.hint, self.text = kind, message, loc, hint, ""

    def error(self) -> RoseError:
        """The error that is raised. A reason that has no place of its own is found where the function is called."""
        if self.text:
            return unpickled(self.kind, self.text, self.message, self.hint)
        return self.kind(self.message, self.loc or here(), self.hint)

    def where(self) -> str:
        """Its place."""
        return place(self.loc)

    def told(self) -> str:
        """The reason in a line, and where it is."""
        return f"{self.message} ({self.where()})" if self.loc is not None else self.message

    def __getstate__(self) -> dict[str, Any]:
        text = self.text or (str(self.error()) if self.loc is not None else "")
        return self.__dict__ | {"loc": None, "text": text}


class Assertion(Failure, AsData):
    """Stops the function where its argument is False."""

    def __init__(self, message: str, loc: Loc) -> None:
        hint = "rose.print above it shows the values; with rose.eager(): it stops where a debugger sees them"
        super().__init__(AssertionFailed, message, loc, hint)

    def data(self, number: Callable[[Type], int]) -> Any:
        return "assert", self.message

    def __call__(self, holds: bool) -> None:
        if not holds:
            raise self.error()


def endless(most: int, loc: Loc | None) -> Failure:
    """The failure of a while loop that has had as many iterations as it may have, and wants another."""
    return Failure(TooLarge, f"a loop was to end within {most:,} turns, and did not", loc, "give it a larger max_iter")


TOO_LARGE = Failure(
    TooLarge, "vectors of these sizes need more memory than WebAssembly has, which is 4 GiB", None, "give smaller ones"
)
BELOW_ZERO = Failure(
    OutOfRange, "a vector or a loop of the function has a size below zero, for these sizes", None, "give larger ones"
)
TAPE_LIMIT = 2**30  # bytes of a tape, unless a user allows more or less


def exhausted(most: int, loc: Loc | None = None) -> Failure:
    """The failure of a call whose loops keep more for their derivatives than they may: in this loop, if it is known."""
    what = f"the memory that reverse mode keeps for a loop is exhausted: its tape_limit is {most:,} bytes"
    return Failure(TooLarge, what, loc, "end it sooner, by max_iter=; or keep less, by a rose.scan with checkpoint=")

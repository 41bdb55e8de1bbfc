"""What a compiled function does besides making its result: it prints, and it asserts.

Both are opaque functions that are not pure, so every pass keeps each call, once and in order, in the forward half
of a derivative. What they do is data, which the back end sends to the runtimes: a page supplies nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import types
from .errors import AssertionFailed, Loc, RoseError, unpickled
from .structs import plain
from .types import Real, Tuple, Type


class Printer:
    """Prints values of some types between pieces of text. A spec, such as ".3f", says how a Real is written."""

    def __init__(self, pieces: Sequence[str], types: Sequence[Type], specs: Sequence[str]) -> None:
        self.pieces, self.types, self.specs = tuple(pieces), tuple(types), tuple(specs)

    def __call__(self, *xs: Any) -> None:
        first, *rest = self.pieces
        given = zip(xs, self.types, self.specs, rest, strict=True)
        print(first + "".join([spelled(plain(x, t), t, spec) + piece for x, t, spec, piece in given]))


def spelled(x: Any, t: Type, spec: str = "") -> str:
    """A plain value as Python writes it: a vector as a list, a struct as a dataclass."""
    if isinstance(t, types.Vec):
        return f"[{', '.join([spelled(y, t.elem) for y in x])}]"
    if isinstance(t, Tuple):
        items = [spelled(y, s) for y, s in zip(x, t.items, strict=True)]
        if t.form is None:
            return f"({', '.join(items)}{',' * (len(items) == 1)})"
        if t.form.is_dict:
            return f"{{{', '.join([f'{k!r}: {y}' for k, y in zip(t.form.fields, items, strict=True)])}}}"
        return f"{t.form.name}({', '.join([f'{k}={y}' for k, y in zip(t.form.fields, items, strict=True)])})"
    return format(x, spec) if t is Real else repr(x)


class Assertion:
    """Stops the function where its argument is False. Once pickled it knows only the text of its error."""

    hint = "rose.print above it shows the values; with rose.eager(): it stops where a debugger sees them"

    def __init__(self, message: str, loc: Loc) -> None:
        self.message, self.loc, self.text = message, loc, ""

    def __call__(self, holds: bool) -> None:
        if not holds:
            raise self.error()

    def error(self) -> RoseError:
        """What is raised where it does not hold."""
        if self.text:
            return unpickled(AssertionFailed, self.text, self.message, self.hint)
        return AssertionFailed(self.message, self.loc, self.hint)

    def where(self) -> str:
        """The file, without its directory, and the line: the same on every machine."""
        file, line, *_ = self.loc.position()
        return f"{os.path.basename(file)}:{line}"

    def __getstate__(self) -> dict[str, Any]:
        return {"message": self.message, "loc": None, "text": str(self.error())}

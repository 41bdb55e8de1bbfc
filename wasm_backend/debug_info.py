"""Debug information: which expression of the user's each instruction of a function comes from.

A value's own code comes from where the value was written. Around it is the code of what reads it, or of its loop, and
around all is that of the function's result. A value that nobody wrote has no place of its own: the place of a number on
a tape, say, is where the derivative was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import CodeType
from typing import Concatenate, ParamSpec

from rose.errors import Loc, is_ours
from rose.ir import Value

from .codegen.assembler import Assembler

P = ParamSpec("P")


class Origins:
    """Listens to the writers of a module, and marks the code of each value with the `Loc` of the value."""

    def __init__(self, asking: Collection[CodeType]) -> None:
        """`asking` is the code that asks for the module, where nothing is written."""
        self.asking = asking

    def __call__(
        self, c: Assembler, write: Callable[Concatenate[Value, P], None], /
    ) -> Callable[Concatenate[Value, P], None]:
        def marked(v: Value, /, *args: P.args, **options: P.kwargs) -> None:
            outer = c.origin
            c.note(v.loc if self._is_written(v.loc) else outer)
            write(v, *args, **options)
            c.note(outer)

        return marked

    def _is_written(self, loc: Loc | None) -> bool:
        """False for a place where a module is only asked for, and for our own functions."""
        return loc is not None and loc.code not in self.asking and not is_ours(loc.code.co_filename)

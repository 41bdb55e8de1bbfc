"""The writers of functions, as they also note which expression of the user's each instruction comes from.

A value's own code comes from where the value was written. Around it is the code of what reads it, or of its loop, and
around all is that of the function's result. A value that nobody wrote has no place of its own: the place of a number on
a tape, say, is where the derivative was asked for.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from rose.errors import Loc, is_ours
from rose.ir import Value

from .binary.encoder import Body, Code
from .codegen.branch import ChoiceWriter
from .codegen.function import FunctionWriter
from .codegen.while_loop import TurnsWriter
from .simd.loops import PairWriter


class _Noting(FunctionWriter):
    """Notes the `Loc` of what is written."""

    origin: Loc | None = None

    @contextmanager
    def _of(self, v: Value) -> Generator[None]:
        """Inside, the code of a value is written."""
        outer, self.origin = self.origin, self.origin if self._is_asked(v.loc) else v.loc
        self.c.body.mark(self.origin)
        yield
        self.origin = outer
        self.c.body.mark(self.origin)

    def _is_asked(self, loc: Loc | None) -> bool:
        """True for a place where nothing is written, but a module is asked for; and for our own functions."""
        return loc is None or loc.code in (self.program.asking or ()) or is_ours(loc.code.co_filename)

    def write(self) -> Code:
        with self._of(self.f.body.results[0]):
            return super().write()

    def _define(self, v: Value) -> None:
        with self._of(v):
            super()._define(v)

    def _instruction(self, v: Value) -> None:
        with self._of(v):
            super()._instruction(v)

    def _compute(self, v: Value) -> None:
        with self._of(v):
            super()._compute(v)


class _NotingFunction(_Noting):
    pass


class _NotingChoice(_Noting, ChoiceWriter):
    pass


class _NotingTurns(_Noting, TurnsWriter):
    pass


class _NotingPairs(_Noting, PairWriter):
    """What is written before and after a loop is noted there."""

    @contextmanager
    def _aside(self, body: Body) -> Generator[None]:
        with super()._aside(body):
            body.mark(self.origin)
            yield

    def _make_pair(self, v: Value) -> None:
        with self._of(v):
            super()._make_pair(v)

    def _add_pair(self, v: Value) -> None:
        with self._of(v):
            super()._add_pair(v)

    def _compute_pair(self, v: Value) -> None:
        with self._of(v):
            super()._compute_pair(v)

    def _compute_lane(self, v: Value, lane: int) -> None:
        with self._of(v):
            super()._compute_lane(v, lane)


# the writer that notes, in the place of one that does not
NOTING: dict[type[FunctionWriter], type[FunctionWriter]] = {
    FunctionWriter: _NotingFunction, ChoiceWriter: _NotingChoice, TurnsWriter: _NotingTurns, PairWriter: _NotingPairs,
}  # fmt: skip

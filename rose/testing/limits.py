"""Limits of an examination, which runs programs that may not end."""

from __future__ import annotations

from typing import Any

from ..host.comparisons import Record
from ..host.evaluator import Env
from ..host.interpreter import Watch
from ..ir import Func, Value

ITERATIONS, PATIENCE = 10_000, 300_000  # of loops of unknown length: in one evaluation, and in all of a function


class TooLong(Exception):
    """An evaluation takes too many iterations."""


class Limit(Watch):
    """The watch of an interpreter run: it stops it after too many iterations, and records its comparisons."""

    def __init__(self, patience: int, most: int | None) -> None:
        super().__init__()
        self.left, self.patience, self.most, self.record = ITERATIONS, patience, most, Record()

    def anew(self) -> Limit:
        """This watch, for another evaluation."""
        self.calls, self.left, self.record = [], ITERATIONS, Record()
        return self

    def another(self) -> None:
        """Count one more evaluation for differences."""
        if self.most is not None:
            self.most -= 1
            if self.most < 0:
                raise TooLong

    def step(self, v: Value, xs: list[Any], env: Env) -> Any:
        answer = super().step(v, xs, env)
        self.record.note(v, xs, answer)
        return answer

    def iteration(self, f: Func, count: int, xs: list[Any]) -> None:
        self.left, self.patience = self.left - 1, self.patience - 1
        if min(self.left, self.patience) < 0:
            raise TooLong

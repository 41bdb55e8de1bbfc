"""Progress of a compilation: each stage says when it is done with a function, and how long it took."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import TypeVar

Watcher = Callable[[str, int | None], None]

_watchers: list[Watcher] = []

T = TypeVar("T")


@contextmanager
def among(those: list[T], one: T) -> Generator[T]:
    """Inside, one more is among those who hear of what is compiled."""
    those.append(one)
    try:
        yield one
    finally:
        those.remove(one)


def step(stage: str, of: int | None = None) -> None:
    """One more function has been through a stage: one of so many, if that is known."""
    for watcher in _watchers:
        watcher(stage, of)


def watched(watcher: Watcher) -> AbstractContextManager[Watcher]:
    """Inside, `watcher` is told of each step, with the name of the stage."""
    return among(_watchers, watcher)


class Clock:
    """The seconds that each stage took, without the stages in it: together they are the time of all."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stages: list[str] = []
        self._since = 0.0

    def begin(self, stage: str) -> None:
        self._count()
        self._stages.append(stage)

    def end(self) -> None:
        self._count()
        self._stages.pop()

    def _count(self) -> None:
        now = perf_counter()
        if self._stages:
            stage = self._stages[-1]
            self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._since
        self._since = now


_clocks: list[Clock] = []


@contextmanager
def timed(stage: str) -> Generator[None]:
    """Inside is a stage, for each clock that runs."""
    clocks = [*_clocks]
    for clock in clocks:
        clock.begin(stage)
    try:
        yield
    finally:
        for clock in clocks:
            clock.end()


def clocked(clock: Clock) -> AbstractContextManager[Clock]:
    """Inside, `clock` runs."""
    return among(_clocks, clock)

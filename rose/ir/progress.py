"""Progress of a compilation: each stage says when it is done with a function, and how long it took.

Who waits for more than a second at a terminal, or in a notebook, is told what for: see `telling`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event, Thread
from time import perf_counter
from typing import Any, TypeVar

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


# telling

PATIENCE = 1.0  # seconds after which a user wants to know what takes so long
_EACH = 0.2  # seconds between two texts
_WIDTH = 79  # of a text, in a line of a terminal


def shows(stream: Any) -> bool:
    """True if a line that is written to a stream can be written over: at a terminal, or in a notebook."""
    if type(stream).__module__ == "ipykernel.iostream":
        return True
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


@contextmanager
def telling(name: str) -> Generator[None]:
    """Inside, `name` is compiled: a line of standard error says at which stage it is, if it takes more than a second.

    It is written over, and gone at the end. Nothing is written where it cannot be, and if someone else watches.
    """
    if _watchers or not shows(sys.stderr):
        yield
        return
    with watched(teller := _Teller(name, sys.stderr)), clocked(teller):
        with suppress(RuntimeError):  # there are no threads here
            teller.start()
        try:
            yield
        finally:
            teller.stop()


def entering(stage: str) -> None:
    """A stage begins that has no time of its own: that of its parts is taken."""
    for clock in _clocks:
        if isinstance(clock, _Teller):
            clock.begin(stage)


class _Teller(Clock):
    """Writes a line from time to time, in a thread of its own: a long function has nothing to say for seconds."""

    def __init__(self, name: str, stream: Any) -> None:
        super().__init__()
        self.name, self.stream = name, stream
        self.stage: str = "trace"
        self.functions = 0
        self._begun, self._done, self._shown = perf_counter(), Event(), 0
        self._thread = Thread(target=self._run, daemon=True)

    def begin(self, stage: str) -> None:
        self._turn(stage)

    def end(self) -> None:
        pass

    def __call__(self, stage: str, _: int | None) -> None:
        self._turn(stage)
        self.functions += 1

    def _turn(self, stage: str) -> None:
        if stage != self.stage:
            self.stage, self.functions = stage, 0

    def text(self) -> str:
        """What is said now."""
        done = f", {self.functions:,} functions" if self.functions > 1 else ""
        left = f": {self.stage}{done}, {perf_counter() - self._begun:.0f} s"
        return f"compiling {self.name[: _WIDTH - 10 - len(left)]}{left}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Say no more, and clear the line."""
        self._done.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._write("")

    def _run(self) -> None:
        wait = PATIENCE
        while not self._done.wait(wait):
            self._write(self.text())
            wait = _EACH

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            if text or self._shown:
                self.stream.write(f"\r{text.ljust(self._shown)}" + "\r" * (not text))
                self.stream.flush()
                self._shown = len(text)

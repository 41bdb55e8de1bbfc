"""Progress of a compilation, for whoever shows it: each stage says when it is done with a function."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager

Watcher = Callable[[str, int | None], None]

_watchers: list[Watcher] = []


def step(stage: str, of: int | None = None) -> None:
    """One more function has been through a stage: one of so many, if that is known."""
    for watcher in _watchers:
        watcher(stage, of)


@contextmanager
def watched(watcher: Watcher) -> Generator[None]:
    """Inside, `watcher` is told of each step, with the name of the stage."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)

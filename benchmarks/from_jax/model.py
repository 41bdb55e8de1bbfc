"""A function of a library: what it is called, and what makes it with an example of its parameter."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

Case = tuple[Callable[[Any], Any], Any]  # from a pytree of numbers to a number, and such a pytree
Made = Callable[[], Case]
FILES = ("inference", "nets", "optimisation", "physics", "bodies")


class Entry(NamedTuple):
    library: str
    name: str
    file: str
    make: Made


ENTRIES: list[Entry] = []


def case(library: str, name: str) -> Callable[[Made], Made]:
    """Give a function a place in the table."""

    def given(make: Made) -> Made:
        ENTRIES.append(Entry(library, name, make.__module__.rpartition(".")[2], make))
        return make

    return given


def entry(file: str, key: str) -> Entry:
    """The entry of the function that is made by `key` of a file, with nothing but that file imported."""
    import_module(f"benchmarks.from_jax.cases.{file}")
    return next(e for e in ENTRIES if e.file == file and e.make.__name__ == key)

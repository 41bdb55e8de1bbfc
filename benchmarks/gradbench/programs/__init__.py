"""The programs of GradBench, one module for each eval, written as a user would write them.

A module has `functions`: by its name in the protocol, what prepares it for an input. All that comes before the first
run, reading the input and compiling for its sizes, is done there, and is not timed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

NAMES = ("hello", "gmm", "ba", "ht", "lstm", "ode", "kmeans", "saddle", "particle", "lse", "det", "llsq")


@dataclass(frozen=True)
class Job:
    """A function with its input."""

    run: Callable[[], Any]  # what is timed
    shown: Callable[[Any], Any] = lambda result: result  # what it gave, for JSON


Functions = Mapping[str, Callable[[Any], Job]]


def functions(name: str) -> Functions | None:
    """Those of an eval, or nothing if it has no program here."""
    return importlib.import_module(f".{name}", __name__).functions if name in NAMES else None

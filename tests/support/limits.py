"""Limits of the compiler: each has a name of its own, a reason, and somebody who asks it; and others for tests."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from paths import ROOT

from rose.optimise import costs


def _numbers(x: Any) -> Iterable[float]:
    """A limit, or those of a table."""
    return x.values() if isinstance(x, dict) else (x,)


def unasked(of: ModuleType, room: str) -> set[str]:
    """The limits of a module that no file of a room asks, and what is asked and is none."""
    limits = {name for name in vars(of) if name.isupper() and name != "LIBRARY"}
    numbers = [x for name in limits for x in _numbers(getattr(of, name))]
    assert limits and all([x > 0 for x in numbers])
    asked = {x for path in (ROOT / room).rglob("*.py") for x in re.findall(r"\bcosts\.([A-Z_]+)", path.read_text())}
    made_of = {*re.findall(r"= .*?\b([A-Z]{2,}[A-Z_]+)", Path(str(of.__file__)).read_text())}
    return (limits - made_of - asked) | (asked - limits)


@contextmanager
def short_products() -> Generator[None]:
    """Let the optimiser put the loops of short nests in the order of memory, as if a cache had one place."""
    with patch.multiple(costs, INTERCHANGED_ITERATIONS=2, CACHE_PLACES=1, LINE_NUMBERS=2):
        yield

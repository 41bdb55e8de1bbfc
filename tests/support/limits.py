"""Limits of the compiler: each has a name of its own, a reason, and somebody who asks it."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

from paths import ROOT


def unasked(costs: ModuleType, room: str) -> set[str]:
    """The limits of a module that no file of a room asks, and what is asked and is none."""
    limits = {name for name in vars(costs) if name.isupper() and name != "LIBRARY"}
    assert limits and all([getattr(costs, name) > 0 for name in limits])
    asked = {x for path in (ROOT / room).rglob("*.py") for x in re.findall(r"\bcosts\.([A-Z_]+)", path.read_text())}
    made_of = {*re.findall(r"= .*?\b([A-Z]{2,}[A-Z_]+)", Path(str(costs.__file__)).read_text())}
    return (limits - made_of - asked) | (asked - limits)

"""`saddle`: that of the examples, in each combination of modes."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

from .. import placed
from . import Functions, Job

sys.path.append(str(Path(__file__).parents[3] / "examples"))
import saddle


def prepared(modes: str, given: dict[str, Any]) -> Job:
    shown = lambda found: [x for at in found for x in at.tolist()]
    return placed.call(saddle.module[modes], given["start"], shown=shown)


functions: Functions = {modes: functools.partial(prepared, modes) for modes in saddle.modes}

"""`particle`: that of the examples, in each combination of modes."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

from .. import placed
from . import Functions, Job

sys.path.append(str(Path(__file__).parents[3] / "examples"))
import particle


def prepared(modes: str, given: dict[str, Any]) -> Job:
    return placed.call(particle.module[modes], given["w"])


functions: Functions = {modes: functools.partial(prepared, modes) for modes in particle.modes}

"""The options that end a search: numbers that are part of the program."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from ..errors import OutOfRange, TypeMismatch, argument, here
from ..ir import shown
from ..ir.value import host_index


def tolerance(x: Any, name: str) -> None:
    """Check a tolerance."""
    if isinstance(x, bool) or not isinstance(x, (int, float)) or not 0.0 <= x < math.inf:
        _refuse(name, x, "a number that is not negative")


def count(n: Any, name: str) -> None:
    """Check how often something is done at most."""
    if isinstance(n, bool) or host_index(n) is None or n < 1:
        _refuse(name, n, "an integer above 0")


def _refuse(name: str, x: Any, wanted: str) -> NoReturn:
    loc = here().narrow(argument(_BY_NAME, name, *range(1, 9)))
    kind = OutOfRange if isinstance(x, (int, float)) and not isinstance(x, bool) else TypeMismatch
    raise kind(f"{name} is {wanted}, not {shown(x)}", loc, "leave it out for the default")


_BY_NAME = 9  # options are given by name

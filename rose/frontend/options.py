"""The options of searches, checked: numbers and counts of Python's, and such as may be traced.

A number outside its range, and an integer below 1, is an OutOfRange; what is no number, or no integer, a TypeMismatch.
"""

from __future__ import annotations

import math
from typing import Any

from ..errors import Loc, OutOfRange, TypeMismatch, argument, here
from ..ir import Value, a_traced, shown
from ..ir.numbers import as_number
from ..ir.types import Fin, Real
from ..ir.value import host_index

_USUAL = "leave it out for the default"
_BY_NAME = 9  # options are given by name


def number(x: Any, name: str, below: float = math.inf, hint: str = _USUAL) -> float:
    """The number of the option of that name, which is from 0 to below `below`: a part of the program."""
    at = _at(name)
    try:
        k = as_number(_known(x, "a number", at, name, hint), at)
    except TypeMismatch:
        if isinstance(x, Value):
            raise
        raise TypeMismatch(f"{name} is a number, not {shown(x)}", at, hint) from None
    if not 0.0 <= k < below:
        ends = "a number that is not negative" if below == math.inf else f"from 0 to below {below:g}"
        raise OutOfRange(f"{name} is {ends}, not {shown(x)}", at, hint)
    return k


def count(n: Any, name: str) -> int:
    """The integer above 0 of the option of that name: a part of the program."""
    at = _at(name)
    k = host_index(_known(n, "an integer", at, name, _USUAL))
    if k is None or k < 1:
        kind = TypeMismatch if k is None else OutOfRange
        raise kind(f"{name} is an integer above 0, not {shown(n)}", at, _USUAL)
    return k


def number_or_traced(x: Any, name: str, below: float = math.inf) -> Any:
    """As `number`, of an option that may be a traced number, too."""
    return x if _is_traced_number(x) else number(x, name, below)


def count_or_traced(n: Any, name: str) -> Any:
    """As `count`, of an option that may be a traced number, too."""
    return n if _is_traced_number(n) else count(n, name)


def _is_traced_number(x: Any) -> bool:
    return isinstance(x, Value) and (x.type is Real or isinstance(x.type, Fin))


def _known(x: Any, what: str, at: Loc, name: str, hint: str) -> Any:
    """`x`, which is no traced value."""
    if isinstance(x, Value):
        raise TypeMismatch(f"{name} is {what} that is known while tracing, not {a_traced(x)}", at, hint)
    return x


def _at(name: str) -> Loc:
    return here().narrow(argument(_BY_NAME, name, *range(1, 9)))

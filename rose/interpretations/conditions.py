"""Errors and condition numbers: with each number goes a bound of its error, to first order.

An operation carries the errors of its arguments on by its derivatives, which are those of the table, and adds its own
rounding. The error of a result over that of the arguments, both relative, is the condition of the problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frontend.annotations import struct
from ..ir.types import Real
from .meanings import Meaning

if TYPE_CHECKING:  # a checker knows no types of the IR
    Number = Any
else:
    Number = Real


@struct
class Measured:
    """A number, and a bound of its error."""

    value: Number
    error: Number


class Errors(Meaning):
    """Errors to first order, summed as if they conspired; `rounding` is what each operation adds, of its result's size.

    With `rounding=0.0` only the errors of the arguments go on.
    """

    name = "errors"
    carrier = Measured

    def __init__(self, rounding: float = 2.0**-53) -> None:
        self.rounding = rounding

    def literal(self, x: Any) -> Any:
        return Measured(x, 0.0) if x.type is Real else x

    def row(self, op: Any, *xs: Any) -> Any:
        values = [x.value if isinstance(x, Measured) else x for x in xs]
        z = op(*values)
        if z.type is not Real:
            return z
        rules = zip(op.jvp or (), xs, strict=False)
        parts: list[Any] = [abs(rule(x.error, *values, z)) for rule, x in rules if rule is not None]
        return Measured(z, sum(parts, abs(z) * (0.0 if op.exact else self.rounding)))

"""Operation counts: how many sums, products, quotients and functions a program takes, on the path that it takes.

So the cost of a gradient over that of its function can be measured, of which there is a bound (W. Baur, V. Strassen:
The complexity of partial derivatives, 1983): a few times, however many variables there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..frontend.annotations import struct
from ..ir.types import Real
from .meanings import Tally

if TYPE_CHECKING:  # a checker knows no types of the IR
    Number = Any
else:
    Number = Real

KINDS = ("sum", "product", "quotient", "function", "choice")  # in the order of `Operations`


@struct
class Operations:
    """How many operations of each kind ran. `choices` are comparisons, signs, and rounding to integers."""

    sums: Number
    products: Number
    quotients: Number
    functions: Number
    choices: Number

    def flops(self) -> Any:
        """All but choices; a function of mathematics counts as one."""
        return self.sums + self.products + self.quotients + self.functions


class Counts(Tally):
    """The function, and the count of its operations: a pair of its result and of `Operations`."""

    name = "operation counts"
    entry = Operations

    def row(self, op: Any, *xs: Any) -> Any:
        z = op(*xs)
        if op.kind is None or not any([x.type is Real for x in (*xs, z)]):
            return z, None
        kind = "choice" if op.kind == "comparison" else op.kind
        return z, Operations(*[float(kind == k) for k in KINDS])

"""Units of measure: each number has one, and what does not fit is an error at the user's expression.

Units are carriers of types of their own, so all is decided when the function is interpreted: a compiled module has
numbers, as before. A number of the program is a pure number, but 0 has every unit. What is added or compared has one
unit; a root has the root of it; and any other function takes a pure number, and gives one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from typing import Any

from ..ir.types import Real
from .dimensions import ANY, Dimension, of_result, parsed, spelled
from .meanings import Meaning, Refusal, tag_of, tagged


@cache
def quantity(unit: Dimension) -> Any:
    """The class of numbers with a unit."""
    return tagged(spelled(unit), unit)


class Units(Meaning):
    """Units by the names of parameters: `Units(x="m", t="s")`; of a struct a dict of those of its fields."""

    name, carrier, whole = "units", quantity(ANY), ("norm", "scaling")

    def __init__(self, **units: Any) -> None:
        self.units = units

    def parameter(self, name: str, t: Any) -> Any:
        if t.real and name not in self.units:
            raise Refusal(f"the parameter {name} has no unit", f'write rose.interpretations.Units({name}="m")')
        return self.carriers(t, _quantities(self.units.get(name, "1")))

    def literal(self, x: Any) -> Any:
        """0 and infinity are of any unit: a sum begins at the one, a maximum at the other."""
        any_unit = x.op.name == "const" and x.attr in (0.0, math.inf, -math.inf)
        return quantity(ANY if any_unit else ())(x) if x.type is Real else x

    def wider(self, s: Any, t: Any) -> Any:
        zero = self.carriers(Real)
        return t if s is zero else s if t is zero else None

    def widened(self, x: Any, t: Any) -> Any:
        return t.form.make([x.value])

    def row(self, op: Any, *xs: Any) -> Any:
        tags = [tag_of(x) for x in xs]
        unit, y = of_result(op, [u for u in tags if u is not None]), op(*[getattr(x, "value", x) for x in xs])
        return quantity(unit)(y) if y.type is Real else y


def _quantities(unit: Any) -> Any:
    """The carriers of a text, or of a dict of them by field: a field without is a pure number."""
    if unit.__class__ is dict:
        return defaultdict(lambda: quantity(()), {k: _quantities(u) for k, u in unit.items()})
    return quantity(parsed(unit))

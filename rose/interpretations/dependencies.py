"""Sparsity: with each number go the inputs on which its derivative depends, on the path that the program takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from typing import Any

from ..frontend.annotations import Vec, struct
from ..ir.types import Bool, Real
from .meanings import Meaning


@cache
def dependent(n: int) -> Any:
    """The class of numbers that depend on some of `n` inputs: `value`, and `on`, a truth for each."""
    return struct(dataclasses.make_dataclass(f"Dependent on {n}", [("value", Real), ("on", Vec[n, Bool])]))


class Dependencies(Meaning):
    """The inputs, of `n`, on which each number depends. `inputs(xs)` are numbers that depend on themselves.

    What has no derivative, such as a comparison or `floor`, passes nothing on; of a branch it is the one that is taken.
    So it is the pattern at a point; `rose.sparsity` has that of all points.
    """

    name = "dependencies"

    def __init__(self, n: int) -> None:
        self.n, self.carrier = n, dependent(n)

    def inputs(self, xs: Sequence[float]) -> list[Any]:
        """Numbers as carriers, of which each depends on itself."""
        return [self.carrier(x, [j == k for j in range(self.n)]) for k, x in enumerate(xs)]

    def literal(self, x: Any) -> Any:
        return self.carrier(x, [False] * self.n) if x.type is Real else x

    def row(self, op: Any, *xs: Any) -> Any:
        z = op(*[getattr(x, "value", x) if isinstance(x, self.carrier) else x for x in xs])
        if z.type is not Real:
            return z
        smooth = [x.on for rule, x in zip(op.jvp or (), xs, strict=False) if rule is not None]
        on: Any = smooth[0] if smooth else [False] * self.n
        for other in smooth[1:]:
            on = on | other
        return self.carrier(z, on)

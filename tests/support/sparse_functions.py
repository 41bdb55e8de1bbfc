"""Functions whose derivatives are sparse, and a struct that is made of more than numbers."""

from __future__ import annotations

from typing import Any

import rose
from rose import Bool, Fin, Real, Vec, fn


@rose.struct
class Item:
    a: Real
    k: Fin[3]
    b: Vec[2]
    on: Bool


def rosenbrock(n: int) -> Any:
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in rose.range(n - 1))

    return f

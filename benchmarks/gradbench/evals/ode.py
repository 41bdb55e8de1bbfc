"""`ode`: a chain of equations, integrated by the classical method of Runge and Kutta."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Function, Packed, Workload


def workloads() -> Iterator[Workload]:
    sizes = [(n, s) for n in (1000, 10000, 100000) for s in (1, 10, 100)]
    for n, s in sorted(sizes, key=lambda size: size[0] * size[1]):
        yield Workload(f"n={n},s={s}", {"x": np.random.default_rng(31337).random(n).tolist(), "s": s})


def packed(given: dict[str, Any]) -> Packed:
    n, s = len(given["x"]), given["s"]
    return Packed(np.array([n, s], np.int32), np.array(given["x"], float), n, (s + 8) * n)


functions = {
    "primal": Function(packed, lambda _, out: out.tolist()),
    "gradient": Function(packed, lambda _, out: out.tolist()),
}

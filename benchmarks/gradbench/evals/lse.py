"""`lse`: the logarithm of a sum of exponentials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Function, Packed, Workload


def workloads() -> Iterator[Workload]:
    for n in [2500 * 2**k for k in range(10)]:
        yield Workload(f"n={n}", {"x": np.random.default_rng(31337).random(n).tolist()})


def packed(given: dict[str, Any], out: int) -> Packed:
    return Packed(np.array([len(given["x"])], np.int32), np.array(given["x"], float), out, 0)


functions = {
    "primal": Function(lambda i: packed(i, 1), lambda _, out: float(out[0])),
    "gradient": Function(lambda i: packed(i, len(i["x"])), lambda _, out: out.tolist()),
}

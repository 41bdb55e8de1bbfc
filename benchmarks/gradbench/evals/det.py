"""`det`: a determinant by expansion along the first row, again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Function, Packed, Workload


def workloads() -> Iterator[Workload]:
    for n in range(5, 12):
        yield Workload(f"{n}", {"A": np.random.default_rng(31337).random(n * n).tolist(), "ell": n})


def packed(given: dict[str, Any], out: int) -> Packed:
    return Packed(np.array([given["ell"]], np.int32), np.array(given["A"], float), out, 0)


functions = {
    "primal": Function(lambda i: packed(i, 1), lambda _, out: float(out[0])),
    "gradient": Function(lambda i: packed(i, i["ell"] ** 2), lambda _, out: out.tolist()),
}

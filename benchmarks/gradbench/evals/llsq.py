"""`llsq`: a polynomial fitted to the sign function by least squares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Function, Packed, Workload

M = 128


def workloads() -> Iterator[Workload]:
    for n in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8196, 16392):
        x = np.random.default_rng(31337).random(M)
        yield Workload(f"n={n},m={M}", {"x": x.tolist(), "n": n})


def packed(given: dict[str, Any], out: int) -> Packed:
    return Packed(np.array([len(given["x"]), given["n"]], np.int32), np.array(given["x"], float), out, 0)


functions = {
    "primal": Function(lambda i: packed(i, 1), lambda _, out: float(out[0])),
    "gradient": Function(lambda i: packed(i, len(i["x"])), lambda _, out: out.tolist()),
}

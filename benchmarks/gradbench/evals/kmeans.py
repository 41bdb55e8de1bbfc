"""`kmeans`: the cost of centres for points, and the step of Newton's method."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Function, Packed, Workload

CENTRES, POINTS, DIMENSIONS, SEED = (10, 100, 1000), (1000, 10000), (8, 16), 31337


def made(k: int, n: int, d: int) -> dict[str, Any]:
    """An input. The centres are the last points, so that each is the nearest of one at least."""
    points = np.random.default_rng(SEED).uniform(size=(n, d))
    return {"points": points.tolist(), "centroids": points[-k:].tolist()}


def workloads() -> Iterator[Workload]:
    sizes = [(k, n, d) for k in CENTRES for n in POINTS for d in DIMENSIONS]
    for k, n, d in sorted(sizes, key=lambda s: s[0] * s[1] * s[2]):
        yield Workload(f"k={k},n={n},d={d}", made(k, n, d))


def packed(given: Any, out: int | None = None) -> Packed:
    points, centres = [np.asarray(given[name], dtype=np.float64) for name in ("points", "centroids")]
    (n, d), k = points.shape, len(centres)
    ints = np.array([d, k, n], dtype=np.int32)
    return Packed(ints, np.concatenate([points.ravel(), centres.ravel()]), out or k * d, k)


functions = {
    "cost": Function(lambda given: packed(given, 1), lambda _, out: float(out[0])),
    "dir": Function(packed, lambda given, out: out.reshape(len(given["centroids"]), -1).tolist()),
}

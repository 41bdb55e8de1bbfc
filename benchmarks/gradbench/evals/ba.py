"""`ba`: bundle adjustment, its errors and their Jacobian in CSR.

All cameras of an input are equal, and all points: only the first errors and entries are shown, and the last entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Function, Packed, Workload

SIZES = (  # cameras, points and observations of ADBench's files ba1 to ba14
    (49, 7776, 31843), (21, 11315, 36455), (161, 48126, 182072), (372, 47423, 204472), (257, 65132, 225911),
    (539, 65220, 277273), (93, 61203, 287451), (88, 64298, 383937), (810, 88814, 393775), (1197, 126327, 563734),
    (1723, 156502, 678718), (253, 163691, 899155), (245, 198739, 1091386), (356, 226730, 1255268),
)  # fmt: skip
SHOWN = 30


def example(n: int, m: int, p: int, seed: int = 31337) -> dict[str, Any]:
    """A camera that sees a point in front of it."""
    rng = np.random.default_rng(seed)
    turn, centre = rng.normal(0, 0.3, 3), rng.normal(0, 1, 3)
    camera = [*turn, *centre, 500 + rng.normal(0, 50), *rng.normal(0, 5, 2), *rng.normal(0, 0.05, 2)]
    point = np.add(centre, [*rng.normal(0, 1, 2), -5])
    feature = rng.normal(0, 50, 2)
    numbers = {"cam": [*map(float, camera)], "x": point.tolist(), "w": float(rng.uniform()), "feat": feature.tolist()}
    return {"n": n, "m": m, "p": p} | numbers


def workloads() -> Iterator[Workload]:
    for n, m, p in SIZES:
        yield Workload(f"n{n}_m{m}_p{p}", example(n, m, p))


def packed(given: Mapping[str, Any], out: int) -> Packed:
    n, m, p = (given[k] for k in "nmp")
    seen = np.arange(p)
    ints = np.concatenate([[n, m, p], seen % n, seen % m]).astype(np.int32)
    parts = (given["cam"], n), (given["x"], m), ([given["w"]], p), (given["feat"], p)
    return Packed(ints, np.concatenate([np.tile(np.array(x, float), times) for x, times in parts]), out, 0)


def errors(given: Mapping[str, Any], out: NDArray[np.float64]) -> Any:
    p = given["p"]
    return {
        "reproj_error": {"elements": out[:2].tolist(), "repeated": p},
        "w_err": {"element": float(out[2 * p]), "repeated": p},
    }


def matrix(given: Mapping[str, Any], out: NDArray[np.float64]) -> Any:
    """The values come first, and then columns and rows in 32 bits."""
    p = given["p"]
    values, (columns, rows) = out[: 31 * p], np.split(out[31 * p :].view(np.int32)[: 34 * p + 1], [31 * p])
    return {k: [*x[:SHOWN].tolist(), x[-1].item()] for k, x in (("rows", rows), ("cols", columns), ("vals", values))}


functions = {
    "objective": Function(lambda given: packed(given, 3 * given["p"]), errors),
    "jacobian": Function(lambda given: packed(given, 31 * given["p"] + (34 * given["p"] + 2) // 2), matrix),
}

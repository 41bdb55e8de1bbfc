"""`ht`: hand tracking. GradBench's hand is Microsoft's; this one is made up, with its sizes, bones and sparsity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import Function, Packed, Workload

POINTS = (100, 192, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 51200)  # of GradBench's files hand1 to hand11
BONES, TRIANGLES = 22, 1084
VERTICES = {"small": 544, "big": 10000}
USED = 544  # vertices that are corners
PARENTS = (-1, *(b - 1 if b % 4 != 1 else 0 for b in range(1, BONES - 1)), 0)


def moved(rng: np.random.Generator, spread: float) -> NDArray[np.float64]:
    """A turn and a shift, as a matrix."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn * np.sign(np.linalg.det(turn)), rng.normal(0, spread, 3)
    return out


def hand(rng: np.random.Generator, vertices: int, mirrored: bool) -> dict[str, Any]:
    relatives = [moved(rng, 0.05) for _ in range(BONES)]
    absolutes: list[NDArray[np.float64]] = []
    for parent, relative in zip(PARENTS, relatives, strict=True):
        absolutes.append(relative if parent < 0 else absolutes[parent] @ relative)
    weights = np.zeros((vertices, BONES))
    weights[np.arange(vertices), rng.integers(0, BONES, vertices)] = rng.uniform(0.5, 1, vertices)
    weights[np.arange(vertices), rng.integers(0, BONES, vertices)] += 0.5  # of most a second bone
    weights /= weights.sum(1, keepdims=True)
    positions = np.concatenate([rng.normal(0, 0.1, (vertices, 3)), np.ones((vertices, 1))], 1)
    return {
        "bone_count": BONES,
        "bone_names": [f"bone{b}" for b in range(BONES)],
        "parents": list(PARENTS),
        "base_relatives": np.array(relatives).tolist(),
        "inverse_base_absolutes": np.linalg.inv(absolutes).tolist(),
        "base_positions": positions.tolist(),
        "weights": weights.tolist(),
        "triangles": np.array([rng.permutation(USED)[:3] for _ in range(TRIANGLES)]).tolist(),
        "is_mirrored": mirrored,
    }


def example(
    points: int, model: str = "big", variant: str = "complicated", mirrored: bool = False, seed: int = 31337
) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    made = hand(rng, VERTICES[model], mirrored)
    on = TRIANGLES if variant == "complicated" else VERTICES[model]
    data = {
        "model": made,
        "correspondences": rng.integers(0, on, points).tolist(),
        "points": rng.normal(0, 0.2, (points, 3)).tolist(),
    }
    us = rng.uniform(0, 0.5, (points, 2)).tolist() if variant == "complicated" else []
    return {"theta": rng.normal(0, 0.3, 26).tolist(), "us": us, "data": data}


def workloads() -> Iterator[Workload]:
    for points in POINTS:
        yield Workload(f"c{points}", example(points))


def packed(given: Mapping[str, Any], columns: int, work: int) -> Packed:
    data, model = given["data"], given["data"]["model"]
    triangles = model["triangles"] if given["us"] else []
    vertices, points = len(model["base_positions"]), len(data["correspondences"])
    sizes = [vertices, len(triangles), points, int(model["is_mirrored"])]
    ints = [sizes, model["parents"], triangles, data["correspondences"]]
    numbers = [given["theta"], given["us"], model["base_relatives"], model["inverse_base_absolutes"]]
    numbers += [model["base_positions"], model["weights"], data["points"]]
    flat = lambda parts, kind: np.concatenate([np.array(x, kind).ravel() for x in parts])
    return Packed(flat(ints, np.int32), flat(numbers, float), 3 * points * columns, work * vertices)


def rows(given: Mapping[str, Any], out: NDArray[np.float64]) -> Any:
    return out.reshape(-1, 28 if given["us"] else 26).tolist()


functions = {
    "objective": Function(lambda given: packed(given, 1, 3), lambda _, out: out.tolist()),
    "jacobian": Function(lambda given: packed(given, 28 if given["us"] else 26, 63), rows),
}

"""`gmm`: mixtures of Gaussians."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Function, Packed, Workload

DIMENSIONS, COMPONENTS, POINTS, SEED = (2, 10, 20, 32, 64), (5, 10, 25, 50, 100), 1000, 31337


def made(d: int, k: int, n: int, m: int = 0, gamma: float = 1.0) -> dict[str, Any]:
    """An input, drawn as GradBench draws it."""
    rng = np.random.default_rng(SEED)
    x, alpha = rng.normal(size=(n, d)), rng.normal(size=k)
    mu, q, l = rng.uniform(size=(k, d)), rng.normal(size=(k, d)), rng.normal(size=(k, d * (d - 1) // 2))
    sizes = {"d": d, "k": k, "n": n, "m": m, "gamma": gamma}
    return sizes | {name: v.tolist() for name, v in (("x", x), ("alpha", alpha), ("mu", mu), ("q", q), ("l", l))}


def workloads() -> Iterator[Workload]:
    for d, k in sorted([(d, k) for d in DIMENSIONS for k in COMPONENTS], key=lambda p: p[0] * p[1]):
        yield Workload(f"{d}_{k}_{POINTS}", made(d, k, POINTS))


def packed(given: Any, out: int) -> Packed:
    d, k = given["d"], given["k"]
    parts = [np.asarray(given[name], dtype=np.float64).ravel() for name in ("alpha", "mu", "q", "l", "x")]
    ints = np.array([d, k, given["n"], given["m"]], dtype=np.int32)
    return Packed(ints, np.concatenate([[given["gamma"]], *parts]), out, (3 * d + 2) * k + 2 * d)


def parameters(given: Any) -> list[tuple[str, tuple[int, ...]]]:
    """What is differentiated by, in the order in which the C writes it, with its shape."""
    d, k = given["d"], given["k"]
    return [("alpha", (k,)), ("mu", (k, d)), ("q", (k, d)), ("l", (k, d * (d - 1) // 2))]


def gradient(given: Any, out: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name, shape in parameters(given):
        size = int(np.prod(shape))
        shown[name], out = out[:size].reshape(shape).tolist(), out[size:]
    return shown


functions = {
    "objective": Function(lambda given: packed(given, 1), lambda _, out: float(out[0])),
    "jacobian": Function(
        lambda given: packed(given, sum([int(np.prod(shape)) for _, shape in parameters(given)])), gradient
    ),
}

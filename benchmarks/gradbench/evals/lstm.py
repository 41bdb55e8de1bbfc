"""`lstm`: a recurrent network that predicts the next character of a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import Function, Packed, Workload

LAYERS, CHARACTERS, BITS, SEED = (2, 4, 6), (1024, 4096, 8192), 14, 31337


def made(layers: int, characters: int, bits: int = BITS) -> dict[str, Any]:
    """An input. GradBench's text has characters of 14 bits; here the bits are drawn, and so are parameters."""
    rng = np.random.default_rng(SEED)
    return {
        "main_params": rng.uniform(size=(2 * layers, 4 * bits)).tolist(),
        "extra_params": rng.uniform(size=(3, bits)).tolist(),
        "state": rng.uniform(size=(2 * layers, bits)).tolist(),
        "sequence": rng.integers(0, 2, size=(characters, bits)).astype(float).tolist(),
    }


def workloads() -> Iterator[Workload]:
    for layers, c in sorted([(l, c) for l in LAYERS for c in CHARACTERS], key=lambda s: s[0] * s[1]):
        yield Workload(f"l={layers},c={c}", made(layers, c))


def sizes(given: Any) -> tuple[int, int, int]:
    """Layers, bits of a character, and characters."""
    return len(given["main_params"]) // 2, len(given["extra_params"][0]), len(given["sequence"])


def packed(given: Any, out: int | None = None) -> Packed:
    layers, b, c = sizes(given)
    names = ("main_params", "extra_params", "state", "sequence")
    numbers = np.concatenate([np.asarray(given[name], dtype=np.float64).ravel() for name in names])
    cells = layers * b
    return Packed(
        np.array([layers, b, c], dtype=np.int32), numbers, out or 8 * cells + 3 * b, 4 * cells + b + c * (7 * cells + b)
    )


functions = {
    "objective": Function(lambda given: packed(given, 1), lambda _, out: float(out[0])),
    "jacobian": Function(packed, lambda _, out: out.tolist()),
}

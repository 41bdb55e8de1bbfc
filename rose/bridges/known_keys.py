"""Random numbers of keys that are known while tracing: JAX's Threefry on arrays of NumPy, with nothing to compile.

The bits are those of JAX's default, `jax_threefry_partitionable`, as in `primitives/random_bits.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .equations import Equation

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def _threefry(a: Any, b: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Two words for two others, of a key of two: arrays of uint32."""
    a, b, x, y = np.broadcast_arrays(*[np.asarray(v).astype(np.uint32) for v in (a, b, x, y)])
    keys = (a, b, a ^ b ^ np.uint32(PARITY))
    x, y = x + a, y + b
    for k in range(5):
        for r in ROTATIONS[k % 2]:
            x = x + y
            y = (y << np.uint32(r) | y >> np.uint32(32 - r)) ^ x
        x, y = x + keys[(k + 1) % 3], y + keys[(k + 2) % 3] + np.uint32(k + 1)
    return x, y


def _drawn(key: Any, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Two words for each place of a shape, of each key."""
    places = np.arange(prod(shape), dtype=np.uint64)
    words = _threefry(key[..., :1], key[..., 1:], places >> np.uint64(32), places)
    high, low = [w.reshape((*key.shape[:-1], *shape)) for w in words]
    return high, low


def _seed(e: Equation, seed: Any) -> Any:
    wide = seed.dtype.itemsize > 4
    high = seed.astype(np.int64).view(np.uint64) >> np.uint64(32) if wide else np.zeros_like(seed)
    return np.stack([high.astype(np.uint32), seed.astype(np.uint32)], -1)


def _split(e: Equation, key: Any) -> Any:
    return np.stack(_drawn(key, tuple(e.params["shape"])), -1)


def _fold_in(e: Equation, key: Any, data: Any) -> Any:
    return np.stack(_threefry(key[..., 0], key[..., 1], 0, data), -1)


def _bits(e: Equation, key: Any) -> Any:
    high, low = _drawn(key, tuple(e.params["shape"]))
    if e.params["bit_width"] == 64:
        return high.astype(np.uint64) << np.uint64(32) | low
    return (high ^ low).astype(e.out.dtype)


DRAWN: dict[str, Callable[..., Any]] = {
    "random_seed": _seed, "random_split": _split, "random_fold_in": _fold_in, "random_bits": _bits,
    "random_wrap": lambda e, key: key, "random_unwrap": lambda e, key: key, "random_clone": lambda e, key: key,
    "threefry2x32": lambda e, *words: list(_threefry(*words)),
}  # fmt: skip

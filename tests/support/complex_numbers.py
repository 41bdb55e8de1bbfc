"""Complex numbers for tests: random ones, special ones, and how they are compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_draw = np.random.default_rng(0)
RANDOM = 3.0 * (_draw.normal(size=60) + 1j * _draw.normal(size=60))
_PARTS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.0, math.inf, -math.inf, math.nan)
SPECIAL = np.array([complex(x, y) for x in _PARTS for y in _PARTS])


def _alike(x: float, y: float, tolerance: float) -> bool:
    if x != x or y != y:
        return x != x and y != y
    if x == y:
        return x != 0.0 or math.copysign(1.0, x) == math.copysign(1.0, y)
    return abs(x - y) <= tolerance * max(abs(x), abs(y)) if math.isfinite(x) and math.isfinite(y) else False


def apart(found: Iterable[Any], wanted: Iterable[Any], tolerance: float) -> list[Any]:
    """The pairs of numbers whose parts differ: also the signs of zeros and infinities, and what is nan."""
    pairs = zip(found, wanted, strict=True)
    same: Callable[[Any, Any], bool] = lambda x, y: (
        _alike(x.real, y.real, tolerance) and _alike(x.imag, y.imag, tolerance)
    )
    return [(x, y) for x, y in pairs if not same(x, y)]


def derivative(f: Callable[[Any], Any], z: complex, order: int = 1) -> complex:
    """The complex derivative of a holomorphic function, by Cauchy's integral around the point."""
    turn = np.exp(2j * math.pi * np.arange(32) / 32)
    return complex(np.mean(f(z + 0.01 * turn) * turn**-order) * math.factorial(order) / 0.01**order)

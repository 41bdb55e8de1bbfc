"""Rosenbrock's function of many numbers, in two ways."""

from __future__ import annotations

from typing import Any

import rose
from rose import Real, Vec, fn


def chained(n: int) -> Any:
    """Rosenbrock's function of n numbers, each with its neighbour."""
    term: Any = lambda x, i: 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return fn([Vec[n]], Real)(lambda x: rose.sum(term(x, i) for i in rose.range(n - 1)))


def paired(n: int) -> Any:
    """Rosenbrock's function of n numbers in pairs: number 21 of Moré, Garbow and Hillstrom (1981)."""
    term: Any = lambda x, i: 100 * (x[2 * i + 1] - x[2 * i] ** 2) ** 2 + (1 - x[2 * i]) ** 2
    return fn([Vec[n]], Real)(lambda x: rose.sum(term(x, i) for i in rose.range(n // 2)))

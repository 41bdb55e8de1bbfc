"""What mathematics says: derivatives of each truth by mpmath, from differences in 60 digits and more."""

from __future__ import annotations

from itertools import product
from math import ceil, isfinite, log10
from typing import Any

import mpmath
import numpy as np

from .spec import At, Truth

DIGITS = 60


def tensors(place: At) -> list[list[np.ndarray[Any, Any]]]:
    """For each truth: the value, the gradient, the Hessian and the tensor of third derivatives, as far as judged."""
    return [[tensor(truth, place.point, order) for order in range(place.orders + 1)] for truth in place.truths]


def tensor(truth: Truth, point: tuple[float, ...], order: int) -> np.ndarray[Any, Any]:
    n = len(point)
    out = np.zeros((n,) * order)
    for index in product(range(n), repeat=order):
        out[index] = partial(truth, point, tuple(index.count(k) for k in range(n)))
    return out


def partial(truth: Truth, point: tuple[float, ...], counts: tuple[int, ...]) -> float:
    """One partial derivative; differences far from 0 take more digits, and what is left of a 0 is rounding."""
    far = max(1.0, *(abs(x) for x in point if isfinite(x)))
    with mpmath.workdps(DIGITS + ceil(5 * log10(far))):
        value = mpmath.mpf(truth(mpmath, *map(mpmath.mpf, point)))
        if not any(counts):
            return float(value)
        if not mpmath.isfinite(value):
            return 0.0  # a constant -inf
        found = mpmath.diff(lambda *x: truth(mpmath, *x), point, counts)
        return float(mpmath.chop(found, mpmath.mpf(10) ** -40 / mpmath.mpf(far) ** sum(counts)))

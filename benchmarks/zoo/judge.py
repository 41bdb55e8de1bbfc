"""Right, wrong, nan, an error, or nothing to judge: an answer against the reference.

- Right: within a relative error of 1e-6 (1e-3 where a tool has single precision alone) of the largest element of the
  true tensor; where that is 0, within as much of 0.
- At a kink each subgradient is right, that is each convex combination of the gradients of the functions that meet
  there; so any documented convention is. No higher order is judged there.
- Where the *function* is smooth and only its formula has kinks, or 0 / 0 in it, the derivatives exist, and are judged.
- nan: what is not a number where the truth is. An infinity, or a finite number that is not the truth, is wrong.
- An error is an exception with a message: no number, so no wrong one. "-" is what a tool has no function for, or no
  derivative of that order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.optimize import nnls

from .reference import tensors
from .spec import Case

RIGHT, WRONG, NAN, ERROR, NONE, PAST = "right", "wrong", "nan", "error", "-", "·"
SEVERITY = (PAST, NONE, RIGHT, ERROR, NAN, WRONG)  # of several points, the worst is told
DOUBLE, SINGLE = 1e-6, 1e-3
ORDERS = range(4)


def verdicts(c: Case, answers: Any, bound: float = DOUBLE) -> list[str]:
    """For the value and each order, the worst of all points; `answers` are lists of numbers, or errors."""
    out = [PAST] * len(ORDERS)
    for place, answer in zip(c.points, answers, strict=True):
        truths = tensors(place)
        for order in range(place.orders + 1):
            true = [t[order] for t in truths]
            if bound == SINGLE and not all(map(fits, [np.array(place.point), *true])):
                continue
            out[order] = max(out[order], judged(answer[order], true, bound), key=SEVERITY.index)
    return out


def fits(x: np.ndarray[Any, Any]) -> bool:
    """Single precision has numbers of this size."""
    sizes = np.abs(x[np.isfinite(x) & (x != 0)])
    return not sizes.size or bool(sizes.max() < 1e37 and sizes.min() > 1e-37)


def judged(answer: Any, truths: Iterable[np.ndarray[Any, Any]], bound: float) -> str:
    if isinstance(answer, dict):
        return NONE if "missing" in answer else ERROR
    got, true = np.array(answer, float).ravel(), np.array([np.ravel(t) for t in truths])
    if got.size != true[0].size:
        return WRONG
    if np.isnan(got).any():
        return NAN
    if not np.isfinite(true).all():
        return RIGHT if (got == true[0]).all() else WRONG
    if not np.isfinite(got).all():
        return WRONG
    size = np.abs(true).max() or 1.0
    return RIGHT if outside(got / size, true / size) <= bound else WRONG


def outside(x: np.ndarray[Any, Any], corners: np.ndarray[Any, Any]) -> float:
    """How far a vector is from the convex hull of some: the largest element of the shortest way there."""
    if len(corners) == 1:
        return float(np.abs(x - corners[0]).max())
    heavy = 1e6  # the weights add up to 1
    a = np.vstack([corners.T, np.full(len(corners), heavy)])
    weights, _ = nnls(a, np.append(x, heavy))
    return float(np.abs(corners.T @ weights - x).max())

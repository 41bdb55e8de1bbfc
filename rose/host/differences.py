"""Derivatives by differences of a function along a line: central and one-sided, extrapolated to step 0 (Richardson)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

ALIKE = 1e-4  # the tolerance of slopes on one side


def central(along: Callable[[float], list[float]], h: float) -> list[float]:
    """The derivative of each number along a line, by central differences from `h` on."""
    rows: list[list[float]] = []
    for k in range(8):
        step = h / 2**k
        rows.append([(a - b) / (2 * step) for a, b in zip(along(step), along(-step), strict=True)])
    return [_limit([row[k] for row in rows], 4.0) for k in range(len(rows[0]))]


def one_sided(along: Callable[[float], float], first: float) -> float:
    """The derivative on one side, that of the sign of `first`, by differences from there on."""
    here, steps = along(0.0), [first / 2**k for k in range(8)]
    return _limit([(along(step) - here) / step for step in steps], 2.0)


def on_one_side(along: Callable[[float], float], sign: float, scale: float) -> float:
    """The derivative on one side, from two sets of steps that agree; nan if they do not."""
    found = list[float]()
    for first in (1e-3, 1e-4, 1e-5):
        found.append(one_sided(along, sign * scale * first))
        if any([between(found[-1], x, x, abs(along(0.0))) for x in found[:-1]]):
            return found[-2]
    return math.nan


def beside(along: Callable[[float], float], scale: float) -> Callable[[float], float]:
    """The function on one side of a jump, that of the sign of `scale`, with its limit at 0."""
    return lambda h: along(h + 1e-12 * scale)


def between(d: float, x: float, y: float, value: float) -> bool:
    """True if a slope lies between two others, as far as differences of a function of some value can tell."""
    room = ALIKE * max(abs(x), abs(y)) + 1e-7 * max(1.0, value)
    return min(x, y) - room <= d <= max(x, y) + room


def approaches(along: Callable[[float], float], d: float, room: float) -> bool:
    """True if differences with tiny steps approach `d`, as far as rounding lets them."""
    noise = 1e-15 * abs(along(0.0))
    return any(noise / h < room and abs((along(h) - along(-h)) / (2 * h) - d) < room for h in (1e-7, 1e-8, 1e-9, 1e-10))


def _limit(column: Sequence[float], power: float) -> float:
    """The limit of a sequence whose items halve the step: Richardson extrapolation, with Ridders' error estimate."""
    best, least, last = column[-1], math.inf, [column[0]]
    for x in column[1:]:
        row, factor = [x], 1.0
        for before in last:
            factor *= power
            row.append(row[-1] + (row[-1] - before) / (factor - 1))
        for j in range(1, len(row)):
            error = max(abs(row[j] - row[j - 1]), abs(row[j] - last[j - 1]))
            if error < least:
                best, least = row[j], error
        last = row
    return best

"""Times of several ways to do the same, taken in turn: the speed of a shared machine changes from second to second."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

Loop = Callable[[int], object]
ROUNDS, REPEATS, SAMPLE = 11, 3, 2e6  # of a round the least of so many samples, of so many nanoseconds


def nanoseconds(loop: Loop, n: int) -> float:
    """Of the thread, for each of n turns."""
    start = time.thread_time_ns()
    loop(n)
    return (time.thread_time_ns() - start) / n


def turns(loop: Any, taken: Callable[[Any, int], float] = nanoseconds) -> int:
    """How many make a sample."""
    n = 1
    while (spent := taken(loop, n) * n) < SAMPLE / 4:
        n *= 4
    return max(1, round(n * SAMPLE / spent))


def rounds(loops: dict[str, Any], taken: Callable[[Any, int], float] = nanoseconds) -> dict[str, list[float]]:
    """Nanoseconds of a turn, of each way, in each round: as `taken` says of so many turns of a loop."""
    counts = {way: turns(loop, taken) for way, loop in loops.items()}
    times: dict[str, list[float]] = {way: [] for way in loops}
    for _ in range(ROUNDS):
        for way, loop in loops.items():
            times[way].append(min([taken(loop, counts[way]) for _ in range(REPEATS)]))
    return times


def ratio(xs: list[float], ys: list[float]) -> float:
    """How much longer one takes: the median of the rounds."""
    return statistics.median([x / y for x, y in zip(xs, ys, strict=True)])

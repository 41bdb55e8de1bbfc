"""The two simulations of the demo site, billiards and the robot: milliseconds of a value, and of value and gradient.

`python -m benchmarks.simulations` calls them from Python, data in and out. What other tools need for the same gradients
was measured before, on a machine like this one, and is named in results/apps.md.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rose

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))
import billiards
import robot

CALLS = 30


def median(call: Callable[[], Any]) -> float:
    """The median of some calls, in milliseconds, after two that are not counted."""
    times: list[float] = []
    for _ in range(CALLS + 2):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1e3 * statistics.median(times[2:])


def row(name: str, loss: rose.Fn[..., Any], args: tuple[Any, ...]) -> str:
    cells: list[float] = []
    for simd in (False, True):
        module = rose.compile({"loss": loss, "both": rose.value_and_grad(loss)}, simd=simd)
        cells += [median(lambda m=module: m.loss(*args)), median(lambda m=module: m.both(*args))]
    return f"| {name} | {' | '.join(f'{x:.2f}' for x in cells)} |"


def main() -> None:
    """Print the table."""
    print("| | value | value and gradient | value, `simd=True` | value and gradient, `simd=True` |")
    print("| --- | --- | --- | --- | --- |")
    shot = billiards.Ball([0.1, 0.5], [0.3, 0.0])
    print(row("billiards, 1,024 steps", billiards.loss, (shot, billiards.BALLS - 1, [0.9, 0.75])), flush=True)
    brain = rose.compile(robot.newborn)(1)
    for steps in (681, 1364):
        print(row(f"robot, {steps:,} steps", robot.ahead_after(steps), (brain, [0.9, 0.2])), flush=True)


if __name__ == "__main__":
    main()

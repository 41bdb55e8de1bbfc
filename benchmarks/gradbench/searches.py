"""GradBench's `saddle` and `particle` in each combination of modes: time of one evaluation, and what it compiles to.

`python -m benchmarks.gradbench.searches`: milliseconds of the thread, the best of several runs of a module that has
this one function, and the bytes and the compile time of that module. A search takes its gradient in forward or reverse
mode, through all turns of what is searched inside.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

import rose

from ..loops import RESULTS, shown

sys.path.append(str(Path(__file__).parents[2] / "examples"))
import particle
import saddle

PROGRAMS: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
    "saddle": (saddle.saddle, [1.0, 1.0]), "particle": (particle.steered, 0.0),
}  # fmt: skip


def best(call: Callable[[], Any], runs: int) -> float:
    """Milliseconds of the thread."""
    times: list[int] = []
    for _ in range(runs):
        start = time.thread_time_ns()
        call()
        times.append(time.thread_time_ns() - start)
    return min(times) / 1e6


def rows() -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for name, (make, at) in PROGRAMS.items():
        for modes, pair in saddle.modes.items():
            build = lambda make=make, pair=pair: rose.compile(make(*pair))
            f = build()
            f(at)
            made.append({
                "program": name, "modes": modes, "ms": best(lambda f=f, at=at: f(at), 30),
                "bytes of wasm": len(f.wasm), "compile ms": best(build, 5),
            })  # fmt: skip
    return made


def main() -> None:
    found = rows()
    Console(width=100).print(shown("saddle and particle, one evaluation", found))
    RESULTS.mkdir(exist_ok=True)
    machine = f"{platform.machine()}, CPython {platform.python_version()}"
    (RESULTS / "gradbench.json").write_text(json.dumps({"machine": machine, "rows": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()

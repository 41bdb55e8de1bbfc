"""The cost of being stoppable: `python -m benchmarks.stops`.

Under wasmtime each loop tests whether it is to stop. Loops with hardly anything in them, and the programs of `masks`,
as they run, and without those tests. Nanoseconds of the thread, the two in turns.
"""

from __future__ import annotations

import gc
import json
import statistics
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import rose
from rose import Real, Vec, build, fn
from wasm_backend.runtime.callables import Export

from .compare import report, timing
from .masks import PROGRAMS, loop, some

RESULTS = Path(__file__).parent / "results" / "stops.json"


@fn
def sum_of_a_vector(x: Vec[100_000]) -> Real:
    return rose.sum(x)


@fn
def sum_of_a_million(x: Real) -> Real:
    return rose.sum(x for _ in rose.range(1_000_000))


@fn
def fibonacci(x: Real) -> Real:
    return rose.scan(lambda i, s: (s[1], (s[0] + s[1]) * 0.5), (x, x), 100_000)[0]


@fn
def halved(x: Real) -> Real:
    return rose.while_loop(lambda s: s > 1e-300, lambda s: s * 0.999, x)


BARE: dict[str, Any] = {f.name.replace("_", " "): f for f in (sum_of_a_vector, sum_of_a_million, fibonacci, halved)}


def programs() -> Iterator[tuple[str, rose.Fn[..., Any], list[Any]]]:
    """A name, the function, and the arguments."""
    for name, f in BARE.items():
        yield name, f, [np.array(some(100_000)) if f is sum_of_a_vector else 1.5]
    for name, make in PROGRAMS.items():
        f, args = make()
        yield name, rose.value_and_grad(f), [np.array(x) for x in args]


def measured(name: str, f: rose.Fn[..., Any], args: list[Any]) -> dict[str, Any]:
    """A row of the table."""
    made = build.lowered({"f": f})
    stops, none = Export(made, "f"), Export(replace(made, stops=()), "f")
    assert stops(*args) is not None and none(*args) is not None  # a module starts at its first call
    times = timing.rounds({"stops": loop(stops, args), "none": loop(none, args)})
    us = {way: statistics.median(ns) / 1e3 for way, ns in times.items()}
    return {"program": name, "us": us, "time": timing.ratio(times["stops"], times["none"])}


def main() -> None:
    gc.disable()
    rows = [measured(*p) for p in programs()]
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    lines = [[r["program"], *map(report.shown, r["us"].values()), report.times(r["time"])] for r in rows]
    lines.append(["geometric mean", "", "", report.times(report.mean([r["time"] for r in rows]))])
    print(report.table(["program", "stops, µs", "none, µs", "time"], lines))


if __name__ == "__main__":
    main()

"""`python -m benchmarks.penrose.ours GRAPH FOLDER`: one graph with ours, in a process of its own.

Prints a line of JSON: answers checked, then times, in milliseconds. The packages that node runs go into the folder.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import rose
from rose.build import no_collector

from .graphs import Graph, Point, read
from .optimise import optimiser
from .programs import functions

BOUND = 1e-9  # of the value, and of the greatest entry of the gradient: how far off an answer may be
POINTS = ("init", "perturbed", "final")
TURNS, SAMPLE = 9, 4e6  # the least of so many, each of about so many nanoseconds
AGAIN = 2  # graphs made anew by code that is warm

Times = dict[str, float]


def timed(do: Callable[[], Any]) -> tuple[Any, Times]:
    """What it gives; and the milliseconds by the clock on the wall, and of the processor, for all threads.

    The cyclic collector is off, as it is while anything is compiled.
    """
    wall, cpu = time.perf_counter(), time.process_time()
    with no_collector():
        found = do()
    return found, {"wall": 1e3 * (time.perf_counter() - wall), "cpu": 1e3 * (time.process_time() - cpu)}


def microseconds(call: Callable[[], Any]) -> Times:
    """Of the processor for a call: the least of turns."""

    def spent(n: int) -> float:
        start = time.thread_time_ns()
        for _ in range(n):
            call()
        return time.thread_time_ns() - start

    n = 1
    while (ns := spent(n)) < SAMPLE / 2:
        n = max(n + 1, min(8 * n, math.ceil(n * SAMPLE / ns)))
    return {"us": min([spent(n) / n / 1e3 for _ in range(TURNS)])}


def off(value: float, gradient: Any, known: Point, instead: dict[int, float]) -> float:
    """How far an answer is from the reference, infinity if one of them alone is nan.

    Where the gradient of the reference is nan, `instead` says what is right; what it does not say does not count.
    """
    slopes = np.array(known.gradient)
    for k, x in instead.items():
        slopes[k] = x
    counts = ~np.isnan(known.gradient)
    counts[list(instead)] = True
    scale = np.max(np.abs(slopes[counts & ~np.isnan(slopes)]), initial=0.0) or 1.0
    worst = max([apart(x, y) / scale for x, y in zip(gradient[counts], slopes[counts], strict=True)], default=0.0)
    return max(float(worst), apart(value, known.phi) / (abs(known.phi) or 1.0))


def apart(x: float, y: float) -> float:
    if math.isnan(x) or math.isnan(y):
        return 0.0 if math.isnan(x) and math.isnan(y) else math.inf
    return 0.0 if x == y else abs(x - y)


def instead(path: Path, name: str, point: str) -> dict[int, float]:
    """The entries of the gradient that are nan in the reference, as `nan_points.json` has them."""
    file = path.with_name("nan_points.json")
    points = json.loads(file.read_text()) if file.exists() else {}
    found = points.get(f"{name}|{point}", {"nan_indices": [], "finite_gradient_at_those_indices": []})
    return dict(zip(found["nan_indices"], map(float, found["finite_gradient_at_those_indices"]), strict=True))


def compiled(path: Path) -> tuple[Graph, Any, Any, dict[str, Times]]:
    """A graph, its value and gradient, the module of that, and what it took."""
    graph = read(path)
    both, build = timed(lambda: functions(graph)["value_and_gradient"])
    module, compiling = timed(lambda: rose.compile({"gradient": both}))
    return graph, both, module, {"build": build, "compile": compiling}


def measured(path: Path, folder: Path) -> dict[str, Any]:
    graph, both, module, found = compiled(path)
    masks = [np.ones(len(x)) for x in (graph.inputs, graph.objectives, graph.constraints)]
    points = {name: (np.array(p.x), p.weight) for name, p in graph.points.items()}
    _, found["first"] = timed(lambda: module(*points["init"], *masks))
    differ = {
        name: off(*module(*at, *masks), graph.points[name], instead(path, graph.name, name))
        for name, at in points.items()
    }
    result: dict[str, Any] = {**found, "off": differ, "bytes": len(module.wasm)}
    if wrong := [name for name, by in differ.items() if not by <= BOUND]:
        return {**result, "error": f"differs from the reference at {', '.join(wrong)}"}
    result |= microseconds(lambda: module(*points["init"], *masks))
    module.save(folder / "gradient", "program", force=True)
    result["optimise"] = searched(graph, both, folder)
    anew = [{**compiled(path)[3], "layout": laid_out(path)} for _ in range(AGAIN)]
    least: Callable[[str], Times] = lambda stage: {k: min([times[stage][k] for times in anew]) for k in ("wall", "cpu")}
    again = {"build_again": least("build"), "compile_again": least("compile"), "layout": least("layout")}
    return {**result, **again}


def searched(graph: Graph, both: Any, folder: Path) -> dict[str, Any]:
    """The whole search for a layout, by one call of a module."""
    module = rose.compile({"optimise": optimiser(both, graph.inputs, graph.stages)})
    start = np.array(graph.inputs)
    found = module(start)
    module.save(folder / "optimise", "program", force=True)
    ended = {k: found[k] for k in ("converged", "weight", "value", "calls", "asked")}
    return {**ended, "cpu": microseconds(lambda: module(start))["us"] / 1e3, "bytes": len(module.wasm)}


def laid_out(path: Path) -> Times:
    """What it takes from a graph to its layout: to the function, to the module, and the search."""
    graph = read(path)

    def search() -> Any:
        both = functions(graph)["value_and_gradient"]
        return rose.compile({"optimise": optimiser(both, graph.inputs, graph.stages)})(np.array(graph.inputs))

    return timed(search)[1]


def begun() -> None:
    """What happens once in a process: the engine is loaded, and a first program is compiled and run."""
    square = rose.fn([rose.Vec[2]], rose.Real)(lambda x: (x[0] + x[1]) ** 2)
    rose.compile(rose.grad(square))([1.0, 2.0])


if __name__ == "__main__":
    begun()
    print(json.dumps(measured(Path(sys.argv[1]), Path(sys.argv[2]))))

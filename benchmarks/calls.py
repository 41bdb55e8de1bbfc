"""What one call costs, beside what it cannot be below; what a batch costs; and what a first call costs.

`python -m benchmarks.calls`, and `python -m benchmarks.calls node [other checkout]` for Node alone, where the packages
of another version are called in the same process. The functions do next to nothing, so that the call is what is timed.
In Python `raw` is the bare call of C with every argument in its place, and in Node the bare export; `by hand` is what a
page would write itself, for that one function: it sets the arguments in a view that it keeps, and takes a slice of it.
Nanoseconds, of the thread in Python and of the process in Node: medians of rounds in Python, in which every function
has its turn, and in Node, whose collector works for all of them, lower quartiles of rounds in which the ways to call
one function do.
"""

from __future__ import annotations

import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import rose
from rose import Real, Vec

from .call_packages import LONG, Line, Point, functions
from .loops import saved, shown
from .stages import in_functions

ROOT = Path(__file__).parents[1]
NODE, PACKAGES = [Path(__file__).with_name(name) for name in ("calls.mjs", "call_packages.py")]
ROUNDS = 31


def python_calls() -> dict[str, Callable[[], Any]]:
    names = "scalars vec10 sum10 vec1000 point line points rows2 any_size any_sum".split()
    fs = functions()
    made = [rose.compile(fs[k], dynamic=k.startswith("any")) for k in names]
    f, g, total, h, point, of_line, points, rows, any_size, any_sum = made
    v, w, out = np.ones(10), np.ones(LONG), np.empty(10)
    few, p, line = [1.0] * 10, Point(1.0, 2.0), Line(1.0, np.ones(10))
    many, pairs = [Point(float(k), -1.0) for k in range(100)], [[float(k), -1.0] for k in range(50)]
    matrix = np.array(pairs)
    return {
        "an empty function": lambda: None,
        "raw": raw(f, 1.0, 2.0),
        "f(x, y)": lambda: f(1.0, 2.0),
        "f(x, y=y)": lambda: f(1.0, y=2.0),
        "f(1, 2), of int": lambda: f(1, 2),
        "vec10(array)": lambda: g(v),
        "vec10(array, out=)": lambda: g(v, out=out),
        "vec10(array, view=True)": lambda: g(v, view=True),
        "sum10(array)": lambda: total(v),
        "vec10(list)": lambda: g(few),
        "vec1000(array)": lambda: h(w),
        "a copy of 1,000 numbers": lambda: w.copy(),
        "point(Point)": lambda: point(p),
        "line(Line)": lambda: of_line(line),
        "100 points": lambda: points(many),
        "50 rows of 2, a list": lambda: rows(pairs),
        "50 rows of 2, an array": lambda: rows(matrix),
        "any size, vec10(array)": lambda: any_size(v),
        "any size, sum(array, x)": lambda: any_sum(v, 1.0),
    }


def raw(f: Any, *args: float) -> Callable[[], Any]:
    """The call of C beneath a call of `f`, and nothing else."""
    running = f.running
    f(*args)
    call, given, *_ = running._module.state(running.signatures[running.__name__], (), _Local())
    return lambda: call(*given)


class _Local:
    state: Any


def timed(calls: dict[str, Callable[[], Any]], count: int = 2_000) -> dict[str, float]:
    """Nanoseconds of each call."""
    found: dict[str, list[float]] = {k: [] for k in calls}
    for _ in range(ROUNDS):
        for k, call in calls.items():
            start = time.thread_time_ns()
            for _ in range(count):
                call()
            found[k].append((time.thread_time_ns() - start) / count)
    return {k: statistics.median(x) for k, x in found.items()}


def node_calls(before: Path | None = None) -> dict[str, dict[str, float]]:
    """Of each function in Node: the bare export, what is written by hand, and ours; also of another checkout."""
    with tempfile.TemporaryDirectory() as folder:
        for k, checkout in enumerate((ROOT, *([before] if before else []))):
            command = [sys.executable, PACKAGES, f"{folder}/{k}"]
            subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(checkout)})
        folders = sorted(map(str, Path(folder).iterdir()))
        said = subprocess.run(["node", NODE, *folders], check=True, capture_output=True, text=True).stdout
    return json.loads(said)


BATCHES: dict[str, tuple[rose.Fn, Callable[[Any], list[Any]]]] = {
    "f(x, y), 1,000,000 times": (
        rose.fn([Real, Real], Real)(lambda x, y: x * y),
        lambda r: [r.normal(size=1_000_000), r.normal(size=1_000_000)],
    ),
    "gradient in 10 numbers, 100,000 times": (
        rose.grad(rose.fn([Vec[10]], Real)(lambda v: rose.sum(v[i] ** 3 for i in rose.range(10)))),
        lambda r: [r.normal(size=(100_000, 10))],
    ),
    "1,000 steps of a simulation, 2,000 times": (
        rose.fn([Real], Real)(lambda x: rose.scan(lambda i, s: s + 0.01 * rose.sin(s), x, 1_000)),
        lambda r: [r.normal(size=2_000)],
    ),
}


def batches(rounds: int = 9) -> list[dict[str, Any]]:
    """Wall time for each element, called one by one and by `map`; and cores in use, with two threads."""
    rows: list[dict[str, Any]] = []
    for name, (made, arguments) in BATCHES.items():
        f, xs = rose.compile(made), arguments(np.random.default_rng(0))
        count, few = len(xs[0]), [x[:2_000] for x in xs]
        ways: dict[str, tuple[int, Callable[[], Any]]] = {
            "one by one": (2_000, lambda f=f, few=few: [f(*x) for x in zip(*few, strict=True)]),
            "map": (count, lambda f=f, xs=xs: f.map(*xs)),
            "threads=2": (count, lambda f=f, xs=xs: f.map(*xs, threads=2)),
        }
        found: dict[str, list[tuple[float, float]]] = {k: [] for k in ways}
        for _ in range(rounds):
            for k, (n, call) in ways.items():
                start, used = time.perf_counter_ns(), time.process_time_ns()
                call()
                wall = time.perf_counter_ns() - start
                found[k].append((wall / n, (time.process_time_ns() - used) / wall))
        medians = {f"{k}, ns": statistics.median([x for x, _ in pairs]) for k, pairs in found.items()}
        rows.append({"batch": name, **medians, "cores": statistics.median([x for _, x in found["threads=2"]])})
    return rows


FIRST = """
import pickle, sys, time
module = pickle.load(open(sys.argv[1], "rb"))
start = time.perf_counter()
module(0.5, 0.25)
print((time.perf_counter() - start) * 1e3)
"""


def first_calls() -> list[dict[str, Any]]:
    """Milliseconds of the first call of a module in a new process, by what the cache of engine code has."""
    rows: list[dict[str, Any]] = []
    for operations in (1_000, 10_000, 40_000):
        module = rose.compile(rose.value_and_grad(in_functions(operations), (0, 1)))
        row: dict[str, Any] = {"bytes": len(module.wasm), "off": [], "not there yet": [], "there": []}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "module").write_bytes(pickle.dumps(module))
            for k in range(5):
                for way, at in (("off", ""), ("not there yet", f"{folder}/{k}"), ("there", f"{folder}/{k}")):
                    run = [sys.executable, "-c", FIRST, f"{folder}/module"]
                    env = os.environ | {"ROSE_CACHE": at}
                    said = subprocess.run(run, check=True, capture_output=True, text=True, env=env)
                    row[way].append(float(said.stdout))
        rows.append({k: statistics.median(x) if isinstance(x, list) else x for k, x in row.items()})
    return rows


def main() -> None:
    console, before = Console(width=110), Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    if sys.argv[1:2] == ["node"]:
        rows = [{"call": k, "by hand": "", "ours": "", **x} for k, x in node_calls(before).items()]
        return console.print(shown("Node", rows))
    python, node = timed(python_calls()), node_calls()
    console.print(shown("Python", [{"call": k, "ns": x} for k, x in python.items()]))
    console.print(shown("Node", [{"call": k, "by hand": "", **x} for k, x in node.items()]))
    many, first = batches(), first_calls()
    console.print(shown("batches, for each element", many))
    console.print(shown("the first call of a module, milliseconds", first))
    saved("calls", {"python, ns": python, "node, ns": node, "batches": many, "first calls, ms": first})


if __name__ == "__main__":
    main()

"""From Python to bytes, by stage: programs of any number of operations, and the time of each stage of one.

It needs the standard library alone, so that it runs in Pyodide too: see `pyodide.py`.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable

import rose
from rose import Real, build
from rose.autodiff.jvp import jvp
from rose.optimise.pipeline import optimised
from wasm_backend.lower import lower

OURS = ("trace", "forward", "reverse", "optimise", "emit")

clock: Callable[[], int] = getattr(time, "thread_time_ns", time.perf_counter_ns)  # Pyodide has one thread


def straight(n: int) -> rose.Fn:
    """`n` operations, one after the other, in one function."""

    def body(x, y):
        for _ in range(n // 4):
            x = x * y + 0.5
            y = x - y * 0.25
        return x + y

    return rose.fn([Real, Real], Real)(body)


def in_functions(n: int) -> rose.Fn:
    """`n` operations, in functions of 10 that call each other in a row: each is another function."""

    def piece(k: int) -> rose.Fn:
        def body(x, y):
            for _ in range(2):
                x = x * y + 0.5 + k
                y = x - y * 0.25
            return x, y

        return rose.fn([Real, Real], tuple[Real, Real])(body)

    pieces = [piece(k) for k in range(n // 10)]

    def body(x, y):
        for f in pieces:
            x, y = f(x, y)
        return x + y

    return rose.fn([Real, Real], Real)(body)


def stages(make: Callable[[int], rose.Fn], n: int) -> tuple[dict[str, float], bytes]:
    """Microseconds per operation of each stage; and the module."""
    f = make(n)
    marks = [clock()]
    with build.no_collector():
        func = f.func
        marks.append(clock())
        jvp(func, (True, True))
        marks.append(clock())
        g = rose.value_and_grad(f, (0, 1)).func
        marks.append(clock())
        funcs = optimised({"g": g})
        marks.append(clock())
        wasm = lower(funcs).wasm
        marks.append(clock())
    return {s: (b - a) / 1000 / n for s, a, b in zip(OURS, marks, marks[1:], strict=False)}, wasm


def medians(make: Callable[[int], rose.Fn], n: int, runs: int) -> dict[str, float]:
    """The median of each stage in so many runs, each with a program of its own."""
    gc.collect()
    rows = [stages(make, n)[0] for _ in range(runs)]
    return {s: statistics.median(row[s] for row in rows) for s in OURS}


PROGRAMS = (straight, in_functions)


def main() -> None:
    """The medians of both programs at each of the sizes that are given, as JSON."""
    sizes = [int(n) for n in sys.argv[1:]]
    for make in PROGRAMS:
        stages(make, sizes[0])  # what is done once: the library of mathematics, tables
    rows = [{"program": f.__name__, "operations": n, **medians(f, n, 5)} for f in PROGRAMS for n in sizes]
    print(json.dumps({"python": sys.version.split()[0], "rows": rows}))


if __name__ == "__main__":
    main()

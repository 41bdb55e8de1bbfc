"""How long it takes from Python to a compiled gradient, by stage, and what one call of it costs.

For programs of 100 to 100,000 operations, in one straight line and in functions of 10 operations, the time
of each stage in microseconds per traced operation: of the thread, median of several runs, the cyclic
collector off as it is while compiling. Then the time of one call of a function of two numbers, beside
wasmtime's own `Func.__call__` on the same module in the same run.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable

import wasmtime
from rich.console import Console
from rich.table import Table

import rose
from rose import Real

from .loops import saved
from .stages import OURS, PROGRAMS, stages

STAGES = (*OURS, "engine")


def with_engine(make: Callable[[int], rose.Fn], n: int) -> dict[str, float]:
    """Microseconds per operation of each stage, and bytes per operation."""
    spent, wasm = stages(make, n)
    config = wasmtime.Config()
    config.parallel_compilation = False
    engine = wasmtime.Engine(config)
    start = time.thread_time_ns()
    wasmtime.Module(engine, wasm)
    return {**spent, "engine": (time.thread_time_ns() - start) / 1000 / n, "bytes": len(wasm) / n}


def one_call() -> dict[str, float]:
    """Nanoseconds of one call of a function of two numbers, ours and wasmtime's."""
    f = rose.compile(rose.fn([Real, Real], Real)(lambda x, y: x * y))
    f(1.0, 2.0)
    store = wasmtime.Store()
    export = wasmtime.Instance(store, wasmtime.Module(store.engine, f.wasm), []).exports(store)[f.__name__]

    def per_call(call: Callable[[], object], count: int) -> float:
        times: list[float] = []
        for _ in range(15):
            start = time.thread_time_ns()
            for _ in range(count):
                call()
            times.append((time.thread_time_ns() - start) / count)
        return statistics.median(times)

    return {
        "rose": per_call(lambda: f(1.0, 2.0), 20_000),
        "wasmtime Func.__call__": per_call(lambda: export(store, 1.0, 2.0), 1_000),
        "an empty function": per_call(lambda: None, 20_000),
    }


def main() -> None:
    console = Console(width=110)
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rows: list[dict[str, object]] = []
    table = Table(title="value and gradient, microseconds per traced operation", title_justify="left", box=None)
    for heading in ("program", "operations", *STAGES, "ours", "bytes/op"):
        table.add_column(heading, justify="left" if heading == "program" else "right")
    for make in PROGRAMS:
        for n in (100, 1_000, 10_000, 100_000):
            if n > largest:
                continue
            gc.collect()
            runs = [with_engine(make, n) for _ in range(7 if n <= 10_000 else 3)]
            row = {k: statistics.median(r[k] for r in runs) for k in runs[0]}
            ours = sum(row[s] for s in STAGES[:-1])
            rows.append({"program": make.__name__, "operations": n, **row, "ours": ours})
            shown = [f"{row[s]:.2f}" for s in STAGES]
            table.add_row(make.__name__, f"{n:,}", *shown, f"{ours:.2f}", f"{row['bytes']:.1f}")
    calls = one_call()
    console.print(table)
    console.print("\none call, nanoseconds: " + ", ".join(f"{k} {v:,.0f}" for k, v in calls.items()))
    saved("latency", {"stages": rows, "call_ns": calls})


if __name__ == "__main__":
    main()

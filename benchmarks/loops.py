"""Loops that carry a state: what they cost, and what checkpoints save.

`python -m benchmarks.loops`: the size of a module and the time to compile it against the number of iterations; the
time of one, of the value and of the value with its gradient; the bytes that it leaves for the derivative; and for a
pendulum of 100,000 steps, memory against time for each way to keep less. Times are of the thread, the best of several
runs.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import wasmtime
from rich.console import Console
from rich.table import Table

import rose
from rose import Real
from rose.ir import Func
from rose.optimise.pipeline import optimised
from wasm_backend.lower import lower

RESULTS = Path(__file__).parent / "results"
AT = (0.5, 0.1)
STEPS = 100_000


def pendulum(n: int, **schedule: Any) -> rose.Fn:
    """The angle after `n` steps, from an angle and a speed."""
    h = 10.0 / n

    def step(state):
        speed = state[1] - h * 9.81 * rose.sin(state[0])
        return state[0] + h * speed, speed

    return rose.fn([Real, Real], Real)(lambda x, v: rose.scan(lambda i, s: step(s), (x, v), n, **schedule)[0])


def pendulum_by_while(n: int) -> rose.Fn:
    """The same, in a loop of unknown length."""
    h = 10.0 / n

    def iteration(state):
        speed = state[1] - h * 9.81 * rose.sin(state[0])
        return state[0] + h * speed, speed, state[2] + 1.0

    def angle(x, v):
        return rose.while_loop(lambda s: s[2] < n, iteration, (x, v, 0.0))[0]

    return rose.fn([Real, Real], Real)(angle)


def summed(n: int) -> rose.Fn:
    """A sum over a range, whose iterations carry nothing."""
    return rose.fn([Real, Real], Real)(lambda x, v: rose.sum(rose.sin(x * i + v) for i in rose.range(n)))


class Running:
    """A module in an instance of its own, whose memory can be seen."""

    def __init__(self, f: Func) -> None:
        start = time.thread_time_ns()
        self.wasm = lower(optimised({"f": f})).wasm
        self.compiling = (time.thread_time_ns() - start) / 1e6
        self.store = wasmtime.Store()
        exports = wasmtime.Instance(self.store, wasmtime.Module(self.store.engine, self.wasm), []).exports(self.store)
        f_, memory = exports["f"], exports["memory"]
        assert isinstance(f_, wasmtime.Func) and isinstance(memory, wasmtime.Memory)
        self.call, self.memory = f_, memory

    def seconds(self, runs: int = 5) -> float:
        times: list[int] = []
        for _ in range(runs):
            start = time.thread_time_ns()
            self.call(self.store, *AT)
            times.append(time.thread_time_ns() - start)
        return min(times) / 1e9

    def bytes(self) -> int:
        return self.memory.data_len(self.store)


def of(make: Callable[[], rose.Fn]) -> tuple[Running, Running]:
    """The value; and the value with its gradient, with the milliseconds that it took to trace and derive."""
    value = Running(make().func)
    start = time.thread_time_ns()
    f = make()
    func = rose.value_and_grad(f, (0, 1)).func
    spent = (time.thread_time_ns() - start) / 1e6
    both = Running(func)
    both.compiling += spent
    return value, both


def by_iterations(make: Callable[[int], rose.Fn], sizes: Sequence[int]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for n in sizes:
        value, both = of(lambda n=n: make(n))
        of_value, of_both = value.seconds(), both.seconds()
        rows.append({
            "program": make.__name__, "iterations": n, "bytes of wasm": len(both.wasm), "compile ms": both.compiling,
            "value ns": of_value / n * 1e9, "both ns": of_both / n * 1e9,
            "tape bytes": (both.bytes() - value.bytes()) / n,
        })  # fmt: skip
    return rows


SCHEDULES: list[dict[str, Any]] = [
    {}, {"checkpoint": "sqrt"}, *[{"checkpoint": "binomial", "snapshots": k} for k in (200, 100, 50, 20, 10, 5)],
    {"checkpoint": "binomial"},
]  # fmt: skip


def checkpoints() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for schedule in SCHEDULES:
        value, both = of(lambda schedule=schedule: pendulum(STEPS, **schedule))
        ms = both.seconds(3) * 1e3
        name = " ".join([str(x) for x in schedule.values()]) or "none"
        rows.append({
            "checkpoint": name, "memory kB": both.bytes() / 1e3, "ms": ms, "of the value": ms / value.seconds(3) / 1e3,
            "bytes of wasm": len(both.wasm), "compile ms": both.compiling,
        })  # fmt: skip
    return rows


def shown(title: str, rows: list[dict[str, Any]]) -> Table:
    table = Table(title=title, title_justify="left", box=None)
    for heading in rows[0]:
        table.add_column(heading, justify="left" if isinstance(rows[0][heading], str) else "right")
    for row in rows:
        table.add_row(
            *[f"{x:,.1f}" if isinstance(x, float) else f"{x:,}" if x.__class__ is int else x for x in row.values()]
        )
    return table


def saved(name: str, found: dict[str, Any]) -> None:
    """Write figures into `results`, with the machine that they are of."""
    RESULTS.mkdir(exist_ok=True)
    machine = f"{platform.machine()}, CPython {platform.python_version()}"
    (RESULTS / f"{name}.json").write_text(json.dumps({"machine": machine, **found}, indent=1) + "\n")


def main() -> None:
    console = Console(width=120)
    iterations = [
        *by_iterations(pendulum, (10_000, 100_000, 1_000_000)),
        *by_iterations(pendulum_by_while, (10_000, 100_000, 1_000_000)),
        *by_iterations(summed, (10_000, 100_000, 1_000_000)),
    ]
    console.print(shown("value and gradient, per iteration", iterations))
    kept = checkpoints()
    console.print(shown(f"value and gradient of {STEPS:,} iterations", kept))
    saved("loops", {"iterations": iterations, "checkpoints": kept})


if __name__ == "__main__":
    main()

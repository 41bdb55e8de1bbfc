"""What each pass of the optimiser brings: `python -m benchmarks.passes`.

For each program, its value and gradient are compiled with all passes, and then with each pass, and each rule of the
rewriter, left out in turn: executed instructions (the fuel that wasmtime counts, which is the same in each run), bytes
of the modules, milliseconds in the optimiser, and the time of a call (thread CPU time, median, the two in turns). With
`counts` as an argument no call is timed.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import wasmtime
from rich.console import Console
from rich.table import Table

import rose
import wasm_backend.lower
from rose import Real, Vec, build, fn
from rose.optimise.pipeline import NAMES, Instruments, optimised
from wasm_backend.runtime import instances

from .compare import programs as comparison
from .gradbench import programs as gradbench
from .gradbench.evals import gmm, kmeans, lstm
from .gradbench.evals.ba import example as bundle
from .gradbench.evals.ht import example as tracking
from .loops import saved
from .optimiser import PROGRAMS, numbers

FUEL = 10**15
ROWS = 21
LEAST = 0.02  # of the instructions, or the bytes, of one program: a pass that brings less on each has no reason to be
Prepare = Callable[[], Callable[[], Any]]  # compiles, and gives what calls
sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))


def of_gradient(f: rose.Fn, argnums: Any, args: Sequence[Any]) -> Prepare:
    g = rose.value_and_grad(f, argnums)

    def prepare() -> Callable[[], Any]:
        module = rose.compile(g)
        return lambda: module(*args)

    return prepare


def condition(n: int = 1000) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A sum whose terms depend on a condition."""

    def term(x: Any) -> Any:
        return rose.cond(x > 0.0, lambda: x * x, lambda: -0.5 * x)

    return fn([Vec[n]], Real)(lambda x: rose.sum(term(x[i]) for i in rose.range(n))), 0, (numbers(n),)


def columns(n: int = 100) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A matrix is read by columns."""

    def f(m: Any, x: Any) -> Any:
        return rose.sum(rose.sum(m[i][j] * x[i] for i in rose.range(n)) ** 2 for j in rose.range(n))

    return fn([Vec[n, Vec[n]], Vec[n]], Real)(f), (0, 1), (numbers(n, n), numbers(n))


def robot(steps: int = 64) -> tuple[rose.Fn, Any, Sequence[Any]]:
    import robot as example

    return example.ahead_after(steps), 0, (rose.compile(example.newborn)(1), [0.9, 0.2])


def billiards(steps: int = 64) -> tuple[rose.Fn, Any, Sequence[Any]]:
    import billiards as example

    return example.loss_after(steps), 0, (example.Ball([0.1, 0.5], [0.3, 0.0]), example.BALLS - 1, [0.9, 0.75])


def compared() -> Iterator[tuple[str, Prepare]]:
    """Programs of the comparison, whose parameters are vectors."""
    wanted = {"springs 500": "loop", "bodies 100": "pairs", "Rosenbrock 1000": "unrolled", "terms 1000": "calls"}
    for p in comparison.programs():
        if p.name in wanted:
            f = p.forms[wanted[p.name]]
            yield f"{p.name}, {wanted[p.name]}", of_gradient(f, 0, [_shaped(t, iter(p.params)) for t in f.types])


def _shaped(t: Any, xs: Iterator[float]) -> Any:
    return [_shaped(t.elem, xs) for _ in range(t.size)] if hasattr(t, "elem") else next(xs)


def of_gradbench() -> Iterator[tuple[str, Prepare]]:
    made = {
        "ba": bundle(3, 5, 8), "det": {"A": [7.0 * k % 11 for k in range(49)], "ell": 7},
        "gmm": gmm.made(50, 4, 3, 2, 0.5), "ht": tracking(10, "small"), "kmeans": kmeans.made(30, 10, 2),
        "llsq": {"x": [0.3, -1.2, 0.7, 0.1], "n": 99}, "lse": {"x": [0.1 * k % 0.7 for k in range(50)]},
        "lstm": lstm.made(2, 15, 3), "ode": {"x": [0.9, 0.7, 1.1, 0.4], "s": 7},
    }  # fmt: skip
    for name, given in made.items():
        yield f"GradBench {name}", functools.partial(_prepared, name, json.loads(json.dumps(given)))


def _prepared(name: str, given: Any) -> Callable[[], Any]:
    """All functions of an eval, compiled anew."""
    functions = gradbench.functions(name) or {}
    for x in vars(sys.modules[f"{gradbench.__name__}.{name}"]).values():
        if hasattr(x, "cache_clear"):
            x.cache_clear()
    jobs = [prepare(given) for prepare in functions.values()]
    return lambda: [job.run() for job in jobs]


def programs() -> dict[str, Prepare]:
    made = {**PROGRAMS, "a condition in a sum": condition, "a matrix by columns": columns, "robot, 64 steps": robot,
            "billiards, 64 steps": billiards}  # fmt: skip
    return {**{name: of_gradient(*make()) for name, make in made.items()}, **dict(compared()), **dict(of_gradbench())}


# measuring


@contextlib.contextmanager
def compiling(asked: Instruments) -> Iterator[list[bytes]]:
    """Inside, modules are compiled as is asked: their bytes."""
    found: list[bytes] = []
    lower = wasm_backend.lower.lower

    def noting(*args: Any, **options: Any) -> Any:
        made = lower(*args, **options)
        found.append(made.wasm)
        return made

    wasm_backend.lower.lower, build.optimised = noting, functools.partial(optimised, asked=asked)  # pyright: ignore
    try:
        yield found
    finally:
        wasm_backend.lower.lower, build.optimised = lower, optimised


@contextlib.contextmanager
def counting() -> Iterator[Callable[[], int]]:
    """Inside, modules count the instructions that they execute: all so far."""
    stores: list[wasmtime.Store] = []
    store, engine, config = wasmtime.Store, instances._engine, wasmtime.Config()
    config.consume_fuel = True
    counts = wasmtime.Engine(config)

    class Counting(store):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            self.set_fuel(FUEL)
            stores.append(self)

    wasmtime.Store, instances._engine = Counting, lambda _: counts  # pyright: ignore
    try:
        yield lambda: sum([FUEL - s.get_fuel() for s in stores])
    finally:
        wasmtime.Store, instances._engine = store, engine


def counted(prepare: Prepare, *without: str) -> dict[str, Any]:
    """Instructions, bytes, and milliseconds of the optimiser."""
    asked = Instruments(without)
    with counting() as total, compiling(asked) as modules:
        run = prepare()
        run()  # a module starts at its first call
        before = total()
        run()
        return {
            "instructions": total() - before,
            "bytes": sum(map(len, modules)),
            "optimiser ms": 1000 * sum(asked.seconds.values()),
        }


def timed(prepare: Prepare, without: str) -> float:
    """The time of a call without a pass, as a multiple of the time with all."""
    runs: list[Callable[[], Any]] = []
    for names in ((), (without,)):
        with compiling(Instruments(names)):
            runs.append(prepare())
    calls = max(1, int(2e6 / max(_ns(runs[0], 3), 1)))
    return statistics.median([_ns(runs[1], calls) / _ns(runs[0], calls) for _ in range(ROWS)])


def _ns(run: Callable[[], Any], calls: int) -> float:
    start = time.thread_time_ns()
    for _ in range(calls):
        run()
    return (time.thread_time_ns() - start) / calls


def measured(prepare: Prepare, *, times: bool) -> dict[str, Any]:
    """With all passes; and for each pass, what its absence multiplies."""
    whole = counted(prepare)
    found: dict[str, Any] = {"": whole}
    for name in NAMES:
        one = counted(prepare, name)
        found[name] = {k: one[k] / whole[k] for k in ("instructions", "bytes", "optimiser ms")}
        if times and found[name]["instructions"] != 1.0:
            found[name]["time"] = timed(prepare, name)
    return found


# the table


def most(found: Mapping[str, Any], name: str, kind: str) -> tuple[float, str]:
    """The most that a pass brings, and where."""
    return max([(of[name].get(kind, 1.0), program) for program, of in found.items()])


def table(found: Mapping[str, Any]) -> Table:
    out = Table(title="without the pass, in multiples: the most, and the programs that it changes", box=None)
    for heading in ("pass", "instructions", "of", "time", "bytes", "changes", "optimiser"):
        out.add_column(heading, justify="left" if heading in ("pass", "of") else "right")
    for name in NAMES:
        (count, program), (size, _), (slow, _) = [most(found, name, k) for k in ("instructions", "bytes", "time")]
        changed = sum([of[name]["bytes"] != 1.0 or of[name]["instructions"] != 1.0 for of in found.values()])
        spent = statistics.geometric_mean([of[name]["optimiser ms"] for of in found.values()])
        few = max(count, size) < 1 + LEAST
        cells = f"{count:.3f}", program, f"{slow:.2f}", f"{size:.3f}", f"{changed} of {len(found)}", f"{spent:.2f}"
        out.add_row(f"{name} (!)" if few else name, *cells)
    return out


def main(*args: str) -> None:
    os.environ["ROSE_CACHE"] = ""
    random.seed(1)
    gc.disable()
    found: dict[str, Any] = {}
    for name, prepare in programs().items():
        found[name] = measured(prepare, times="counts" not in args)
        print(name, found[name][""], file=sys.stderr, flush=True)
        gc.collect()
    Console(width=120).print(table(found))
    saved("passes", {"programs": found})


if __name__ == "__main__":
    main(*sys.argv[1:])

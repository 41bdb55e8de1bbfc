"""The cost of masks: `python -m benchmarks.masks`.

Twelve programs with something that may be infinite behind a condition, in forms in which people write them. The value
and gradient of each is compiled as it is, and with no masks in reverse mode, where a branch that is not taken gives nan
whenever it holds an infinity. Nanoseconds of the thread, the two in turns, and executed instructions.
"""

from __future__ import annotations

import gc
import json
import pickle
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import rose
from rose import Real, Vec, fn
from rose.autodiff import transpose
from rose.autodiff.select_masks import Masks

from .compare import report, timing
from .passes import counting

RESULTS = Path(__file__).parent / "results" / "masks.json"
N = 1000
PROGRAMS: dict[str, Callable[[], tuple[rose.Fn, Sequence[Any]]]] = {}


def program(make: Callable[[], tuple[rose.Fn, Sequence[Any]]]) -> Any:
    PROGRAMS[make.__name__.replace("_", " ")] = make
    return make


def some(*sizes: int) -> Any:
    """Normal numbers, of the same seed each time."""
    r = random.Random(sum(sizes))
    made: Callable[[Sequence[int]], Any] = lambda k: [made(k[1:]) for _ in range(k[0])] if k else r.gauss(0.0, 1.0)
    return made(sizes)


@program
def guarded_root() -> Any:
    @fn
    def f(x: Vec[N]) -> Real:
        return rose.sum(rose.select(x[i] > 0.0, rose.sqrt(x[i]), 0.0) for i in rose.range(N))

    return f, [some(N)]


@program
def guarded_logarithm() -> Any:
    @fn
    def f(p: Vec[N], q: Vec[N]) -> Real:
        return rose.sum(rose.select(p[i] > 0.0, p[i] * rose.log(p[i] / q[i]), 0.0) for i in rose.range(N))

    return f, [[abs(x) for x in some(N)], [abs(x) + 0.1 for x in some(N)]]


@program
def forces_with_a_cutoff() -> Any:
    @fn
    def f(x: Vec[60, Vec[3]]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(60):
            for j in rose.range(60):
                r2 = rose.sum((x[i][k] - x[j][k]) ** 2 for k in rose.range(3))
                near = (r2 > 0.0) & (r2 < 4.0)
                total += rose.select(near, r2**-6 - r2**-3, 0.0)
        return total.value

    return f, [some(60, 3)]


@program
def hits_of_rays() -> Any:
    @fn
    def f(c: Vec[3], rays: Vec[N, Vec[3]]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(N):
            d = rays[i]
            b = rose.dot(c, d)
            under = b * b - rose.dot(d, d) * (rose.dot(c, c) - 1.0)
            total += rose.select(under > 0.0, (b - rose.sqrt(under)) / rose.dot(d, d), 10.0)
        return total.value

    return f, [[0.1, 0.2, 3.0], [[x / 4, y / 4, 1.0] for x, y, _ in some(N, 3)]]


@program
def row_scaled_if_it_can_be() -> Any:
    @fn
    def f(x: Vec[100, Vec[8]]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(100):
            n = rose.norm(x[i])
            unit = rose.vec(x[i][k] / n for k in rose.range(8))
            total += rose.sum(rose.select(n > 0.5, unit[k], 0.0) * (k + 1) for k in rose.range(8))
        return total.value

    return f, [some(100, 8)]


@program
def vector_behind_a_condition() -> Any:
    @fn
    def f(x: Vec[100]) -> Real:
        logs = rose.vec(rose.log(x[i]) for i in rose.range(100))
        return rose.sum(rose.select(x[i] > 0.0, logs[i] * logs[(i + 1) % 100], x[i]) for i in rose.range(100))

    return f, [[abs(x) for x in some(100)]]


@program
def state_behind_a_condition() -> Any:
    @fn
    def f(x: Vec[N]) -> Real:
        def step(i: Any, s: Any) -> Any:
            return rose.select(x[i] > 0.0, s * 0.5 + rose.sqrt(x[i]), s)

        return rose.scan(step, 1.0, N)

    return f, [some(N)]


@program
def hinge() -> Any:
    @fn
    def f(w: Vec[10], x: Vec[100, Vec[10]]) -> Real:
        return rose.sum(rose.max(0.0, 1.0 - rose.dot(w, x[i])) ** 2 for i in rose.range(100))

    return f, [some(10), some(100, 10)]


@program
def huber() -> Any:
    @fn
    def f(a: Vec[2], x: Vec[N], y: Vec[N]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(N):
            r = rose.abs(a[0] + a[1] * x[i] - y[i])
            total += rose.select(r < 1.0, 0.5 * r * r, r - 0.5)
        return total.value

    return f, [some(2), some(N), some(N)[::-1]]


@program
def network_of_relus() -> Any:
    @fn
    def f(a: Vec[32, Vec[16]], b: Vec[32], x: Vec[16]) -> Real:
        h = rose.vec(rose.relu(rose.dot(a[i], x)) for i in rose.range(32))
        return rose.log(1.0 + rose.dot(h, b) ** 2)

    return f, [some(32, 16), some(32), some(16)]


@program
def entropy_of_rows() -> Any:
    @fn
    def f(x: Vec[50, Vec[20]]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(50):
            z = rose.sum(rose.exp(x[i][k]) for k in rose.range(20))
            for k in rose.range(20):
                p = rose.exp(x[i][k]) / z
                total += rose.cond(p > 0.01, lambda p=p: -p * rose.log(p), lambda: 0.0)
        return total.value

    return f, [some(50, 20)]


@program
def helper_with_a_condition() -> Any:
    @fn
    def arc(x: Real) -> Real:
        return rose.select(rose.abs(x) < 1.0, rose.acos(x) * rose.sqrt(1.0 - x * x), 0.0)

    @fn
    def f(x: Vec[N]) -> Real:
        return rose.sum(arc(x[i]) / (1.0 + arc(x[i] * 0.5)) for i in rose.range(N))

    return f, [some(N)]


@contextmanager
def no_masks() -> Iterator[None]:
    """Inside, reverse mode masks nothing."""
    known, transpose.masks_of = transpose.masks_of, lambda *_, **__: Masks()
    try:
        yield
    finally:
        transpose.masks_of = known


def measured(name: str) -> dict[str, Any]:
    """A row of the table; what is compiled without masks is made of a function of its own."""
    f, given = PROGRAMS[name]()
    args = [np.array(x) for x in given]  # which are copied at once
    masked = rose.compile(rose.value_and_grad(f))
    with no_masks():
        bare = rose.compile(rose.value_and_grad(PROGRAMS[name]()[0]))
    times = timing.rounds({way: loop(module, args) for way, module in {"masks": masked, "none": bare}.items()})
    counts = [executed(module, args) for module in (masked, bare)]
    us = {way: statistics.median(ns) / 1e3 for way, ns in times.items()}
    return {"program": name, "us": us, "time": timing.ratio(times["masks"], times["none"]), "instructions": counts}


def executed(module: Any, args: Sequence[Any]) -> int:
    """The instructions of a call, by the fuel of wasmtime."""
    with counting() as total:
        again = pickle.loads(pickle.dumps(module))
        again(*args)  # a module starts at its first call
        before = total()
        again(*args)
        return total() - before


def loop(module: Any, args: Sequence[Any]) -> timing.Loop:
    def loop(n: int) -> None:
        for _ in range(n):
            module(*args)

    return loop


def main() -> None:
    gc.disable()
    rows = [measured(name) for name in PROGRAMS]
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    lines = [
        [r["program"], *[report.shown(r["us"][way]) for way in ("masks", "none")], report.times(r["time"]),
         report.times(r["instructions"][0] / r["instructions"][1])]
        for r in rows
    ]  # fmt: skip
    means = [
        report.mean([r["time"] for r in rows]),
        report.mean([r["instructions"][0] / r["instructions"][1] for r in rows]),
    ]
    lines.append(["geometric mean", "", "", *map(report.times, means)])
    print(report.table(["program", "masks, µs", "none, µs", "time", "instructions"], lines))


if __name__ == "__main__":
    main()

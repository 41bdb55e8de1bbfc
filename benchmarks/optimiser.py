"""What the passes after differentiation save: `python -m benchmarks.optimiser`.

For each program, the value and the gradient, as derived and as optimised, in one run: nanoseconds inside of the
module (thread CPU time of one raw call, median of several rows of calls, the two in turns), the bytes of the module,
and whether both gave the same bits.
"""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import rose
from rose import Real, Vec, fn
from rose.optimise.pipeline import optimise, optimised
from wasm_backend.lower import lower
from wasm_backend.runtime.callables import Compiled

from .loops import saved

ROWS = 31


def numbers(*shape: int) -> Any:
    return np.random.default_rng(1).uniform(-1.0, 1.0, shape)


def least_squares(rows: int = 1000, columns: int = 10) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """The data are parameters."""

    @fn([Vec[columns], Vec[rows, Vec[columns]], Vec[rows]], Real)
    def loss(w, X, y):
        def residual(i):
            return rose.sum(X[i][j] * w[j] for j in rose.range(columns)) - y[i]

        return rose.sum(residual(i) ** 2 for i in rose.range(rows))

    return loss, 0, (numbers(columns), numbers(rows, columns), numbers(rows))


def rosenbrock(n: int = 1000) -> tuple[rose.Fn, Any, Sequence[Any]]:
    @fn([Vec[n]], Real)
    def f(x):
        i = rose.range(n - 1)
        return rose.sum(100.0 * (x[k + 1] - x[k] * x[k]) ** 2 + (1.0 - x[k]) ** 2 for k in i)

    return f, 0, (numbers(n),)


def layers(samples: int = 32, hidden: int = 16) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """2-16-16-1, with tanh."""
    h = hidden
    W1, W2 = Vec[h, Vec[2]], Vec[h, Vec[h]]

    @fn([W1, Vec[h], W2, Vec[h], Vec[h], Vec[samples, Vec[2]], Vec[samples]], Real)
    def loss(w1, b1, w2, b2, w3, xs, ys):
        def dense(w, b, x, n):
            return rose.vec(rose.tanh(rose.sum(w[j][k] * x[k] for k in rose.range(n)) + b[j]) for j in rose.range(h))

        def one(s):
            x = dense(w2, b2, dense(w1, b1, xs[s], 2), h)
            return (rose.sum(w3[j] * x[j] for j in rose.range(h)) - ys[s]) ** 2

        return rose.sum(one(s) for s in rose.range(samples))

    args = (numbers(h, 2), numbers(h), numbers(h, h), numbers(h), numbers(h), numbers(samples, 2), numbers(samples))
    return loss, (0, 1, 2, 3, 4), args


def oscillator(n: int = 10_000) -> tuple[rose.Fn, Any, Sequence[Any]]:
    h = 10.0 / n

    @fn([Real, Real, Real], Real)
    def f(x, v, k):
        return rose.scan(lambda i, s: (s[0] + h * s[1], s[1] - h * (k * s[0] + 0.1 * s[1])), (x, v), n)[0]

    return f, (0, 1, 2), (1.0, 0.0, 2.0)


def many(n: int = 1000) -> tuple[rose.Fn, Any, Sequence[Any]]:
    """A sum of small functions, each of its own."""

    def one(c: float) -> rose.Fn:
        return fn([Real, Real], Real)(lambda x, y: (x - c) * (x - c) + c * x * y)

    random.seed(1)
    parts = [one(random.random()) for _ in range(n)]
    return fn([Real, Real], Real)(lambda x, y: sum([g(x, y) for g in parts[1:]], parts[0](x, y))), (0, 1), (0.3, 0.7)


PROGRAMS: dict[str, Callable[[], tuple[rose.Fn, Any, Sequence[Any]]]] = {
    "least squares, 1000 x 10": least_squares,
    "Rosenbrock, 1000": rosenbrock,
    "MLP 2-16-16-1, 32 samples": layers,
    "oscillator, 10,000 steps": oscillator,
    "sum of 1000 functions": many,
}  # fmt: skip


class Running:
    """A module with its arguments in place, to be called again and again."""

    def __init__(self, funcs: dict[str, Any], args: Sequence[Any]) -> None:
        lowered = lower(funcs)
        self.bytes = len(lowered.wasm)
        self.module = Compiled(lowered, "g")
        y = self.module(*args)
        self.answer = [np.asarray(x).tobytes() for x in _parts(y)]
        self.call, self.args = self.module._module._local.own.states["g", ()][:2]

    def ns(self, calls: int) -> float:
        call, args = self.call, self.args
        start = time.thread_time_ns()
        for _ in range(calls):
            call(*args)
        return (time.thread_time_ns() - start) / calls


def _parts(y: Any) -> list[Any]:
    return [z for x in y for z in _parts(x)] if isinstance(y, tuple) else [y]


def measured(name: str) -> dict[str, Any]:
    f, argnums, args = PROGRAMS[name]()
    g = rose.value_and_grad(f, argnums).func
    optimise([g])
    start = time.thread_time_ns()
    fast = optimised({"g": g})
    ms = (time.thread_time_ns() - start) / 1e6
    before, after = Running({"g": g}, args), Running(fast, args)
    assert before.answer == after.answer, name
    calls = max(1, int(2e6 / before.ns(3)))
    times = [(before.ns(calls), after.ns(calls)) for _ in range(ROWS)]
    old, new = [statistics.median(x) for x in zip(*times, strict=True)]
    return {
        "program": name, "ns before": old, "ns": new, "of before": new / old, "bytes before": before.bytes,
        "bytes": after.bytes, "optimise ms": ms,
    }  # fmt: skip


def main() -> None:
    gc.disable()
    rows = [measured(name) for name in PROGRAMS]
    table = Table(title="value and gradient", title_justify="left", box=None)
    for heading in rows[0]:
        table.add_column(heading, justify="left" if heading == "program" else "right")
    for row in rows:
        table.add_row(*[x if isinstance(x, str) else f"{x:,.2f}" if x < 100 else f"{x:,.0f}" for x in row.values()])
    Console(width=110).print(table)
    saved("optimiser", {"programs": rows})


if __name__ == "__main__":
    main()

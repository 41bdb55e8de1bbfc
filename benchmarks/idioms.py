"""Idioms of programs, with and without the pass that is there for each: `python -m benchmarks.idioms [NAME ...]`.

The value and the gradient under wasmtime, both modules in turns in one run: microseconds, the median of rounds of CPU
time of the thread, and the median of their ratios. The answers are checked to agree.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import rose
from rose import Real, Vec, fn
from rose.optimise.instruments import instrumented
from rose.optimise.pipeline import Instruments

from .compare import check, modules, report, timing
from .compare.programs import Program
from .loops import RESULTS


class Idiom(NamedTuple):
    """A function of arrays, written as in NumPy; `without` is the pass that it is compared without."""

    field: str
    body: Callable[..., Any]
    shapes: Sequence[tuple[int, ...]]
    without: str


def peak(x: Any) -> Any:
    return np.max(x)


def ranges(x: Any) -> Any:
    return np.sum(np.max(x, axis=0) ** 2) - np.sum(np.min(x, axis=1))


def scaled(x: Any) -> Any:
    return np.sum((x / np.max(x)) ** 2)


def misfit(x: Any, y: Any) -> Any:
    return rose.max(abs(x[i] * x[i] - y[i]) for i in rose.range(200))


def hinge(w: Any, x: Any) -> Any:
    s = x @ w.T
    return np.mean(np.max(s, axis=1) - s[:, 0])


def nearest(c: Any, x: Any) -> Any:
    return np.sum(np.min(np.sum((x[:, None, :] - c[None, :, :]) ** 2, axis=2), axis=1))


def evidence(x: Any) -> Any:
    m = np.max(x, axis=1, keepdims=True)
    return np.sum((np.log(np.sum(np.exp(x - m), axis=1)) + m[:, 0]) ** 2)


def weights(x: Any) -> Any:
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def attention(q: Any) -> Any:
    s = q @ q.T / 4.0
    p = np.exp(s - np.max(s, axis=-1, keepdims=True))
    return np.sum(((p / np.sum(p, axis=-1, keepdims=True)) @ q) ** 2)


def transport(c: Any) -> Any:
    f = g = np.zeros(32)
    for _ in range(4):
        m = np.max(g[None, :] - c, axis=1)
        f = -(m + np.log(np.sum(np.exp(g[None, :] - c - m[:, None]), axis=1)))
        m = np.max(f[:, None] - c, axis=0)
        g = -(m + np.log(np.sum(np.exp(f[:, None] - c - m[None, :]), axis=0)))
    return np.sum(f) + np.sum(g)


def partition(x: Any) -> Any:
    low = np.min(x, axis=1, keepdims=True)
    w = np.exp(low - x)
    return np.sum(np.sum(w * x, axis=1) / np.sum(w, axis=1))


def entropy(x: Any) -> Any:
    s = x - np.max(x, axis=1, keepdims=True)
    return -np.sum((s - np.log(np.sum(np.exp(s), axis=1, keepdims=True)))[:, 0])


def pendulums(p: Any, x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        q, v = s
        v = v - p[0] * np.sin(q)
        return q + p[1] * v, v

    q, v = rose.scan(step, (x, p[2] * x), 30)
    return np.sum(q * q + v * v)


def spring(p: Any, x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        q, v = s
        v = 0.99 * v + p[0] * (x - q)
        return q + p[1] * v, v

    q, v = rose.scan(step, (x * p[2], x), 30)
    return np.sum(q * q + v * v)


def prey(p: Any, x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        a, b = s
        a = a + 0.1 * a * (p[0] - b)
        return a, b + 0.1 * b * (a - p[1])

    a, b = rose.scan(step, (x * x * 0.1, x * x * 0.1 * p[2]), 30)
    return np.sum(a + b)


def momentum(p: Any, x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        w, m = s
        m = p[0] * m + w - x
        return w - p[1] * m, m

    w, m = rose.scan(step, (x * p[2], x), 30)
    return np.sum((w - x) ** 2 + m * m)


def filters(p: Any, x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        low, high = s
        low = low + p[0] * high
        return low, p[1] * high - p[2] * low + x

    low, high = rose.scan(step, (x, x * 0.5), 30)
    return np.sum(low * high)


def membrane(p: Any, x: Any) -> Any:
    def step(_: Any, s: Any) -> Any:
        v, w = s
        v = v + 0.1 * (v - v**3 / 3.0 - w + x * 0.1)
        return v, w + 0.1 * p[0] * (v + p[1] - p[2] * w)

    v, w = rose.scan(step, (x * 0.1, x * 0.1), 30)
    return np.sum(v * v + w)


def pieces(low: Callable[[Any, Any], Any], high: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def body(c: Any, x: Any) -> Any:
        item = lambda e: rose.cond(abs(e) < c[0], lambda: low(c, e), lambda: high(c, e))
        return rose.sum(item(x[i]) for i in rose.range(5000))

    return body


ROWS, SCAN, ITEMS = ((40, 30),), ((3,), (200,)), ((3,), (5000,))
IDIOMS = {
    "peak": Idiom("signals", peak, ((1000,),), "index-extremes"),
    "ranges": Idiom("statistics", ranges, ((30, 40),), "index-extremes"),
    "scaled": Idiom("graphics", scaled, ((30, 40),), "index-extremes"),
    "misfit": Idiom("approximation", misfit, ((200,), (200,)), "index-extremes"),
    "hinge": Idiom("classification", hinge, ((12, 8), (50, 8)), "index-extremes"),
    "nearest": Idiom("clustering", nearest, ((12, 3), (100, 3)), "index-extremes"),
    "evidence": Idiom("statistics", evidence, ROWS, "cancel-shifts"),
    "weights": Idiom("networks", weights, ROWS, "cancel-shifts"),
    "attention": Idiom("networks", attention, ((24, 16),), "cancel-shifts"),
    "transport": Idiom("transport", transport, ((32, 32),), "cancel-shifts"),
    "partition": Idiom("physics", partition, ROWS, "cancel-shifts"),
    "entropy": Idiom("classification", entropy, ROWS, "cancel-shifts"),
    "pendulums": Idiom("mechanics", pendulums, SCAN, "element-sums"),
    "spring": Idiom("animation", spring, SCAN, "element-sums"),
    "prey": Idiom("ecology", prey, SCAN, "element-sums"),
    "momentum": Idiom("optimisation", momentum, SCAN, "element-sums"),
    "filters": Idiom("signals", filters, SCAN, "element-sums"),
    "membrane": Idiom("neuroscience", membrane, SCAN, "element-sums"),
    "robust": Idiom(
        "statistics", pieces(lambda c, e: e * e, lambda c, e: c[1] * rose.log(abs(e))), ITEMS, "merge-branches"
    ),
    "diode": Idiom(
        "electronics", pieces(lambda c, e: c[1] * rose.exp(e), lambda c, e: c[2] * e * e), ITEMS, "merge-branches"
    ),
    "contact": Idiom(
        "mechanics", pieces(lambda c, e: rose.exp(c[1] * e) * e, lambda c, e: 0.0), ITEMS, "merge-branches"
    ),
    "tax": Idiom(
        "economics", pieces(lambda c, e: c[1] * e, lambda c, e: rose.sqrt(abs(e)) * c[2]), ITEMS, "merge-branches"
    ),
    "well": Idiom(
        "physics", pieces(lambda c, e: rose.cos(c[1] * e), lambda c, e: rose.exp(-abs(e))), ITEMS, "merge-branches"
    ),
    "fade": Idiom(
        "graphics", pieces(lambda c, e: 1.0, lambda c, e: rose.exp(-e * e) * rose.sin(e)), ITEMS, "merge-branches"
    ),
}


def program(name: str) -> Program:
    idiom, r = IDIOMS[name], np.random.default_rng(1)
    types = [Vec[shape] for shape in idiom.shapes]
    xs = [r.uniform(0.2, 1.2, shape) if shape == (3,) else r.normal(size=shape) for shape in idiom.shapes]
    params, *data = [x.ravel().tolist() for x in xs]
    return Program(name, "", {}, params, {"text": fn(types, Real)(idiom.body)}, tuple(data))


def measured(name: str) -> list[str]:
    """A row of the table: both times, their ratio, and the bytes of both modules."""
    made: dict[str, modules.Module] = {}
    for way, without in (("with", ()), ("without", (IDIOMS[name].without,))):
        with instrumented(Instruments(without)):
            p = program(name)
            made[way] = modules.ours(p, p.forms["text"])
    running = {way: modules.Running(m) for way, m in made.items()}
    check.agree(name, running["with"].answer(), running["without"].answer())
    ns = timing.rounds({way: x.loop for way, x in running.items()})
    us = [report.shown(statistics.median(ns[way]) / 1e3) for way in ("without", "with")]
    sizes = [f"{len(made[way].wasm):,}" for way in ("without", "with")]
    return [
        name,
        IDIOMS[name].field,
        IDIOMS[name].without,
        *us,
        f"{timing.ratio(ns['with'], ns['without']):.2f}",
        *sizes,
    ]


def main(names: Sequence[str] = ()) -> None:
    rows = [measured(name) for name in names or IDIOMS]
    headings = ["program", "field", "pass", "without, µs", "with, µs", "ratio", "bytes without", "bytes with"]
    table = report.table(headings, rows)
    print(table)
    if not names:
        report.put(RESULTS / "idioms.md", "idioms", table)


if __name__ == "__main__":
    main(sys.argv[1:])

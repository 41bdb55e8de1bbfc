"""The brachistochrone by a network of 33,000 numbers, trained in full: 10,000 steps of Adam's method on each loss.

`python -m benchmarks.training [STEPS]`, with `simd="relaxed"`, in 64 bits; some minutes. It prints the loss at the
start and at the end, and of the curve at the end: the time on the grid of the loss; its true time, by 2,000 nodes that
crowd where it starts; how far it is from the cycloid; and the largest functional derivative at a node. The cycloid
takes 2.581905, and 2.267234 on that grid. `reference` has what autofd's notebook has after as many steps.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
from rich.console import Console

import rose
from rose import Real, Vec

from .functionals import LINE, NAMES, Network, losses, network, slide
from .loops import saved, shown

STEPS, AT_ONCE = 10_000, 100
RADIUS, ANGLE = 0.572917037531750384, 2.41201114391352534  # of the cycloid from (0, 0) to (1, -1)
reference = {  # by autofd's notebook, in 32 bits: time on the grid, true time, from the cycloid, derivative
    "least": (0.9680, 3.2346, 1.12, 15454.0),
    "stationary": (2.32990, 2.583018, 0.0084, 0.0232),
    "along": (2.33762, 2.583163, 0.0090, 0.109),
}


def drawn(seed: int) -> Network:
    """Weights from a normal distribution cut off at two deviations, over the root of the inputs; biases of zero."""
    draw, zero = np.random.default_rng(seed), np.zeros(128)

    def normal(*shape: int) -> Any:
        x = draw.standard_normal((64, *shape))
        return np.take_along_axis(x, np.argmax(np.abs(x) < 2, axis=0)[None], 0)[0]

    square = lambda: normal(128, 128) / math.sqrt(128)
    made = [normal(128), zero, square(), zero, square(), zero, normal(128) / math.sqrt(128), 0.0]
    return Network(*made)  # type: ignore[arg-type]


def curve(p: Any, x: Any) -> Any:
    """Its point and its slope."""
    return list(rose.value_and_grad(rose.fn([Real], Real)(network(p)))(x))


def measures() -> rose.Compiled:
    """Of a network: the point of its curve and the slope, the functional derivative, and the time on the grid."""
    at = rose.fn([Network, Real], Vec[2])(curve)
    derivative = rose.fn([Network, Real], Real)(lambda p, x: rose.grad(slide)(network(p))(x))
    on_grid = rose.fn([Network], Real)(lambda p: slide(network(p)))
    return rose.compile({"curve": at, "derivative": derivative, "time": on_grid})


def measured(p: Network, of: Any) -> dict[str, float]:
    s = (np.arange(2000) + 0.5) / 2000
    taken = [(x, *of["curve"](p, x)) for x in s * s]
    true = sum([2 * t / 2000 * math.sqrt((1 + dy * dy) / -y) for t, (_, y, dy) in zip(s, taken, strict=True)])
    angles = np.linspace(0.0, ANGLE, 1000)
    best = [(RADIUS * (a - math.sin(a)), -RADIUS * (1 - math.cos(a))) for a in angles]
    return {
        "time on the grid": of["time"](p),
        "true time": float(true),
        "from the cycloid": float(max([abs(of["curve"](p, x)[0] - y) for x, y in best])),
        "derivative": max([abs(of["derivative"](p, x)) for x in LINE.nodes]),
    }


def steps(f: Any) -> Any:
    """`AT_ONCE` steps of Adam's method, from the network, its two means, and the count of steps before."""

    def each(of: Callable[..., Any], *networks: Any) -> Any:
        return Network(*[of(*[getattr(p, k.name) for p in networks]) for k in fields(Network)])  # type: ignore[arg-type]

    def step(i: Any, s: Any) -> Any:
        p, mean, square = s["p"], s["mean"], s["square"]
        g, t = rose.grad(f)(p), s["steps"] + 1.0
        mean = each(lambda m, g: 0.9 * m + 0.1 * g, mean, g)
        square = each(lambda v, g: 0.999 * v + 0.001 * (g * g), square, g)
        a, b = 1e-3 / (1.0 - 0.9**t), 1.0 / (1.0 - 0.999**t)
        p = each(lambda x, m, v: x - a * m / (rose.sqrt(b * v) + 1e-8), p, mean, square)
        return {"p": p, "mean": mean, "square": square, "steps": t}

    state = {"p": Network, "mean": Network, "square": Network, "steps": Real}
    return rose.fn([state], state)(lambda s: rose.scan(step, s, AT_ONCE))


def trained(name: str, count: int, of: Any) -> dict[str, Any]:
    f = rose.fn([Network], Real)(losses(network)[name])
    module = rose.compile({"steps": steps(f), "loss": f}, simd="relaxed")
    p, nothing = (
        drawn(42),
        Network(*[np.zeros(128)] * 2, *[np.zeros((128, 128)), np.zeros(128)] * 2, np.zeros(128), 0.0),
    )  # type: ignore[arg-type]
    s: Any = {"p": p, "mean": nothing, "square": nothing, "steps": 0.0}
    begin = time.process_time()
    for _ in range(count // AT_ONCE):
        s = module["steps"](s)
    row = {"loss": name, "steps": count, "ms a step": 1e3 * (time.process_time() - begin) / count}
    row |= {"at the start": module["loss"](p), "at the end": module["loss"](s["p"])}
    found = measured(s["p"], of)
    return row | found | {f"{key}, autofd": x for key, x in zip(found, reference[name], strict=True)}


def main(count: int = STEPS) -> None:
    console, of, rows = Console(width=140), measures(), list[dict[str, Any]]()
    for name in NAMES:
        rows.append(trained(name, count, of))
        console.print(rows[-1])
    console.print(shown("training", rows))
    if count == STEPS:
        saved("training", {"rows": rows})


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

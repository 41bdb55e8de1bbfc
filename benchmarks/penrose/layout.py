"""The layout of a diagram, inside of one module: exterior point around L-BFGS, as Penrose does it.

For each stage the sum of objectives and weighted constraints is made least, with a weight of 1,000; then with ten times
that, and so on, until a third round or a later one moves the diagram no more, or changes the sum no more. The
constants are those of Penrose's optimiser; its line search is another one than ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import rose
from rose import Fn, Real, Vec

from .graphs import Graph
from .programs import functions

HISTORY = 17  # steps that L-BFGS learns from
FLAT = 1e-2  # the length of a gradient where a round ends
STILL = 1e-3  # how little a round moves, or changes, at the end
WEIGHT, GROWTH, ROUNDS, STEPS = 1e3, 10.0, 20, 5_000


def layout(graph: Graph) -> Fn[..., Any]:
    """The function from a start, and the masks of a stage, to where it ends: `x`, `phi`, `weight` and `steps`."""
    phi = functions(graph)["phi"]
    search = rose.lib.lbfgs(phi, history=HISTORY, tolerance=FLAT, max_steps=STEPS)
    n, objectives, constraints = len(graph.inputs), len(graph.objectives), len(graph.constraints)

    def body(x: Any, *masks: Any) -> Any:
        def turn(s: Any) -> Any:
            found = search(s["x"], s["weight"], *masks)
            moved = rose.norm(rose.vec(found.x[i] - s["x"][i] for i in rose.range(n)))
            changed = rose.abs(found.value - s["phi"])
            still = (s["rounds"] > 1.0) & ((moved < STILL) | (changed < STILL))
            return {
                "x": found.x, "phi": found.value, "weight": rose.select(still, 1.0, GROWTH) * s["weight"],
                "steps": s["steps"] + found.steps, "rounds": s["rounds"] + 1.0, "busy": ~still,
            }  # fmt: skip

        start = {"x": x, "phi": 0.0, "weight": WEIGHT, "steps": 0.0, "rounds": 0.0, "busy": True}
        end = rose.while_loop(lambda s: s["busy"] & (s["rounds"] < ROUNDS), turn, start)
        return {k: end[k] for k in ("x", "phi", "weight", "steps")}

    given = [Vec[n], Vec[n], Vec[objectives], Vec[constraints]]
    return rose.fn(given, {"x": Vec[n], "phi": Real, "weight": Real, "steps": Real})(body)


def laid_out(graph: Graph, search: Any) -> dict[str, Any]:
    """Where the stages of a graph end, one after the other, by a compiled `layout`."""
    x, steps, end = np.array(graph.inputs), 0.0, dict[str, Any]()
    for stage in graph.stages:
        end = search(x, stage.inputs, stage.objectives, stage.constraints)
        x, steps = end["x"], steps + end["steps"]
    return {"phi": end.get("phi"), "weight": end.get("weight"), "steps": steps, "x": x}

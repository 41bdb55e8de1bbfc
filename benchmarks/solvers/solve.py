"""One problem, solved with one tool: `python solve.py tool problem answers.json` prints a line of JSON.

A tool is a module beside this one. The values and derivatives at the start are compared with the answers before
anything is timed. Times are those of the processor, of which there is one, in all threads.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from problems import PROBLEMS, differences

SPENT, MOST = 1.0, 40  # seconds, solutions
BOUND = 1e-10


def told(gives, x):
    """Numbers that tell what a tool gives at a point: the value, and derivatives along a direction."""
    args, p = gives["args"], np.cos(np.arange(len(x)))
    out = [np.atleast_1d(gives["fun"](x, *args))]
    out += [gives["jac"](x, *args) @ p] if callable(gives["jac"]) else []
    out += [gives["hessp"](x, p, *args)] if "hessp" in gives else []
    out += [gives["both"](x, *args)[1] @ p] if "both" in gives else []
    return [np.atleast_1d(y).tolist() for y in out]


def seconds(work):
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def cost(f, *args):
    """Seconds of one call."""
    calls = lambda n: seconds(lambda: [f(*args) for _ in range(n)])[0]
    n = 1
    while calls(n) < 0.05:
        n *= 4
    return min([calls(n) for _ in range(5)]) / n


class Counted:
    """A function, and how often it is called."""

    def __init__(self, f):
        self.f, self.calls = f, 0

    def __call__(self, *args):
        self.calls += 1
        return self.f(*args)


def measured(tool, name, answer):
    source, x, solve, options = PROBLEMS[name]
    first, gives = seconds(lambda: importlib.import_module(tool).TOOLS[source]())
    if solve.__name__ != "with_squares" and gives["jac"] == "2-point":
        solve = differences
    again, now = seconds(lambda: told(gives, x))
    off = max([np.abs(np.subtract(a, b)).max() / np.abs(b).max() for a, b in zip(now, answer, strict=False)])
    if not off <= BOUND:
        return {"error": f"differs by {off:.1e}"}
    method = name.rpartition(", ")[2]
    counted = {k: Counted(f) if callable(f) else f for k, f in gives.items()}
    end = solve(method, counted, x, **options)
    calls = {k: f.calls for k, f in counted.items() if isinstance(f, Counted) and f.calls}
    args = {k: (x, x, *gives["args"]) if k == "hessp" else (x, *gives["args"]) for k in calls}
    us = {k: cost(gives[k], *args[k]) * 1e6 for k in calls}
    times, limit = [], time.process_time() + SPENT
    while len(times) < MOST and (len(times) < 3 or time.process_time() < limit):
        times.append(seconds(lambda: solve(method, gives, x, **options))[0])
    inside = sum([calls[k] * us[k] for k in calls]) / 1e3
    return {
        "ms": statistics.median(times) * 1e3, "evaluations ms": inside, "first ms": (first + again) * 1e3,
        "calls": calls, "us": us, "cost": float(getattr(end, "cost", getattr(end, "fun", None))), "told": now,
        "differs by": off,
    }  # fmt: skip


def main(tool, name, answers=""):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        answer = json.loads(Path(answers).read_text())[name] if answers else []
        found = measured(tool, name, answer) if answers else {"told": _answer(tool, name)}
    except Exception as e:
        found = {"error": f"{type(e).__name__}: {e}"[:200]}
    print(json.dumps(found))


def _answer(tool, name):
    source, x, _, _ = PROBLEMS[name]
    return told(importlib.import_module(tool).TOOLS[source](), x)


main(*sys.argv[1:])

"""One problem, solved with one tool: `python solve.py tool problem answers.json` prints a line of JSON.

Without answers, those of this tool are printed; with one word more, nothing is timed. A tool is a module beside this
one. The values and derivatives at the start are compared with the answers first. Times are those of the processor, of
which there is one, in all threads.
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


class Task:
    """A problem, with what a tool gives of it."""

    def __init__(self, tool, name):
        source, self.x, self.solve, self.options = PROBLEMS[name]
        self.method = name.rpartition(", ")[2]
        self.gives = importlib.import_module(tool).TOOLS[source]()
        if tool == "with_differences" and source != "bundle":
            self.solve = differences

    def told(self):
        """Numbers that tell what is given at the start: the value, and derivatives along a direction."""
        x, args, p = self.x, self.gives["args"], np.cos(np.arange(len(self.x)))
        out = [np.atleast_1d(self.gives["fun"](x, *args))]
        out += [self.gives["jac"](x, *args) @ p] if callable(self.gives["jac"]) else []
        out += [self.gives["hessp"](x, p, *args)] if "hessp" in self.gives else []
        out += [self.gives["both"](x, *args)[1] @ p] if "both" in self.gives else []
        return [np.atleast_1d(y).tolist() for y in out]

    def end(self, gives):
        return self.solve(self.method, gives, self.x, **self.options)

    def counted(self):
        """The least value that is found, and how often what was called."""
        fs = {k: Counted(f) if callable(f) else f for k, f in self.gives.items()}
        end = self.end(fs)
        calls = {k: f.calls for k, f in fs.items() if isinstance(f, Counted) and f.calls}
        return {"cost": float(getattr(end, "cost", getattr(end, "fun", None))), "calls": calls}

    def timed(self, calls):
        """Milliseconds of a solution, and of the evaluations in it; microseconds of each."""
        args = {k: (self.x, self.x) if k == "hessp" else (self.x,) for k in calls}
        us = {k: cost(self.gives[k], *args[k], *self.gives["args"]) * 1e6 for k in calls}
        times, limit = [], time.process_time() + SPENT
        while len(times) < MOST and (len(times) < 3 or time.process_time() < limit):
            times.append(seconds(lambda: self.end(self.gives))[0])
        inside = sum([calls[k] * us[k] for k in calls]) / 1e3
        return {"ms": statistics.median(times) * 1e3, "evaluations ms": inside, "us": us}


def measured(tool, name, answers, once):
    first, task = seconds(lambda: Task(tool, name))
    again, told = seconds(task.told)
    if not answers:
        return {"told": told}
    answer = json.loads(Path(answers).read_text())[name]
    off = max([np.abs(np.subtract(a, b)).max() / np.abs(b).max() for a, b in zip(told, answer, strict=False)])
    if not off <= BOUND:
        return {"error": f"differs by {off:.1e}"}
    found = {"differs by": off, "first ms": (first + again) * 1e3, **task.counted()}
    return found if once else {**found, **task.timed(found["calls"])}


def main(tool, name, answers="", once=""):
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        found = measured(tool, name, answers, once)
    except Exception as e:
        found = {"error": f"{type(e).__name__}: {e}"[:200]}
    print(json.dumps(found))


main(*sys.argv[1:])

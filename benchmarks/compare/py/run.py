"""One program with one tool in Python: `python run.py tool form program.json` prints a line of JSON.

Without a program, it prints the forms that the tool has.

A tool is a module beside this one, with `FORMS` by the source of a program: each takes a program, and gives what is
timed, with data in and out as arrays of NumPy's, and its arguments. It gives the value and the derivative. The answer
is checked against the adjoint by hand before anything is timed.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

SAMPLES, SAMPLE, MOST = 60, 2e-3, 4.0  # seconds


def flat(x):
    """All numbers in it, in order."""
    if isinstance(x, (tuple, list)):
        return np.concatenate([flat(y) for y in x])
    return flat(list(vars(x).values())) if hasattr(x, "__dataclass_fields__") else np.asarray(x, float).ravel()


def difference(got, known):
    got, known = flat(got), np.array(known)
    if got.shape != known.shape:
        return np.inf
    value = abs(got[0] - known[0]) / max(abs(known[0]), 1e-300)
    return max(value, np.abs(got[1:] - known[1:]).max() / (np.abs(known[1:]).max() or 1.0))


def seconds(call, args, n):
    """For each of n calls."""
    start = time.perf_counter()
    for _ in range(n):
        call(*args)
    return (time.perf_counter() - start) / n


def measured(tool, form, program):
    start = time.perf_counter()
    module = importlib.import_module(tool)
    imported = time.perf_counter()
    call, args = module.FORMS[program["source"]][form](program)
    answer = call(*args)
    first = time.perf_counter()
    off = float(difference(answer, program["answer"]))
    found = {"import_ms": (imported - start) * 1e3, "first_ms": (first - imported) * 1e3, "differs by": off}
    if not off <= getattr(module, "BOUND", program["bound"]):
        return {**found, "error": f"differs from the adjoint by {off:.1e}"}
    n, end = 1, time.perf_counter() + 0.3
    while (spent := seconds(call, args, n) * n) < SAMPLE / 2:
        n = max(n + 1, min(8 * n, round(n * SAMPLE / max(spent, 1e-6))))
    while time.perf_counter() < end:
        seconds(call, args, n)
    samples, end = [], time.perf_counter() + MOST
    while len(samples) < SAMPLES and time.perf_counter() < end:
        samples.append(seconds(call, args, n) * 1e6)
    samples.sort()
    return {
        **found,
        "us": samples[len(samples) // 10],
        "median us": samples[len(samples) // 2],
        "samples": len(samples),
    }


def most_memory():
    """MB that this process had. What `getrusage` tells counts the process before it, too, so Linux has another."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(next(x for x in status.read_text().splitlines() if x.startswith("VmHWM")).split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(tool, form="", file=""):
    try:
        if not file:
            forms = importlib.import_module(tool).FORMS
            return print(json.dumps({source: list(made) for source, made in forms.items()}))
        found = measured(tool, form, json.loads(Path(file).read_text()))
    except Exception as e:
        found = {"error": f"{type(e).__name__}: {e}"[:200]}
    print(json.dumps({**found, "rss_mb": most_memory()}))


main(*sys.argv[1:])

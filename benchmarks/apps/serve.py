"""One simulation with one tool in Python: `python serve.py with_jax robot setting.json`.

It imports the tool, computes a gradient, and prints both times with the value and the gradient. Then for each line
with a number it computes so many gradients, and prints the milliseconds of one, of the process and of the clock.
With a number of iterations after the setting it optimises instead, and prints all losses, and the time since it began.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path

BEGAN = time.perf_counter(), time.process_time()


def spent(since):
    """Milliseconds since then: of the clock, and of the process with all of its threads."""
    return {"ms": (time.perf_counter() - since[0]) * 1e3, "cpu_ms": (time.process_time() - since[1]) * 1e3}


def numbers(x):
    """All numbers in a value and a gradient, in order."""
    x = x.tolist() if hasattr(x, "tolist") else x
    return [y for part in x for y in numbers(part)] if isinstance(x, (tuple, list)) else [float(x)]


def main(tool, app, file, iterations=""):
    setting = json.loads(Path(file).read_text())
    gradient, optimised = importlib.import_module(tool).APPS[app](setting)
    if iterations:
        losses = optimised(int(iterations))
        return print(json.dumps({"losses": losses, **spent(BEGAN)}), flush=True)
    print(json.dumps({"answer": numbers(gradient()), **spent(BEGAN)}), flush=True)
    for line in sys.stdin:
        since, n = (time.perf_counter(), time.process_time()), int(line)
        for _ in range(n):
            gradient()
        print(json.dumps({k: x / n for k, x in spent(since).items()}), flush=True)


main(*sys.argv[1:])

"""Milliseconds of the processor that SciPy's solvers take with each tool.

Each tool solves each problem in a process of its own, in turns, a few rounds of them; what it gives at the start is
compared with ours first. What is not evaluations is SciPy's own. Before that, what a call of ours costs from Python.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import rose

from ..compare.peers import ROOT, TOOLS, installed, printed, python
from ..compare.timing import Loop, rounds
from ..optimiser import rosenbrock
from .problems import PROBLEMS

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"
ROUNDS, LIMIT = 3, 300
SIZES = (2, 10, 100, 1000)
WAYS = {"ours": "with_rose", "2-point": "with_differences", "JAX": "with_jax"}


def run(tool: str, *args: str) -> dict[str, Any]:
    """What `solve.py` prints."""
    own = tool != "with_jax"
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | (
        {"PYTHONPATH": str(ROOT)} if own else {}
    )
    command = [sys.executable if own else str(python()), "solve.py", tool, *args]
    return printed(command, HERE, env, LIMIT)


def measured() -> list[dict[str, Any]]:
    (jax,) = [tool for tool in TOOLS if tool.name == "JAX"]
    missing = installed(jax)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.json"
        answers.write_text(json.dumps({name: run("with_rose", name)["told"] for name in PROBLEMS}))
        for name in PROBLEMS:
            found: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
            for _ in range(ROUNDS):
                for way, tool in WAYS.items():
                    wrong = {"error": f"cannot be installed: {missing}"} if way == "JAX" and missing else None
                    found[way].append(wrong or run(tool, name, str(answers)))
            rows += [{"problem": name, "tool": way, **_median(each)} for way, each in found.items()]
            print(rows[-len(WAYS) :], flush=True)
    return rows


def _median(found: list[dict[str, Any]]) -> dict[str, Any]:
    """That of the times, and all else of the last round; or what was wrong."""
    last = next((r for r in found if "error" in r), found[-1])
    if "error" in last:
        return last
    times = {k: statistics.median([r[k] for r in found]) for k in ("ms", "evaluations ms", "first ms")}
    us = {k: statistics.median([r["us"][k] for r in found]) for k in last["us"]}
    return {**last, **times, "us": us}


def costs() -> list[dict[str, Any]]:
    """Microseconds of a call: from Python, with a vector in and a copy or a view out, and of that inside the module."""
    rows: list[dict[str, Any]] = []
    for n in SIZES:
        f, _, (x,) = rosenbrock(n)
        s, views = rose.scipy(f), rose.scipy(f, copy=False)
        ways = {"fun": s.fun, "jac": s.jac, "both": s.fun_and_jac, "hessp": s.hessp, "hess": s.hess}
        ways |= {"jac, view": views.jac, "hess, view": views.hess}
        loops: dict[str, Loop] = {}
        for name, g in ways.items():
            args = (x, x) if name == "hessp" else (x,)
            g(*args)
            loops[name] = partial(_again, g, args)
            (state,) = getattr(g, "func", g).running._module._local.own.states.values()
            loops[f"{name}, inside"] = partial(_again, *state[:2])
        us = {name: statistics.median(ns) / 1e3 for name, ns in rounds(loops).items()}
        rows.append({"n": n, **us})
    return rows


def _again(f: Any, args: Any, n: int) -> None:
    for _ in range(n):
        f(*args)


def _of_calls(rows: list[dict[str, Any]]) -> Table:
    table = Table(title="microseconds of a call, and of that inside of the module", title_justify="left", box=None)
    names = [k for k in rows[0] if k != "n" and not k.endswith(", inside")]
    for heading in ("Rosenbrock", *names):
        table.add_column(heading, justify="right")
    for r in rows:
        table.add_row(str(r["n"]), *[f"{r[k]:.3g} ({r[f'{k}, inside']:.3g})" for k in names])
    return table


def main() -> None:
    each = costs()
    Console(width=150).print(_of_calls(each))
    rows = measured()
    table = Table(title="SciPy's solvers", title_justify="left", box=None)
    for heading in ("problem", "tool", "ms", "SciPy's own", "first ms", "calls", "us each", "least value"):
        table.add_column(heading)
    for r in rows:
        if "error" in r:
            table.add_row(r["problem"], r["tool"], *[""] * 3, r["error"])
            continue
        own = max(0.0, r["ms"] - r["evaluations ms"])
        calls = ", ".join([f"{n} {k}" for k, n in r["calls"].items()])
        us = ", ".join([f"{x:.3g}" for x in r["us"].values()])
        times = [f"{r['ms']:.3g}", f"{own:.3g}", f"{r['first ms']:.0f}"]
        table.add_row(r["problem"], r["tool"], *times, calls, us, f"{r['cost']:.6g}")
    Console(width=150).print(table)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "solvers.json").write_text(json.dumps({"calls": each, "problems": rows}, indent=1) + "\n")

"""`python -m benchmarks.solvers`: milliseconds of the processor that SciPy's solvers take with each tool.

Each tool solves each problem in a process of its own, in turns, a few rounds of them; what it gives at the start is
compared with ours first. What is not evaluations is SciPy's own.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..compare.peers import ROOT, TOOLS, installed, python
from .problems import PROBLEMS

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"
ROUNDS, LIMIT = 3, 300
WAYS = {"ours": "with_rose", "2-point": "with_differences", "JAX": "with_jax"}


def run(tool: str, *args: str) -> dict[str, Any]:
    """What `solve.py` prints."""
    own = tool != "with_jax"
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} | (
        {"PYTHONPATH": str(ROOT)} if own else {}
    )
    command = [sys.executable if own else str(python()), "solve.py", tool, *args]
    try:
        done = subprocess.run(command, cwd=HERE, env=env, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"error": f"took more than {LIMIT} s"}
    lines = done.stdout.strip().splitlines()
    return json.loads(lines[-1]) if lines else {"error": f"stopped: {done.stderr.strip()[-200:]}"}


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
            rows += [{"problem": name, "tool": way, **_median(rounds)} for way, rounds in found.items()]
            print(rows[-len(WAYS) :], flush=True)
    return rows


def _median(rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """That of the times, and all else of the last round; or what was wrong."""
    last = next((r for r in rounds if "error" in r), rounds[-1])
    if "error" in last:
        return last
    times = {k: statistics.median([r[k] for r in rounds]) for k in ("ms", "evaluations ms", "first ms")}
    us = {k: statistics.median([r["us"][k] for r in rounds]) for k in last["us"]}
    return {**{k: x for k, x in last.items() if k != "told"}, **times, "us": us}


def main() -> None:
    rows = measured()
    table = Table(title="SciPy's solvers", title_justify="left", box=None)
    for heading in ("problem", "tool", "ms", "SciPy's own", "first ms", "calls", "us each", "least value"):
        table.add_column(heading)
    for r in rows:
        if "error" in r:
            table.add_row(r["problem"], r["tool"], r["error"])
            continue
        own = max(0.0, r["ms"] - r["evaluations ms"])
        calls = ", ".join([f"{n} {k}" for k, n in r["calls"].items()])
        us = ", ".join([f"{x:.3g}" for x in r["us"].values()])
        times = [f"{r['ms']:.3g}", f"{own:.3g}", f"{r['first ms']:.0f}"]
        table.add_row(r["problem"], r["tool"], *times, calls, us, f"{r['cost']:.6g}")
    Console(width=150).print(table)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "solvers.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

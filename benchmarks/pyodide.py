"""The time of compiling in Pyodide, which is CPython compiled to WebAssembly, beside CPython itself.

The stages of `latency.py`, from Python to bytes, in node, where a page would run them. Each process is timed in turn,
and the median of the rounds counts. Pyodide is installed into `benchmarks/.peers`.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from .compare.peers import PEERS, said
from .stages import OURS

HERE = Path(__file__).parent
SPEC = "pyodide@314.0.7"
SIZES = ["100", "1000", "10000"]
ROUNDS = 3


def prepared() -> Path | None:
    """The script, where node finds Pyodide beside it; None where that cannot be had."""
    folder = PEERS / "pyodide"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules" / "pyodide").exists():
        (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
        wrong = said(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", SPEC], folder)
        if wrong is not None:
            print(f"Pyodide cannot be installed: {wrong}")
            return None
    return shutil.copy(HERE / "pyodide.mjs", folder)


def timed(command: list[str | Path]) -> dict[str, Any]:
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    if (script := prepared()) is None:
        return
    commands: dict[str, list[str | Path]] = {
        "CPython": [sys.executable, "-m", "benchmarks.stages", *SIZES],
        "Pyodide": ["node", script, HERE.parent, *SIZES],
    }
    runs = {name: list[dict[str, Any]]() for name in commands}
    try:
        for _ in range(ROUNDS):
            for name, command in commands.items():
                runs[name].append(timed(command))
    except subprocess.CalledProcessError as e:  # others are measured all the same
        said_by_node = [line for line in e.stderr.splitlines() if "Error" in line]
        print(f"{Path(e.cmd[0]).name} failed: {' '.join(said_by_node[:1])}")
        return
    table = Table(title="value and gradient, microseconds per traced operation", title_justify="left", box=None)
    for heading in ("program", "operations", "in", *OURS, "all", "ratio"):
        table.add_column(heading, justify="left" if heading in ("program", "in") else "right")
    found: list[dict[str, Any]] = []
    for k, row in enumerate(runs["CPython"][0]["rows"]):
        first = 0.0
        for name, rounds in runs.items():
            spent = {s: statistics.median([r["rows"][k][s] for r in rounds]) for s in OURS}
            total = sum(spent.values())
            first = first or total
            place = f"{name} {rounds[0]['python']}"
            found.append({"program": row["program"], "operations": row["operations"], "in": place, **spent})
            shown = [f"{x:.1f}" for x in (*spent.values(), total, total / first)]
            table.add_row(row["program"], f"{row['operations']:,}", place, *shown)
    Console(width=120).print(table)
    (HERE / "results" / "pyodide.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()

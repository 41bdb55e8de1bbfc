"""`python -m benchmarks.penrose DIRECTORY`: its graphs, or a single file, measured; exit code 1 if one is wrong.

`--only TEXT` takes those with it in their names, `--no-node` leaves out what runs in node, the original Rose too, and
`--layout` adds the search for a layout. `--save` writes the figures into `benchmarks/results`.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

os.environ.setdefault("ROSE_CACHE", "")  # each module is compiled anew

from ..compare.peers import Tool, installed, python
from ..compare.peers import said as said_by
from ..loops import RESULTS, shown
from .measure import BOUND, rows

MATPLOTLIB = Tool("matplotlib", "", ("matplotlib==3.11.1", "matplotlib"))
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def quantiles(title: str, xs: list[float]) -> dict[str, Any]:
    return {"": title, **{f"{100 * q:.0f} %": float(np.quantile(xs, q)) for q in QUANTILES}}


def table(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The quantiles of each figure, over all graphs."""
    made: list[dict[str, Any]] = []
    for tool in ("ours", "ours, node", "Rose 0.4.10"):
        done = [r[tool] for r in found if "total" in r.get(tool, {})]
        if not done:
            continue
        for key, unit, scale in (
            ("total", "ms", 1),
            ("first", "ms", 1),
            ("gradient", "us", 1e3),
            ("bytes", "kB", 1e-3),
        ):
            made.append(quantiles(f"{tool}: {key}, {unit}", [r[key] * scale for r in done]))
    both = [r for r in found if "total" in r.get("Rose 0.4.10", {})]
    for key, over in (("total", "ours"), ("gradient", "ours"), ("gradient", "ours, node")):
        ratios = [r["Rose 0.4.10"][key] / r[over][key] for r in both if key in r.get(over, {})]
        if ratios:
            made.append(quantiles(f"{key}: Rose 0.4.10 over {over}", ratios))
    return made


def said(name: str, made: dict[str, Any]) -> str:
    """What a tool has done, in short."""
    if "run" in made:
        return f"layout: {made['run']:,.1f} ms, {made['steps']:,.0f} steps to {made['phi']:.6g}"
    return f"{name}: {made['total']:,.1f} ms, {1e3 * made['gradient']:,.1f} us" if "total" in made else made["error"]


@click.command()
@click.argument("directory", type=click.Path(exists=True, path_type=Path))
@click.option("--only", default="", help="graphs with this in their names")
@click.option("--node/--no-node", default=True, help="also in node, and the original Rose")
@click.option("--layout", is_flag=True, help="also lay them out, by L-BFGS inside of the module")
@click.option("--save", is_flag=True, help="write benchmarks/results/penrose.json")
def main(directory: Path, only: str, node: bool, layout: bool, save: bool) -> None:
    console, found = Console(width=130), list[dict[str, Any]]()
    files = [directory] if directory.is_file() else sorted(directory.glob("*.json.gz"))
    for row in rows([p for p in files if only in p.name], node=node, search=layout):
        found.append(row)
        brief = [said(name, made) for name, made in row.items() if isinstance(made, dict)]
        print(row["graph"], f"{row['nodes']:,} nodes", *brief, sep=" | ", flush=True)
    wrong = [r["graph"] for r in found if not r["ours"]["differs"] <= BOUND]
    console.print(shown(f"{len(found)} graphs", table(found)))
    print("all agree with the reference" if not wrong else f"wrong: {', '.join(wrong)}")
    if save:
        written(found)
    sys.exit(bool(wrong))


def written(found: list[dict[str, Any]]) -> None:
    """The figures into `benchmarks/results`, and the plot where matplotlib can be had."""
    machine = f"{platform.machine()}, CPython {platform.python_version()}"
    figures = RESULTS / "penrose.json"
    figures.write_text(json.dumps({"machine": machine, "rows": found}, indent=1) + "\n")
    failed = installed(MATPLOTLIB) or said_by([python(), Path(__file__).with_name("plots.py"), figures, RESULTS])
    print(f"no plot: {failed}" if failed else f"written: {figures}, and the plot beside it")


if __name__ == "__main__":
    main()

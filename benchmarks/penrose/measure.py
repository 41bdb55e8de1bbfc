"""Both tools on the same graphs, by turns, each time in a process of its own."""

from __future__ import annotations

import csv
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..compare.peers import LIMIT, PEERS, TOOLS, Tool, installed, printed

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ROSE = next(tool for tool in TOOLS if tool.name.startswith("Rose "))
SCRIPTS = PEERS / "node" / "diagrams"  # beside node_modules, where node looks for what they import
LONGEST = 10 * LIMIT  # seconds for one graph with one tool: the largest take minutes to optimise

Row = dict[str, Any]


def prepared() -> str | None:
    """Installs the original; what went wrong, if it did."""
    if shutil.which("node") is None:
        return "node is not installed"
    SCRIPTS.mkdir(parents=True, exist_ok=True)
    package = PEERS / "node" / "package.json"
    if not package.exists():
        package.write_text('{"private": true, "type": "module"}\n')
    for script in (HERE / "js").glob("*.mjs"):
        shutil.copy(script, SCRIPTS)
    return installed(Tool(ROSE.name, "rose.mjs", ROSE.needs))


def chosen(folder: Path, names: Sequence[str], core: bool) -> list[Path]:
    """The graphs of a folder: all of them, those with one of these texts in their name, or those marked as the core."""
    files = sorted(folder.glob("*.json.gz"))
    if core:
        with (folder / "timings.csv").open() as file:
            marked = {row["key"].replace("/", "__") for row in csv.DictReader(file) if row["core"] == "1"}
        files = [f for f in files if title(f) in marked]
    return [f for f in files if not names or any(name.replace("/", "__") in title(f) for name in names)]


def title(file: Path) -> str:
    return file.name.removesuffix(".json.gz")


def said(command: Sequence[str | Path], cwd: Path) -> Row:
    """The line of JSON that a process prints."""
    env = {**os.environ, "ROSE_CACHE": ""}  # compiled code of an earlier process would be found there
    return printed(command, cwd, env, LONGEST)


def tools(file: Path, folder: Path) -> Iterator[tuple[str, Row]]:
    """One turn of each tool."""
    yield "ours", said([sys.executable, "-m", "benchmarks.penrose.ours", file, folder], ROOT)
    yield "the original", said(["node", "--expose-gc", "rose.mjs", file], SCRIPTS)
    if (folder / "optimise").exists():
        yield "ours, node", said(["node", "ours.mjs", file, folder], SCRIPTS)


def measured(file: Path, rounds: int) -> list[Row]:
    """A row for each tool, of the least times of all rounds."""
    found: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for tool, row in tools(file, Path(folder)):
                found.setdefault(tool, []).append(row)
    return [{"graph": title(file), "tool": tool, **least(rows)} for tool, rows in found.items()]


def least(rows: Sequence[Any]) -> Any:
    """Of numbers the least, of what is made of them item by item; of anything else, and if one is wrong, the first."""
    first = rows[0]
    if isinstance(first, dict):
        wrong = [row for row in rows if "error" in row]
        return wrong[0] if wrong else {k: least([row[k] for row in rows]) for k in first}
    return first if isinstance(first, bool | str) or first is None else min(rows)

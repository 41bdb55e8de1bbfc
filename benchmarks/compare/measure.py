"""All measurements of this folder: the figures into `results/compare.json`, the tables into their documents, plots."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from . import byhand, costs, inside, peers, report
from .programs import programs

PARTS = ("inside", "costs", "calls")
RESULTS = Path(__file__).parents[1] / "results"
FIGURES = RESULTS / "compare.json"


def machine() -> dict[str, Any]:
    """Where this was measured, and with what."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    names = [x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")]
    found = {"processor": (names or [platform.machine()])[0], "cores": os.cpu_count()}
    return {**found, "CPython": platform.python_version(), "wasmtime": version("wasmtime"), **compilers()}


def compilers() -> dict[str, str]:
    """The versions of node and of the C compiler."""
    given = {"node": shutil.which("node"), "C": byhand.compiler()}
    said = {k: subprocess.run([x, "--version"], capture_output=True, text=True).stdout for k, x in given.items() if x}
    return {k: text.splitlines()[0] for k, text in said.items()}


def measured(names: Sequence[str], parts: Sequence[str]) -> dict[str, Any]:
    """These parts of the measurements, of these programs; other parts are those of the last run."""
    chosen = [p for p in programs() if p.name in names or not names]
    last: dict[str, Any] = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    found = {part: last[part] for part in PARTS if part in last}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        ways: dict[str, Callable[[], Any]] = {
            "inside": lambda: inside.measured(chosen, folder),
            "costs": lambda: costs.measured([p.name for p in chosen]),
            "calls": lambda: peers.measured([(p, inside.known(p, folder)) for p in chosen], folder),
        }
        for part in parts:
            before = os.getloadavg()[0]
            found[part] = {"rows": ways[part](), "load": [before, os.getloadavg()[0]], "machine": machine()}
            if part == "inside":
                found[part]["empty call, ns"] = inside.empty_call(folder)
    return found


def documents(found: dict[str, Any]) -> None:
    """The tables, where their marks are."""
    rows = {part: of["rows"] for part, of in found.items()}
    results, speed = RESULTS / "compare.md", report.ROOT / "web" / "docs" / "speed.md"
    report.put(results, "compare", report.inside(rows["inside"]))
    report.put(results, "costs", report.costs(rows["costs"]))
    calls = report.calls(rows["calls"], rows["inside"])
    report.put(results, "calls", calls)
    report.put(speed, "calls", calls)
    report.put(results, "starts", report.starts(rows["calls"]))
    report.put(results, "failures", report.failures([*rows["calls"], *rows["inside"]]))


def main(names: Sequence[str] = (), parts: Sequence[str] = PARTS) -> None:
    """Measure; write what was measured, and for all programs the tables and the plots."""
    found = measured(names, parts)
    if names:
        print(json.dumps(found, indent=1))
        return
    RESULTS.mkdir(exist_ok=True)
    FIGURES.write_text(json.dumps(found, indent=1) + "\n")
    if all(part in found for part in PARTS):
        documents(found)
        wrong = peers.plotted(FIGURES, RESULTS)
        print(wrong or f"written: {FIGURES}, the plots beside it, and the tables in compare.md and web/docs/speed.md")

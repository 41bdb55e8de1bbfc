"""`python -m benchmarks.compare`: all programs, ours beside C; the figures, and the table in RESULTS.md."""

from __future__ import annotations

import json
import os
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from . import inside, report
from .programs import programs

RESULTS = Path(__file__).parents[1] / "results"


def machine() -> dict[str, Any]:
    """Where this was measured."""
    names = [x.split(":", 1)[1].strip() for x in lines("/proc/cpuinfo") if x.startswith("model name")]
    versions = {"CPython": platform.python_version(), "wasmtime": version("wasmtime")}
    return {"processor": (names or [platform.machine()])[0], "cores": os.cpu_count(), **versions}


def lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def main() -> None:
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        rows = inside.measured(programs(), Path(folder))
    found = {"machine": machine(), "load": [before, os.getloadavg()[0]], "inside": rows}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "compare.json").write_text(json.dumps(found, indent=1) + "\n")
    text = report.inside(rows)
    print(text)
    report.put(report.ROOT / "benchmarks" / "RESULTS.md", "compare", text)


main()

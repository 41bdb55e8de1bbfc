"""`python -m benchmarks.written [NAME ...]`: all programs, or these; `check NAME ...` measures nothing.

`tables` writes the tables again from the figures of the last run.
"""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..compare import measure as machines
from ..compare import peers
from . import called, measure, model, report


def rows_of(names: Sequence[str], folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for name in names:
        rows.append(measure.measured(name, folder))
        print(report.line(rows[-1]), flush=True)
    return rows


def main(words: Sequence[str]) -> None:
    chosen = [x for x in words if x not in ("check", "tables")] or model.names()
    if "tables" in words:
        return report.documents(json.loads(report.FIGURES.read_text()))
    missing = peers.prepared([called.JAX])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if "check" in words:
            for name in chosen:
                print(name, measure.checked(model.written(name), folder), flush=True)
            return
        before = os.getloadavg()[0]
        rows = rows_of(chosen, folder)
    found = {"rows": rows, "load": [before, os.getloadavg()[0]], "machine": machines.machine(), "missing": missing}
    print(report.summary(rows))
    if chosen == model.names():
        report.FIGURES.write_text(json.dumps(found, indent=1) + "\n")
        report.documents(found)
    else:
        print(report.table(rows))


main(sys.argv[1:])

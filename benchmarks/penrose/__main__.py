"""`python -m benchmarks.penrose DIRECTORY`: graphs of Penrose's diagrams, ours beside the original Rose.

They take turns, each in a process of its own. `--core` chooses the graphs that `timings.csv` marks, `--only NAME ...`
those with such a name; `--rounds N` says how often each is measured. Figures go into benchmarks/results/penrose.json
(`--out FILE` names another), with a plot beside it. Answers are checked first: with a wrong one the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from ..compare.measure import machine
from ..compare.peers import plotted
from . import measure, report

RESULTS = Path(__file__).parents[1] / "results"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.penrose", description=__doc__)
    options.add_argument("directory", type=Path)
    options.add_argument("--only", nargs="+", default=[], metavar="NAME")
    options.add_argument("--core", action="store_true")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--out", type=Path, default=RESULTS / "penrose.json")
    given = options.parse_args()
    files = measure.chosen(given.directory.resolve(), given.only, given.core)
    if not files:
        options.error(f"no such graphs in {given.directory}")
    if wrong := measure.prepared():
        options.error(f"the original Rose cannot be had: {wrong}")
    before, rows = os.getloadavg()[0], list[measure.Row]()
    for file in files:
        for row in measure.measured(file, given.rounds):
            rows.append(row)
            print(*[row.get(k, "") for k in ("graph", "tool", "bytes", "us", "error")], sep=" | ", flush=True)
        found = {"rows": rows, "rounds": given.rounds, "load": [before, os.getloadavg()[0]], "machine": machine()}
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    print(report.tables(rows))
    print(plotted(given.out, given.out.parent, Path(__file__).with_name("plots.py")) or f"written: {given.out}")
    sys.exit(any("error" in row for row in rows))


main()

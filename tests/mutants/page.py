"""The tables of benchmarks/results/mutants.md, of the ledgers that the tools write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

PAGE = Path(__file__).parents[2] / "benchmarks" / "results" / "mutants.md"


def placed(page: str, name: str, table: str) -> str:
    """The page with a table in the place of that of this name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, rest = page.split(begin)
    return before + begin + table + end + rest.split(end)[1]


def of_faults(ledger: Sequence[Mapping[str, Any]]) -> str:
    """How many faults were found, and in how many seconds of a processor."""
    found, seconds = sum([row["found by"] is not None for row in ledger]), [row["seconds"] for row in ledger]
    head = "| found | missed | seconds of a processor for each, median | sum |\n|---:|---:|---:|---:|\n"
    return head + f"| {found} | {len(ledger) - found} | {median(seconds):.1f} | {sum(seconds):.0f} |\n"


def of_files(ledger: Mapping[str, Mapping[str, Any]]) -> str:
    """The files, the best first: kills for each 100 seconds that a run without a fault takes."""
    rate = lambda row: 100 * len(row["found"]) / row["seconds"]
    head = "| tests | seconds | found, of those asked | found in 100 s |\n|---|---:|---:|---:|\n"
    line = "| `{}` | {:.1f} | {} of {} | {:.1f} |\n"
    rows = sorted(ledger.items(), key=lambda item: -rate(item[1]))
    return head + "".join([line.format(f, r["seconds"], len(r["found"]), len(r["asked"]), rate(r)) for f, r in rows])

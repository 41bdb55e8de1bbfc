"""`python -m tests.mutants.power 16,40 FILE ...`: what test files find of these faults, each file alone, for its time.

What takes long and finds nothing that a cheaper file does not has cases that are left to `make fuzz`. The ledger is
benchmarks/results/kills.json; its table is written into benchmarks/results/mutants.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from .__main__ import NONE, ROOT, planted, searched
from .page import PAGE, of_files, placed
from .table import MUTANTS, Mutant

LEDGER = ROOT / "benchmarks" / "results" / "kills.json"


def asked(mutant: Mutant, files: list[str]) -> dict[str, tuple[str | None, float]]:
    """What each file finds of a fault, and in how many seconds of a processor."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        planted(mutant, Path(folder))
        return {file: searched(mutant, Path(folder), [file]) for file in files}


def main(numbers: list[int], files: list[str]) -> None:
    ledger = json.loads(LEDGER.read_text()) if LEDGER.exists() else {}
    for file, (by, seconds) in asked(NONE, files).items():
        if by is not None:
            sys.exit(f"without a fault, {by} fails: nothing is written")
        print(f"{seconds:6} s  {file}", flush=True)
        ledger[file] = {"seconds": seconds, "asked": list[int](), "found": list[int]()}
    for k in numbers:
        for file, (by, seconds) in asked(MUTANTS[k], files).items():
            print(f"{seconds:6} s  {k} {MUTANTS[k].file}  {by or 'MISSED by ' + file}", flush=True)
            ledger[file]["asked"] += [k]
            ledger[file]["found"] += [k] if by is not None else []
        LEDGER.write_text(json.dumps(ledger, indent=1, sort_keys=True) + "\n")
        PAGE.write_text(placed(PAGE.read_text(), "kills", of_files(ledger)))


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1].split(",")], sys.argv[2:])

"""`python -m tests.mutants`: all faults, or those with the numbers that are given; two at a time.

With `--own`, only the tests of the file itself are asked: a minute for many faults, where these find them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .page import PAGE, of_faults, placed
from .table import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
LEDGER = ROOT / "benchmarks" / "results" / "mutants.json"
AT_ONCE = int(os.environ.get("AT_ONCE", "2"))
LAWS = ("tests/laws/test_table.py", "tests/laws/test_kinks.py")
APART = (".git", ".venv", ".peers", "node_modules", "build", "dist", ".hypothesis", ".pytest_cache", ".ruff_cache")


NONE = Mutant("rose/version.py", "VERSION", "VERSION")  # the tree as it is


def planted(mutant: Mutant, tree: Path) -> None:
    """A copy of the tree, with the fault in it."""
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.file} does not have {mutant.old!r} once: mend tests/mutants/table.py"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*APART), dirs_exist_ok=True)
    (tree / mutant.file).write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def order(mutant: Mutant) -> list[str]:
    """The parts of the suite: the tests of the file itself, or "", then first what finds most in the least time."""
    path = Path(mutant.file)
    own = Path("tests") / path.with_name(f"test_{path.stem.strip('_')}.py")
    return [str(own) if (ROOT / own).exists() else "", *LAWS, "tests/laws", "tests"]


def found(mutant: Mutant, parts: Sequence[str] | None = None) -> dict[str, Any]:
    """What found the fault, of the parts of the suite, and in how many seconds of a processor; null if nothing did."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        planted(mutant, Path(folder))
        by, seconds = searched(mutant, Path(folder), order(mutant) if parts is None else parts)
    return {**mutant._asdict(), "found by": by, "seconds": round(seconds, 1)}


def searched(mutant: Mutant, tree: Path, parts: Sequence[str]) -> tuple[str | None, float]:
    if mutant.file.endswith(".js") and (by := by_node(tree)):
        return by, 0.0
    command = [sys.executable, "-B", "-m", "tests.mutants.search", *parts]
    env = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("found by ", "seconds "))]
    told = dict(line.rsplit(" ", 1) if line.startswith("s") else ("by", line[9:]) for line in lines)
    by = told.get("by") or (None if done.returncode == 0 else f"exit {done.returncode}")
    return by, float(told.get("seconds", 0))


def by_node(tree: Path) -> str | None:
    """The first test of the runtime in JavaScript that fails, where node is."""
    if shutil.which("node") is None:
        return None
    scripts = sorted(str(p) for p in (tree / "tests" / "js").glob("*.test.*js"))
    command, env = ["node", "--test", "--test-reporter=tap", *scripts], os.environ | {"PYTHON": sys.executable}
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True)
    failed = [line.strip() for line in done.stdout.splitlines() if line.strip().startswith("not ok")]
    return f"tests/js: {failed[0].partition(' - ')[2]}" if failed else None


def main(numbers: list[int], *, own: bool = False) -> None:
    ledger = {row["file"] + row["old"]: row for row in json.loads(LEDGER.read_text())} if LEDGER.exists() else {}
    start = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        chosen = [MUTANTS[k] for k in numbers] or MUTANTS
        asked = [order(m)[:1] if own else order(m) for m in chosen]
        clean = [pool.submit(found, NONE, parts) for parts in ([*{x[0]: x for x in asked}.values()] if own else [None])]
        for row in pool.map(found, chosen, asked):
            by = row["found by"] or "MISSED"
            print(f"{row['seconds']:6} s  {row['file']}: {row['new'][:50]!r}  {by}", flush=True)
            ledger[row["file"] + row["old"]] = row
        if failing := [by for c in clean if (by := c.result()["found by"])]:
            sys.exit(f"without a fault, {failing} fails: nothing is written")
    rows = [ledger[m.file + m.old] for m in MUTANTS if m.file + m.old in ledger]
    LEDGER.write_text(json.dumps(rows, indent=1) + "\n")
    PAGE.write_text(placed(PAGE.read_text(), "faults", of_faults(rows)))
    hits = sum(row["found by"] is not None for row in rows)
    seconds = sum(row["seconds"] for row in rows)
    print(f"{hits} of {len(rows)} found; {seconds:.0f} s of a processor, {time.monotonic() - start:.0f} s in all")


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1:] if x != "--own"], own="--own" in sys.argv)

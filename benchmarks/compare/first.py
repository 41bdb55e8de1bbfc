"""The first call in Node of programs that are written out, when the engine compiles what is called: ours, and Rose's.

`python -m benchmarks.compare.first`. Milliseconds of the first call of a module that is ready; and all that was before,
from the import of the tool on. Medians of new processes, in which both tools have their turns.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from typing import Any

from . import inside, peers, report
from .programs import programs

WRITTEN_OUT = ("unrolled", "calls")
TOOLS = [t for t in peers.TOOLS if t.name in ("ours, JavaScript", "Rose 0.4.10")]
PROCESSES = 7


def cells(runs: list[dict[str, Any]]) -> list[str]:
    """What is said of a tool: the first call, and what comes before it."""
    if wrong := [r["error"] for r in runs if "error" in r]:
        return [wrong[0], ""]
    calls, starts = [r["call_ms"] for r in runs], [r["first_ms"] - r["call_ms"] for r in runs]
    return [f"{statistics.median(calls):.2f}", f"{statistics.median(starts):.1f}"]


def main() -> None:
    missing = peers.prepared(TOOLS)
    tools = [t for t in TOOLS if t.name not in missing]
    lines: list[list[str]] = []
    with tempfile.TemporaryDirectory() as temporary:
        for p in [p for p in programs() if max(p.sizes.values()) <= 1000]:
            for form in [f for f in p.forms if f in WRITTEN_OUT]:
                file = peers.written(p, inside.known(p, Path(temporary)), Path(temporary))
                turns = [[peers.run(t, form, file) for t in tools] for _ in range(PROCESSES)]
                found = [cells(list(runs)) for runs in zip(*turns, strict=True)]
                lines.append([p.name, form, *[x for both in found for x in both]])
                print(lines[-1], flush=True)
    headings = [x for t in tools for x in (f"{t.name}: first call, ms", "before, ms")]
    print(missing or "", report.table(["program", "form", *headings], lines), sep="\n")


if __name__ == "__main__":
    main()

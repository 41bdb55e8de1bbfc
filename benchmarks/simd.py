"""Two iterations of a loop at once: `python -m benchmarks.simd [the beginning of a program's name ...]`.

The programs of `compare`, as they are compiled without and with `simd`, and the adjoints by hand as native code of the
C compiler's best: microseconds of an evaluation, median, all ways in turns in one run; and how much each is of that
native code. With `simd=True` the answer has the same bits, which is checked, as is that of all others, approximately.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .compare import byhand, check, innode, measure, modules, report, timing
from .compare.programs import Program, programs

RESULTS = Path(__file__).parent / "results"
NATIVE = "C -O3 native"
WAYS: dict[str, bool | str] = {"scalar": False, "simd": True, "relaxed": "relaxed"}


def measured(p: Program, form: str, folder: Path) -> dict[str, Any]:
    """A row for a form of a program."""
    made = {way: modules.ours(p, p.forms[form], simd) for way, simd in WAYS.items()}
    running = {way: modules.Running(m) for way, m in made.items()}
    native = byhand.Native(p, byhand.NATIVE[NATIVE], folder)
    known = native.answer()
    for way, x in running.items():
        check.agree(f"{p.name}, {form}, {way}", x.answer(), known)
    answers = [running[way].answer() for way in ("scalar", "simd")]
    assert answers[0][0] == answers[1][0] and answers[0][1].tobytes() == answers[1][1].tobytes(), p.name
    ns = timing.rounds({**{way: x.loop for way, x in running.items()}, NATIVE: native.loop})
    row: dict[str, Any] = {"program": p.name, "form": form, "bytes": {way: len(m.wasm) for way, m in made.items()}}
    row["us"] = {way: statistics.median(times) / 1e3 for way, times in ns.items()}
    row["over native"] = {way: timing.ratio(ns[way], ns[NATIVE]) for way in WAYS}
    row["of scalar"] = {way: timing.ratio(ns[way], ns["scalar"]) for way in ("simd", "relaxed")}
    in_node = innode.times({p.name: {way: made[way] for way in ("scalar", "simd")}}, folder)
    for found in in_node or []:  # which may not have what is relaxed
        row["node, of scalar"] = timing.ratio(found["ns"]["simd"], found["ns"]["scalar"])
    return row


def table(rows: Sequence[dict[str, Any]]) -> str:
    """For `results/simd.md`."""
    ratios = [*[("over native", way) for way in WAYS], *[("of scalar", way) for way in ("simd", "relaxed")]]
    headings = ["program", "form", *[f"{way}, µs" for way in (*WAYS, NATIVE)]]
    headings += [f"{way}, {what}" for what, way in ratios] + ["node: simd, of scalar"]
    lines: list[list[str]] = []
    for row in rows:
        times = [report.shown(row["us"][way]) for way in (*WAYS, NATIVE)]
        found = [report.times(row[what][way]) for what, way in ratios]
        lines.append([row["program"], row["form"], *times, *found, report.times(row.get("node, of scalar"))])
    fastest = {row["program"]: row for row in sorted(rows, key=lambda row: -row["us"]["relaxed"])}
    for name, among in (("geometric mean", rows), ("of the fastest forms", list(fastest.values()))):
        means = [report.times(report.mean([row[what][way] for row in among])) for what, way in ratios]
        nodes = [row["node, of scalar"] for row in among if "node, of scalar" in row]
        lines.append([name, "", *[""] * 4, *means, report.times(report.mean(nodes) if nodes else None)])
    return report.table(headings, lines)


def main(names: Sequence[str] = ()) -> None:
    gc.disable()
    chosen = [p for p in programs() if not names or any(p.name.startswith(x) for x in names)]
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(p, form, Path(folder)) for p in chosen for form in p.forms]
    print(table(rows))
    if not names:
        RESULTS.mkdir(exist_ok=True)
        text = json.dumps({"machine": measure.machine(), "programs": rows}, indent=1)
        (RESULTS / "simd.json").write_text(text + "\n")
        report.put(RESULTS / "simd.md", "simd", table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])

"""What was measured of these programs, as tables for `benchmarks/results/written.md`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..compare import report
from ..compare.report import clean, shown, times
from .measure import OURS

Row = dict[str, Any]
RESULTS = Path(__file__).parents[1] / "results"
FIGURES, PAGE = RESULTS / "written.json", RESULTS / "written.md"
SLOWER = 1.05  # simd over plain


def plain(row: Row) -> float | None:
    """Ours as it is compiled without a word, over the adjoint in C."""
    return row.get("over C", {}).get("plain")


def best(row: Row) -> float | None:
    """The fastest of ours over the adjoint in C with SIMD."""
    return min([x for way, x in row.get("over C simd", {}).items() if way in OURS], default=None)


def in_node(row: Row) -> Row:
    return row.get("node", {})


def ratios(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """By what is compared: the ratio of each program."""
    kinds = {
        "plain, over C, in wasmtime": plain,
        "the fastest of plain, simd and relaxed, over C -msimd128, in wasmtime": best,
        "plain, over C, in node": lambda row: plain(in_node(row)),
        "the faster of plain and simd, over C -msimd128, in node": lambda row: best(in_node(row)),
        "plain, over native C -O2": lambda row: over_native(row),
        "called from Python, over JAX": lambda row: row.get("calls", {}).get("over JAX"),
    }
    return {kind: {row["program"]: x for row in rows if (x := of(row)) is not None} for kind, of in kinds.items()}


def over_native(row: Row) -> float | None:
    us = row.get("us", {})
    return us["plain"] / us["native"] if "plain" in us and "native" in us else None


def named(found: dict[str, float]) -> str:
    """Programs with their ratios, the largest first."""
    return ", ".join([f"{name} {x:.2f}" for name, x in sorted(found.items(), key=lambda y: -y[1])]) or "none"


def summary(rows: Sequence[Row]) -> str:
    """The means, the worst and how many are above."""
    lines: list[list[str]] = []
    found = ratios(rows)
    for kind, of in found.items():
        if of:
            worst = max(of, key=lambda name: of[name])
            above = [str(sum(x > bound for x in of.values())) for bound in (1.2, 2)]
            mean = times(report.mean([*of.values()]))
            lines.append([kind, str(len(of)), mean, f"{times(of[worst])} ({worst})", *above])
    table = report.table(["ratio", "programs", "geometric mean", "worst", "above 1.2", "above 2"], lines)
    slower = {row["program"]: x for row in rows if (x := row.get("simd of plain", 0)) > SLOWER}
    lost = {name: x for name, x in found["called from Python, over JAX"].items() if x > 1}
    wrong = [row["program"] for row in rows if row["errors"]]
    said = [
        f"- simd slower than plain by more than 5 %, in wasmtime: {named(slower)}",
        f"- slower than JAX, called from Python: {named(lost)}",
        f"- with an error: {', '.join(wrong) or 'none'}",
    ]
    return "\n".join([table, *said, ""])


def cells(row: Row) -> list[str]:
    us, node, calls = row.get("us", {}), in_node(row), row.get("calls", {})
    compiled = row.get("compile ms")
    return [
        row["program"],
        row.get("field", ""),
        row.get("style", ""),
        *[shown(us.get(way)) for way in (*OURS, "C", "C simd", "native")],
        times(plain(row)),
        times(best(row)),
        *[shown(node.get("us", {}).get(way)) for way in ("plain", "C")],
        times(plain(node)),
        times(best(node)),
        *[shown(calls.get("us", {}).get(tool)) for tool in ("called", "JAX")],
        times(calls.get("over JAX")),
        "" if compiled is None else f"{compiled:.0f}",
        *[f"{row['bytes'][way]:,}" if way in row["bytes"] else "" for way in ("plain", "simd", "C")],
        clean("; ".join([f"{way}: {said}" for way, said in row["errors"].items()])),
    ]


def table(rows: Sequence[Row]) -> str:
    """A line for each program."""
    headings = ["program", "field", "style", "plain, µs", "simd", "relaxed", "C", "C simd", "native C"]
    headings += ["plain over C", "best over C simd", "node: plain, µs", "C", "plain over C", "best over C simd"]
    headings += ["Python: ours, µs", "JAX", "ours over JAX", "compiling, ms", "bytes", "simd", "C", "error"]
    return report.table(headings, [cells(row) for row in rows])


def line(row: Row) -> str:
    """A program, while others are measured."""
    return " | ".join([x for x in cells(row) if x])


def documents(found: Row) -> None:
    report.put(PAGE, "written in short", summary(found["rows"]))
    report.put(PAGE, "written", table(found["rows"]))

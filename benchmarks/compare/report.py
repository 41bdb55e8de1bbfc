"""What was measured, as tables: into `benchmarks/RESULTS.md` and the README, between two marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
ROOT = Path(__file__).parents[2]


def put(path: Path, mark: str, text: str) -> None:
    """Replace what stands between the marks."""
    begin, end = f"<!-- {mark}: written by `make bench` -->\n", f"<!-- end of {mark} -->\n"
    whole = path.read_text()
    head, found, rest = whole.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{path.name} has no marks for {mark}: write them where the table is to be")
    path.write_text(f"{head}{begin}{text}{end}{tail}")


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "".join([f"| {' | '.join(line)} |\n" for line in lines])


def shown(us: float | None) -> str:
    """Microseconds, with three digits."""
    if us is None:
        return ""
    return f"{us:,.0f}" if us >= 100 else f"{us:.{max(0, 2 - math.floor(math.log10(us)))}f}"


def times(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"


def mean(ratios: Sequence[float]) -> float:
    """Geometric."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def inside(rows: Sequence[Row]) -> str:
    """The table of evaluations inside of modules: a line for each program and form."""
    at = {(r["program"], r["form"], r["engine"]): r for r in rows if "us" in r}
    lines: list[list[str]] = []
    forms = dict.fromkeys((r["program"], r["form"]) for r in rows if r["tool"] == "ours")

    def number(program: str, form: str, engine: str, column: str) -> float | None:
        return at.get((program, form, engine), {}).get(column)

    for program, form in forms:
        native = [shown(number(program, way, "native", "us")) for way in ("C -O2", "C -O3 native")]
        cells: list[str] = []
        for engine in ("wasmtime", "node"):
            ratio = times(number(program, form, engine, "over C"))
            cells += [shown(number(program, form, engine, "us")), shown(number(program, "C", engine, "us")), ratio]
        wrong = [r["error"] for r in rows if (r["program"], r["form"]) == (program, form) and "error" in r]
        lines.append([program, form, *(wrong * 1 or cells[:1]), *cells[1:], *native])
    means = [
        times(mean(found)) if (found := [x for p, f in forms if (x := number(p, f, engine, "over C"))]) else ""
        for engine in ("wasmtime", "node")
    ]
    lines.append(["geometric mean", "", "", "", means[0], "", "", means[1], "", ""])
    headings = ["program", "form", "wasmtime: ours, µs", "C, µs", "ratio", "node: ours, µs", "C, µs", "ratio"]
    return table([*headings, "C -O2, µs", "C -O3 native, µs"], lines)

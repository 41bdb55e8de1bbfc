"""What was measured, as tables between two marks, for `benchmarks/results/compare.md` and `web/docs/speed.md`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
ROOT = Path(__file__).parents[2]
ENGINES = ("wasmtime", "node")
SIZES = ("bytes", "gzipped", "memory", "tape")


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
    """Evaluations inside of modules: a line for each program and form."""
    at = {(r["program"], r["form"], r["engine"]): r for r in rows if "us" in r}
    wrong = {(r["program"], r["form"]): r["error"] for r in rows if "error" in r}
    forms = dict.fromkeys((r["program"], r["form"]) for r in rows if r["tool"] == "ours")

    def number(program: str, form: str, engine: str, column: str = "us") -> float | None:
        return at.get((program, form, engine), {}).get(column)

    lines: list[list[str]] = []
    for program, form in forms:
        cells: list[str] = []
        for engine in ENGINES:
            both = [shown(number(program, way, engine)) for way in (form, "C")]
            cells += [*both, times(number(program, form, engine, "over C"))]
        if (program, form) in wrong:
            cells[0] = wrong[program, form]
        native = [shown(number(program, way, "native")) for way in ("C -O2", "C -O3 native")]
        lines.append([program, form, *cells, *native])
    ratios = {e: [(p, x) for p, f in forms if (x := number(p, f, e, "over C"))] for e in ENGINES}
    least = {e: list({p: x for p, x in sorted(found, key=lambda y: -y[1])}.items()) for e, found in ratios.items()}
    for name, of in (("geometric mean", ratios), ("of the fastest forms", least)):
        means = [cell for e in ENGINES for cell in ("", "", times(mean([x for _, x in of[e]])) if of[e] else "")]
        lines.append([name, "", *means, "", ""])
    headings = ["program", "form", "wasmtime: ours", "C", "ratio", "node: ours", "C", "ratio", "C -O2", "C -O3 native"]
    return table(headings, lines)


def costs(rows: Sequence[Row]) -> str:
    """The way to the first evaluation."""
    stages = list(rows[0]["ms"])
    lines = [
        [r["program"], r["form"], *[f"{r['ms'][k]:.2f}" for k in stages], f"{sum(r['ms'].values()):.1f}"]
        + [f"{r[k]:,}" for k in SIZES]
        for r in rows
    ]
    return table(["program", "form", *[f"{k}, ms" for k in stages], "all", *SIZES], lines)


def best(rows: Sequence[Row], tool: str, program: str) -> Row:
    """The fastest form of a program in a tool; one with an error, if it has no other."""
    found = [r for r in rows if r["tool"] == tool and r.get("program") == program]
    return min(found, key=lambda r: r.get("us", math.inf), default={})


def called(row: Row) -> str:
    return shown(row.get("us")) or ("failed" if row else "–")


def calls(rows: Sequence[Row], inner: Sequence[Row]) -> str:
    """A call with data in and out: a line for each program, a column for each tool, with its fastest form."""
    names = list(dict.fromkeys(r["tool"] for r in rows))
    absent = {r["tool"] for r in rows if "program" not in r}
    lines: list[list[str]] = []
    for program in dict.fromkeys(r["program"] for r in inner):
        own = [r for r in inner if r.get("engine") == "wasmtime" and r["program"] == program and "us" in r]
        least = [min([r["us"] for r in own if r["tool"] == t], default=None) for t in ("ours", "C")]
        cells = ["not installed" if t in absent else called(best(rows, t, program)) for t in names]
        lines.append([program, *map(shown, least), *cells])
    return table(["program", "ours, inside", "C, inside", *names], lines)


def starts(rows: Sequence[Row]) -> str:
    """What a tool takes before its first answer, and the memory of its process: medians and largest of all programs."""
    lines: list[list[str]] = []
    for tool in dict.fromkeys(r["tool"] for r in rows):
        done = [r for r in rows if r["tool"] == tool and "us" in r]
        if done:
            first = sorted(r["first_ms"] for r in done)
            figures = [sorted(r["import_ms"] for r in done)[len(done) // 2], first[len(done) // 2], first[-1]]
            lines.append([tool, *[f"{x:,.1f}" for x in figures], f"{max(r['rss_mb'] for r in done):,.0f}"])
    return table(["tool", "import, ms", "first answer, ms", "the slowest", "memory, MB"], lines)


def failures(rows: Sequence[Row]) -> str:
    """What was not installed, not computed, or not right."""
    wrong = [r for r in rows if "error" in r]
    return table(
        ["tool", "program", "form", "what it said"],
        [[r["tool"], r.get("program", "all"), r.get("form", ""), clean(r["error"])] for r in wrong],
    )


def clean(text: str) -> str:
    return " ".join(text.replace("|", "/").split())[:160]

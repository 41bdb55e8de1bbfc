"""What was measured of the functions, as tables for `benchmarks/results/from_jax.md`."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..compare import report
from ..compare.report import clean, shown, times

Row = dict[str, Any]
RESULTS = Path(__file__).parents[1] / "results"
FIGURES, PAGE = RESULTS / "from_jax.json", RESULTS / "from_jax.md"
BOUND = 1e-10
COMPARED = ("value", "gradient", "Hessian product", "JAX's gradient")
OURS = ("import", *COMPARED)  # whose errors are ours


def wrong(row: Row) -> list[str]:
    """What of a function differs from JAX's by more than the bound."""
    return [what for what in COMPARED if row.get(what, 0.0) > BOUND]


def failed(row: Row) -> dict[str, str]:
    """What of ours there is not, where JAX has it, and why."""
    errors: dict[str, str] = row.get("errors", {})
    none = {"Hessian product": "JAX, forward twice", "gradient": "JAX, forward"}
    return {k: e for k, e in errors.items() if k in OURS and none.get(k, "") not in errors}


def imported(row: Row) -> bool:
    return "value" in row


def median(rows: Sequence[Row], key: str) -> str:
    found = [row[key] for row in rows if key in row]
    if not found:
        return ""
    m = statistics.median(found)
    return (f"{m:,.0f}" if m >= 100 else f"{m:.2f}") + f" ({len(found)} functions)"


def summary(rows: Sequence[Row]) -> str:
    """The aims, and what was measured."""
    there = [row for row in rows if imported(row)]
    right = [row for row in there if not wrong(row) and not failed(row)]
    lines = [
        ["imported", "45 of 50", f"{len(there)} of {len(rows)}"],
        ["value, gradient, Hessian product within 1e-10 of JAX's", "all imported", f"{len(right)} of {len(there)}"],
        ["module of the value, bytes gz", "8,000, median", f"{median(there, 'value, bytes gz')}"],
        ["module of the gradient, bytes gz", "8,000, median", f"{median(there, 'gradient, bytes gz')}"],
        [
            "a call of the gradient from Python over `jax.jit`'s, processor",
            "0.5, median",
            median(there, "calls over JAX"),
        ],
        ["first value and gradient over JAX's", "0.5, median", median(there, "first over JAX")],
        ["import, for each equation, µs", "100, median", f"{median(there, 'us per equation')}"],
    ]
    said = [f"- {row['library']}, {row['function']}: {_said(row)}" for row in rows if row not in right]
    return "\n".join([report.table(["", "aim", "measured"], lines), *said, ""])


def _said(row: Row) -> str:
    """What is not as it should be."""
    far = [f"{what} differs by {row[what]:.0e}" for what in wrong(row)]
    errors = failed(row) if "errors" in row else {"": row.get("error", "not measured")}
    said = "; ".join([*far, *[f"{what}: {e}" for what, e in errors.items()]])
    return clean(re.sub(r" \(/[^)]*(\)|$)", "", said))  # without the files of this machine


def cells(row: Row) -> list[str]:
    differ = [f"{row[what]:.0e}" if what in row else "" for what in COMPARED]
    ratios = [times(row.get("calls over JAX")), *[_seconds(row, name) for name in ("ours", "JAX")]]
    return [
        row["library"],
        row["function"],
        str(row.get("equations", "")),
        *differ,
        *[f"{row[key]:,}" if (key := f"{what}, bytes gz") in row else "" for what in ("value", "gradient")],
        *[shown(row.get(f"{name}, us")) for name in ("ours", "JAX")],
        *ratios,
        times(row.get("first over JAX")),
        shown(row.get("us per equation")),
    ]


def _seconds(row: Row, name: str) -> str:
    found = row.get(f"first answer, {name}, s")
    return "" if found is None else f"{found:.2f}"


def table(rows: Sequence[Row]) -> str:
    headings = ["library", "function", "equations", "value", "gradient", "Hessian product", "JAX's gradient"]
    headings += ["value, gz", "gradient, gz", "ours, µs", "JAX, µs", "ours over JAX", "first: ours, s", "JAX, s"]
    return report.table([*headings, "ours over JAX", "µs an equation"], [cells(row) for row in rows])


def line(row: Row) -> str:
    """A function, while others are measured."""
    return " | ".join([*[x for x in cells(row) if x], _said(row)])


def document(rows: Sequence[Row]) -> None:
    report.put(PAGE, "from JAX in short", summary(rows))
    report.put(PAGE, "from JAX", table(rows))

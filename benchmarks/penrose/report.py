"""What was measured on graphs of Penrose's, as tables: quantiles over all graphs, and the worst ones by name.

Times are of the processor, which other work on the machine disturbs less, but where it says that they are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..compare.report import clean, shown, table, times

Row = dict[str, Any]
ORIGINAL = "the original"
SHARES = {"25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "largest": 1.0}


def first_gradient(row: Row, clock: str = "cpu", warm: bool = True) -> float:
    """Milliseconds from a graph to its first gradient; by code that has made one before, or in a new process."""
    again = "_again" if warm else ""
    return row[f"build{again}"][clock] + row[f"compile{again}"][clock] + row["first"][clock]


def layout(row: Row) -> float:
    """Milliseconds from a graph to its layout; the original goes on from its first gradient."""
    return row["layout"]["cpu"] if "layout" in row else first_gradient(row) + row["optimise"]["cpu"]


QUANTITIES: dict[str, tuple[str, Callable[[Row], float]]] = {  # of ours in which engine
    "to the first gradient, ms": ("ours", first_gradient),
    "the same on the wall, ms": ("ours", lambda r: first_gradient(r, "wall")),
    "the same in a new process, ms": ("ours", lambda r: first_gradient(r, "cpu", False)),
    "a gradient, us": ("ours", lambda r: r["us"]),
    "a gradient in node, us": ("ours, node", lambda r: r["us"]),
    "the search for a layout, ms": ("ours", lambda r: r["optimise"]["cpu"]),
    "the search in node, ms": ("ours, node", lambda r: r["optimise"]["cpu"]),
    "from graph to layout, ms": ("ours", layout),
    "bytes": ("ours", lambda r: r["bytes"]),
}


def quantile(xs: Sequence[float], share: float) -> float:
    """Between two of them, in proportion."""
    ordered = sorted(xs)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def pairs(rows: Sequence[Row], quantity: str) -> dict[str, tuple[float, float]]:
    """What ours and the original take for each graph that both have right."""
    ours, of = QUANTITIES[quantity]
    found = {(r["graph"], r["tool"]): r for r in rows if "error" not in r}
    names = [name for name, tool in found if tool == ours and (name, ORIGINAL) in found]
    return {name: (of(found[name, ours]), of(found[name, ORIGINAL])) for name in names}


def quantiles(rows: Sequence[Row]) -> str:
    """For each quantity three lines: ours, the original, and how much of it ours is, graph by graph."""
    lines: list[list[str]] = []
    for quantity in QUANTITIES:
        found = pairs(rows, quantity).values()
        if found:
            for name, xs in (("ours", [x for x, _ in found]), ("original", [y for _, y in found])):
                lines.append([quantity, name, *[shown(quantile(xs, share)) for share in SHARES.values()]])
            ratios = [x / y for x, y in found]
            lines.append([quantity, "ratio", *[times(quantile(ratios, share)) for share in SHARES.values()]])
    return table(["quantity", "of", *SHARES], lines)


def value(found: Row) -> float:
    """Where a search ended: JSON of JavaScript has null for a nan."""
    return math.nan if found["value"] is None else found["value"]


def searches(rows: Sequence[Row]) -> str:
    """How ours ended beside the original: how many graphs, of all that both optimised."""
    found = {(r["graph"], r["tool"]): r["optimise"] for r in rows if "error" not in r}
    names = [name for name, tool in found if tool == "ours" and (name, ORIGINAL) in found]
    both = [(found[name, "ours"], found[name, ORIGINAL]) for name in names]
    both = [({**a, "value": value(a)}, {**b, "value": value(b)}) for a, b in both]
    close = lambda x, y: abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1e-6)
    counts = {
        "converged": sum([a["converged"] for a, _ in both]),
        "of the original converged": sum([b["converged"] for _, b in both]),
        "asked for as many gradients": sum([a["asked"] == b["calls"] for a, b in both]),
        "ended at the same weight": sum([a["weight"] == b["weight"] for a, b in both]),
        "ended at the same value, to 1e-6": sum([close(a["value"], b["value"]) for a, b in both]),
        "ended at a lower value": sum([a["value"] < b["value"] and not close(a["value"], b["value"]) for a, b in both]),
    }
    return table(["of the searches", str(len(both))], [[name, str(count)] for name, count in counts.items()])


def worst(rows: Sequence[Row], most: int = 5) -> str:
    """The graphs with which ours does worst, for each quantity."""
    lines: list[list[str]] = []
    for quantity in QUANTITIES:
        found = sorted(pairs(rows, quantity).items(), key=lambda item: -item[1][0] / item[1][1])[:most]
        lines += [[quantity, name, shown(x), shown(y), times(x / y)] for name, (x, y) in found]
    return table(["quantity", "graph", "ours", "original", "ratio"], lines)


def tables(rows: Sequence[Row]) -> str:
    wrong = [[r["graph"], r["tool"], clean(r["error"])] for r in rows if "error" in r]
    failed = [table(["graph", "tool", "what it said"], wrong)] if wrong else []
    return "\n".join([quantiles(rows), searches(rows), worst(rows), *failed])

"""`python plots.py penrose.json folder`: a plot, as SVG. Runs where matplotlib is; the project does without."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt

plt.rcParams.update({"svg.hashsalt": "rose", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
OURS, THEIRS = "#b5173f", "#2f6f9f"


def first(row):
    return sum(row[k]["cpu"] for k in ("build_again", "compile_again", "first"))


QUANTITIES = {
    "from graph to first gradient, ms": first,
    "a gradient, arrays in and out, us": lambda row: row["us"],
    "the whole search for a layout, ms": lambda row: row["optimise"]["cpu"],
}


def main(figures, folder):
    """Each graph a point: ours upwards, the original to the right; below the line ours is faster."""
    rows = {(r["graph"], r["tool"]): r for r in json.loads(figures.read_text())["rows"] if "error" not in r}
    figure, all_axes = plt.subplots(1, len(QUANTITIES), figsize=(10, 3.4))
    for axes, (quantity, of) in zip(all_axes, QUANTITIES.items(), strict=True):
        for tool, colour, mark in (("ours", OURS, "o"), ("ours, node", THEIRS, "D")):
            found = [
                (of(rows[name, "the original"]), of(row))
                for (name, of_tool), row in rows.items()
                if of_tool == tool and (name, "the original") in rows and (tool == "ours" or of is not first)
            ]
            label = "wasmtime, from Python" if tool == "ours" else "node"
            axes.scatter([x for x, _ in found], [y for _, y in found], 14, colour, mark, alpha=0.7, label=label)
        axes.set(xscale="log", yscale="log", title=quantity, xlabel="the original Rose in node")
        ends = axes.dataLim
        low, high = max(1e-4, min(ends.x0, ends.y0)), max(ends.x1, ends.y1)
        axes.plot([low, high], [low, high], color="black", linewidth=0.8)
        axes.grid(linewidth=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    all_axes[0].set_ylabel("ours")
    all_axes[1].legend(frameon=False)
    figure.tight_layout()
    figure.savefig(folder / "penrose.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

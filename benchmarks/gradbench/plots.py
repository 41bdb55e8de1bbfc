"""`python -m benchmarks.gradbench.plots gradbench.json folder`: the plot, as SVG, where matplotlib is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt

from ..compare.plots import COLOURS, over_programs, saved


def tools(rows, folder):
    """What each tool takes, over what ours takes, for each question."""
    at = {(r["eval"], r["workload"], r["function"], r["tool"]): r["us"] for r in rows if "us" in r}
    questions = [k[:3] for k in at if k[3] == "ours" and k[0] != "hello"][::-1]
    names = [t for t in dict.fromkeys(r["tool"] for r in rows) if t != "ours"]
    figure, axes = plt.subplots(figsize=(8, 0.2 * len(questions) + 1.6))
    for k, tool in enumerate(names):
        found = [(at[(*q, tool)] / at[(*q, "ours")], y) for y, q in enumerate(questions) if (*q, tool) in at]
        mark = "D" if tool.startswith("C") and "pp" not in tool else "o"
        places = [x for x, _ in found], [y for _, y in found]
        axes.scatter(*places, 22, COLOURS[k % len(COLOURS)], mark, label=tool, zorder=3 - k / 20, alpha=0.85)
    over_programs(axes, [", ".join(q) for q in questions])
    axes.tick_params(axis="y", labelsize=6)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("time, over that of ours: to the right of the line, ours is faster")
    axes.legend(frameon=False, ncols=5, loc="lower center", bbox_to_anchor=(0.4, 1), fontsize=7)
    saved(figure, folder, "gradbench")


if __name__ == "__main__":
    tools(json.loads(Path(sys.argv[1]).read_text())["rows"], Path(sys.argv[2]))

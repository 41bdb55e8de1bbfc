"""`python plots.py penrose.json folder`: the graphs as points, as SVG. Runs where matplotlib is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt

plt.rcParams.update({"svg.hashsalt": "rose", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
TOOLS = {"Rose 0.4.10": "#2f6f9f", "ours": "#b5173f", "ours, node": "#5a8f29"}
PANELS = {
    "total": ("from the graph to the first gradient, ms", 1, ("Rose 0.4.10", "ours")),
    "gradient": ("one gradient, microseconds", 1e3, ("Rose 0.4.10", "ours", "ours, node")),
}


def plotted(rows, folder):
    figure, both = plt.subplots(1, 2, figsize=(9, 3.6))
    for axes, (key, (title, scale, tools)) in zip(both, PANELS.items(), strict=True):
        for tool in tools:
            done = [(r["nodes"], r[tool][key] * scale) for r in rows if key in r.get(tool, {})]
            axes.scatter([x for x, _ in done], [y for _, y in done], 9, TOOLS[tool], label=tool, linewidths=0)
        axes.set(xscale="log", yscale="log", xlabel="nodes of the graph", title=title)
        axes.title.set_fontsize(9)
        axes.grid(linewidth=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)
    figure.savefig(folder / "penrose.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    plotted(json.loads(Path(sys.argv[1]).read_text())["rows"], Path(sys.argv[2]))

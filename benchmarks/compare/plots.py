"""`python plots.py compare.json folder`: the plots, as SVG. Runs where matplotlib is; the project does without."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt

plt.rcParams.update({"svg.hashsalt": "rose", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
COLOURS = ["#b5173f", "#2f6f9f", "#5a8f29", "#c77b16", "#6c4f9e", "#3d9a93", "#8a5a44", "#777777"]


def saved(figure, folder, name):
    figure.savefig(folder / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def ratios(rows, folder):
    """How much longer ours takes than C, in the same engine."""
    ours = [r for r in rows if r["tool"] == "ours" and "over C" in r]
    labels = list(reversed(dict.fromkeys(f"{r['program']}, {r['form']}" for r in ours)))
    figure, axes = plt.subplots(figsize=(7, 0.22 * len(labels) + 1))
    for engine, colour in (("wasmtime", COLOURS[0]), ("node", COLOURS[1])):
        at = {f"{r['program']}, {r['form']}": r["over C"] for r in ours if r["engine"] == engine}
        points = [(at[label], y) for y, label in enumerate(labels) if label in at]
        axes.scatter([x for x, _ in points], [y for _, y in points], 26, colour, label=engine, zorder=3)
    over_programs(axes, labels)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
    axes.set_xlabel("time of one evaluation, over that of the adjoint by hand in C, in the same engine")
    axes.legend(frameon=False, ncols=2, loc="lower center", bbox_to_anchor=(0.4, 1))
    saved(figure, folder, "ratios")


def over_programs(axes, labels):
    """A line for each program, times to the right."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xscale("log")
    axes.grid(axis="y", linewidth=0.4)
    axes.spines[["top", "right"]].set_visible(False)


def calls(rows, folder):
    """A call with data in and out, in each tool: from Python on the left, from JavaScript on the right."""
    done = [r for r in rows if "us" in r]
    programs = list(reversed(dict.fromkeys(r["program"] for r in done)))
    tools = list(dict.fromkeys(r["tool"] for r in done))
    middle = tools.index(next(t for t in tools if "JavaScript" in t))
    figure, both = plt.subplots(1, 2, figsize=(9, 0.26 * len(programs) + 1.6), sharex=True, sharey=True)
    for axes, names in zip(both, (tools[:middle], tools[middle:]), strict=True):
        for k, tool in enumerate(names):
            found = {p: [r["us"] for r in done if (r["tool"], r["program"]) == (tool, p)] for p in programs}
            points = [(min(us), y) for y, us in enumerate(found.values()) if us]
            places = [x for x, _ in points], [y for _, y in points]
            axes.scatter(*places, 28, COLOURS[k], "D" if "ours" in tool else "o", label=tool, zorder=3 - k / 9)
        over_programs(axes, programs)
        axes.set_xlabel("one call, microseconds")
        axes.legend(frameon=False, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.12))
    saved(figure, folder, "calls")


def stages(rows, folder):
    """Where the time before the first evaluation goes."""
    labels = [f"{r['program']}, {r['form']}" for r in reversed(rows)]
    figure, axes = plt.subplots(figsize=(7, 0.22 * len(labels) + 1))
    begin = [0.0] * len(rows)
    for k, stage in enumerate(rows[0]["ms"]):
        share = [r["ms"][stage] / sum(r["ms"].values()) for r in reversed(rows)]
        axes.barh(labels, share, 0.7, begin, label=stage, color=COLOURS[k])
        begin = [x + y for x, y in zip(begin, share, strict=True)]
    for y, r in enumerate(reversed(rows)):
        axes.text(1.01, y, f"{sum(r['ms'].values()):,.1f} ms", va="center", fontsize=7)
    axes.set_xlabel("share of the time to compile")
    axes.legend(frameon=False, ncols=5, loc="lower center", bbox_to_anchor=(0.4, 1))
    axes.spines[["top", "right"]].set_visible(False)
    saved(figure, folder, "stages")


if __name__ == "__main__":
    found, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    ratios(found["inside"]["rows"], folder)
    calls(found["calls"]["rows"], folder)
    stages(found["costs"]["rows"], folder)

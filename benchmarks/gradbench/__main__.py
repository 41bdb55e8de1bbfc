"""All evals with all tools: `python -m benchmarks.gradbench [EVAL ...]`.

The tools take turns: each is asked the same before any is asked what is next, and all of it `--rounds` times. Times are
those of the processor, and count only where the answer is right. `--sizes` says which of GradBench's workloads are
asked: the first, the middle and the last, unless told otherwise. What is found goes into benchmarks/results.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from ..compare import peers as installing
from ..compare.report import clean, mean, put, shown, table
from . import evals, programs
from .drive import Row, Session
from .peers import taped

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).parents[1] / "results"
HERE = "benchmarks.gradbench"
OURS, NATIVE, WASM = "ours", "C", "C wasm"
TFJS = installing.PEERS / "node" / "gradbench-tfjs.mjs"  # beside node_modules, where node looks for what it imports
LOOSE = {"tfjs cpu": 2e-3, "tfjs wasm": 2e-3}  # tolerance of what computes in 32 bits
CLOSE = 1e-9
SIZES = ("small", "middle", "large")

Found = dict[tuple[str, str], list[Row]]  # by workload and function, a row for each round


def commands() -> dict[str, list[str]]:
    """How each tool is started."""
    own = [sys.executable, "-m"]
    other = [str(installing.python()), "-m", f"{HERE}.peers"]
    return {
        OURS: [*own, f"{HERE}.tool"],
        NATIVE: [*own, f"{HERE}.byhand", "native"],
        "C clang": [*own, f"{HERE}.byhand", "clang"],
        WASM: [*own, f"{HERE}.byhand", "wasm"],
        "C wasm simd": [*own, f"{HERE}.byhand", "wasm-simd"],
        "JAX": [*other, "jax"],
        "PyTorch": [*other, "torch"],
        "ADOL-C": [*own, f"{HERE}.peers.taped", "adolc"],
        "CppAD": [*own, f"{HERE}.peers.taped", "cppad"],
        "tfjs cpu": ["node", str(TFJS), "cpu"],
        "tfjs wasm": ["node", str(TFJS), "wasm"],
    }


def prepared(tools: Sequence[str]) -> dict[str, str]:
    """What others need is installed; the tools for which that cannot be, and why."""
    missing = installing.prepared([tool for tool in installing.TOOLS if tool.name in tools])
    shutil.copy(Path(__file__).parent / "peers" / "tfjs.mjs", TFJS)
    for name, of in (("ADOL-C", "adolc"), ("CppAD", "cppad")):
        if name in tools and (wrong := taped.installed(of)) is not None:
            missing[name] = f"cannot be installed: {wrong}"
    return missing


def chosen(name: str, sizes: Sequence[str]) -> list[str]:
    """The workloads of an eval, by their names."""
    every = list(dict.fromkeys(w.description for w in evals.find(name).workloads()))
    if "all" in sizes or name == "hello":
        return every
    at = dict(zip(SIZES, (0, len(every) // 2, len(every) - 1), strict=True))
    return list(dict.fromkeys(every[at[size]] for size in SIZES if size in sizes))


def sessions(name: str, tools: Sequence[str], options: argparse.Namespace, only: Sequence[str]) -> dict[str, Session]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    asked = [sys.executable, "-m", f"{HERE}.evals", name, "--rounds", str(options.rounds)]
    asked += ["--min-seconds", str(options.min_seconds), *[x for word in only for x in ("--only", word)]]
    made: dict[str, Session] = {}
    for tool in tools:
        asking = [*asked, "--tolerance", str(LOOSE.get(tool, CLOSE))]
        command = [*commands()[tool], "--clock", "cpu"]
        quiet = {"env": environment, "cwd": ROOT, "stderr": None if options.verbose else -3}
        made[tool] = Session(asking, command, options.timeout, **quiet)
    return made


def taken(running: dict[str, Session]) -> None:
    """All exchanges, in turn."""
    left = dict(running)
    while left:
        left = {tool: s for tool, s in left.items() if s.step()}


def by_question(rows: Sequence[Row]) -> Found:
    found: Found = {}
    for row in rows:
        found.setdefault((row.description, row.function), []).append(row)
    return found


def result(name: str, tool: str, key: tuple[str, str], rows: Sequence[Row]) -> dict[str, Any]:
    """Of all rounds: the median of their medians, and what was wrong, if anything was."""
    wrong = next((r.error for r in rows if r.error is not None), None)
    made: dict[str, Any] = {"eval": name, "workload": key[0], "function": key[1], "tool": tool}
    if wrong is not None:
        return made | {"error": clean(wrong)}
    medians = [r.median for r in rows if r.median is not None]
    made |= {"us": statistics.median(medians), "runs": sum(len(r.runs) for r in rows)}
    return made | ({} if rows[0].prepare is None else {"prepare ms": rows[0].prepare / 1e6})


def measured(name: str, tools: Sequence[str], options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of an eval."""
    running = sessions(name, tools, options, chosen(name, options.sizes))
    try:
        taken(running)
    finally:
        for s in running.values():
            s.close()
    rows: list[dict[str, Any]] = []
    for tool, s in running.items():
        if s.outcome not in ("success", "undefined") and "there is no function" not in s.said:
            print(f"{name}, {tool}: {s.outcome}: {clean(s.said)}", flush=True)
        rows += [result(name, tool, key, of) for key, of in by_question(s.rows).items()]
    return rows


# tables


def cell(row: dict[str, Any] | None, ours: float | None) -> str:
    """What a tool took, over what ours took; or in a word what it did in its place."""
    if row is None:
        return ""
    if "us" in row:
        return shown(row["us"]) + (f" ({row['us'] / ours:.2f}×)" if ours else "")
    words = {"there is no function": "", "no answer": "too slow", "off by": "wrong", "is not finite": "wrong"}
    return next((word for part, word in words.items() if part in row["error"]), "failed")


def report(rows: Sequence[dict[str, Any]]) -> str:
    """A line for each question: microseconds, and how often as long as ours."""
    at = {(r["eval"], r["workload"], r["function"], r["tool"]): r for r in rows}
    tools = list(dict.fromkeys(r["tool"] for r in rows))
    lines: list[list[str]] = []
    for key in dict.fromkeys((r["eval"], r["workload"], r["function"]) for r in rows):
        ours = at.get((*key, OURS), {}).get("us")
        lines.append([*key, *[cell(at.get((*key, t)), ours if t != OURS else None) for t in tools]])
    return table(["eval", "workload", "function", *tools], lines)


def ratios(rows: Sequence[dict[str, Any]]) -> str:
    """How many times as long as each tool ours takes: of each eval the mean, and the worst."""
    at = {(r["eval"], r["workload"], r["function"], r["tool"]): r["us"] for r in rows if "us" in r}
    tools = [t for t in dict.fromkeys(r["tool"] for r in rows) if t != OURS]
    lines: list[list[str]] = []
    for name in dict.fromkeys(r["eval"] for r in rows):
        cells: list[str] = []
        for tool in tools:
            both = [(at.get((*k[:3], OURS)), us) for k, us in at.items() if k[0] == name and k[3] == tool]
            found = [ours / us for ours, us in both if ours is not None]
            cells.append(f"{mean(found):.2f}, {max(found):.2f}" if found else "")
        lines.append([name, *cells])
    return table(["ours over", *tools], lines)


def written(rows: Sequence[dict[str, Any]], loads: dict[str, list[float]]) -> None:
    """The figures, the plot, and the tables where there are marks for them."""
    machine = f"{platform.machine()}, {os.cpu_count()} cores, CPython {platform.python_version()}"
    RESULTS.mkdir(exist_ok=True)
    figures, page = RESULTS / "gradbench.json", RESULTS / "gradbench.md"
    figures.write_text(json.dumps({"machine": machine, "load": loads, "rows": rows}, indent=1) + "\n")
    for mark, text in (("gradbench", report(rows)), ("gradbench in short", ratios(rows))):
        if f"<!-- {mark}:" in page.read_text():
            put(page, mark, text)
    plotting = installing.Tool("matplotlib", "", ("matplotlib==3.11.1", "matplotlib"))
    command = [str(installing.python()), "-m", f"{HERE}.plots", str(figures), str(RESULTS)]
    wrong = installing.installed(plotting) or installing.said(command, ROOT)
    if wrong:
        print(f"no plot: {wrong}")


def known(names: Collection[str]) -> Callable[[str], list[str]]:
    """What reads some of these names, with commas between them."""

    def read(text: str) -> list[str]:
        words = text.split(",")
        if missing := [word for word in words if word not in names]:
            raise argparse.ArgumentTypeError(f"{missing[0]!r} is none of {', '.join(names)}")
        return words

    return read


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog=f"python -m {HERE}", description=__doc__)
    parser.add_argument("evals", nargs="*", default=programs.NAMES, metavar="EVAL")
    parser.add_argument("--tools", type=known(commands()), default=list(commands()), help="with commas")
    parser.add_argument("--sizes", type=known((*SIZES, "all")), default=list(SIZES))
    parser.add_argument("--min-seconds", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for each answer")
    parser.add_argument("--verbose", action="store_true", help="let the tools say what they have to say")
    options = parser.parse_args(args)
    missing = prepared(options.tools)
    for tool in [t for t in options.tools if t in missing]:
        print(f"{tool}: {missing[tool]}", flush=True)
    tools = [t for t in options.tools if t not in missing]
    rows: list[dict[str, Any]] = []
    loads: dict[str, list[float]] = {}
    for name in options.evals or programs.NAMES:
        before = os.getloadavg()[0]
        rows += measured(name, tools, options)
        loads[name] = [before, os.getloadavg()[0]]
        print(report([r for r in rows if r["eval"] == name]), flush=True)
    print(ratios(rows))
    written(rows, loads)


if __name__ == "__main__":
    main()

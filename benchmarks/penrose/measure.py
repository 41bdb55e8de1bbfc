"""What a graph costs: from the graph to the first gradient, and a gradient; of ours and of the original Rose.

The tools take turns, graph by graph. Answers are compared with the reference before anything is told. Times to
the first gradient are those of the processor, in milliseconds, of all threads of a process, and the least of several
rounds: the first call in node alone can be timed once, as V8 keeps what it has compiled. What is read from a file is
parsed before. A gradient is timed by the clock, as V8 compiles the same code once more meanwhile: the least of several
samples.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import rose
from rose.build import no_collector

from ..compare.peers import PEERS, Tool, prepared
from .graphs import Graph, number, read
from .layout import laid_out, layout
from .programs import functions

HERE = Path(__file__).parent
BOUND = 1e-9  # of the value, and of the largest entry of the gradient
ROUNDS = 2
ROSE = Tool("the original Rose", "rose.mjs", ("rose@0.4.10",))
Answer = tuple[float, np.ndarray[Any, np.dtype[np.float64]]]


def differs(graph: Graph, answers: list[Answer], *, finite: bool = True) -> float:
    """By how much the answers at the points of a graph differ from the reference; infinity if nan is where none was.

    Entries where the reference has nan are left out, and must be finite; but where the value is nan, too.
    """
    offs = [0.0]
    for point, (phi, gradient) in zip(graph.points.values(), answers, strict=True):
        wanted, found = np.array(point.gradient), np.asarray(gradient)
        known = ~np.isnan(wanted)
        scale = np.abs(wanted[known]).max(initial=0.0)
        offs.append(np.abs(found - wanted)[known].max(initial=0.0) / (scale or 1.0))
        if not np.isnan(point.phi):
            offs.append(abs(phi - point.phi) / max(abs(point.phi), 1e-300))
            offs.append(0.0 if np.isfinite(found).all() or not finite else np.inf)
    return max([float(off) if off == off else np.inf for off in offs])  # nan is not above any number


def opened(file: Path) -> Graph:
    """The graph of a file; with the values of `nan_points.json` beside it, where the reference has nan."""
    graph, beside = read(file), file.with_name("nan_points.json")
    known = json.loads(beside.read_text()) if beside.exists() else {}
    key = file.name.split(".")[0].replace("__", "/")
    for name, point in graph.points.items():
        if (more := known.get(f"{key}|{name}")) is not None:
            for k, x in zip(more["nan_indices"], more["finite_gradient_at_those_indices"], strict=True):
                point.gradient[k] = number(x)
    return graph


def in_python(graph: Graph, rounds: int = ROUNDS) -> tuple[dict[str, Any], rose.Compiled]:
    """The milliseconds of each stage in Python and wasmtime, and of a gradient."""
    x, ones = np.array(graph.inputs), masks(graph)
    best: dict[str, Any] = {"total": np.inf}
    for _ in range(rounds):
        marks = [time.process_time()]
        with no_collector():
            f = functions(graph)["value_and_gradient"]
            marks.append(time.process_time())
            module = rose.compile(f)
        marks.append(time.process_time())
        module(x, 1000.0, *ones)
        marks.append(time.process_time())
        spent = [1e3 * (after - before) for before, after in pairwise(marks)]
        found = dict(zip(("derive", "compile", "first"), spent, strict=True)) | {"total": sum(spent)}
        if found["total"] < best["total"]:
            best = found | {"bytes": len(module.wasm)}
    answers = [module(np.array(p.x), p.weight, *ones) for p in graph.points.values()]
    best |= {"differs": differs(graph, answers), "gradient": of_a_call(lambda: module(x, 1000.0, *ones))}
    return best, module


def searched(graph: Graph) -> dict[str, Any]:
    """The layout of a graph inside of a module: where it ends, and milliseconds to compile to bytes, and to run.

    To run it is to let the engine compile it, too.
    """
    start = time.process_time()
    with no_collector():
        search = rose.compile(layout(graph))
    _ = search.running
    compiled = time.process_time()
    end = laid_out(graph, search)
    ran = time.process_time()
    end.pop("x")
    return {"compile": 1e3 * (compiled - start), "run": 1e3 * (ran - compiled), **end, "Penrose": graph.optimised}


def masks(graph: Graph) -> list[Any]:
    """That all inputs vary, and all outputs count."""
    return [np.ones(len(xs)) for xs in (graph.inputs, graph.objectives, graph.constraints)]


def of_a_call(call: Any) -> float:
    """Milliseconds of the clock: the least of several samples."""

    def spent(n: int) -> float:
        start = time.perf_counter()
        for _ in range(n):
            call()
        return 1e3 * (time.perf_counter() - start)

    n = 1
    while spent(n) < 1:
        n *= 2
    return min([spent(n) / n for _ in range(25)])


class Node:
    """A process of node that measures graphs with one tool."""

    def __init__(self, tool: str, stack: ExitStack) -> None:
        home = PEERS / "node" / "penrose"
        home.mkdir(parents=True, exist_ok=True)
        for script in (HERE / "js").glob("*.mjs"):  # below node_modules, where node looks for what they import
            shutil.copy(script, home)
        command = ["node", "run.mjs", f"./{tool}.mjs", str(ROUNDS)]
        self.process = subprocess.Popen(command, cwd=home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        stack.callback(self.process.wait)
        assert self.process.stdin is not None and self.process.stdout is not None
        stack.callback(self.process.stdin.close)

    def measured(self, graph: Graph, file: Path, folder: Path) -> dict[str, Any]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps({"file": str(file.resolve()), "folder": str(folder)}) + "\n")
        self.process.stdin.flush()
        found = json.loads(self.process.stdout.readline() or '{"error": "node stopped"}')
        if "error" in found:
            return found
        answers = [(number(y), np.array([number(v) for v in g])) for y, *g in found.pop("answers")]
        return found | {"differs": differs(graph, answers, finite=False), "total": found["build"] + found["first"]}


def rows(files: list[Path], *, node: bool = True, search: bool = False) -> Iterator[dict[str, Any]]:
    """For each graph, what it costs with each tool. The first is measured twice: once to warm up."""
    tools: dict[str, Node] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        missing = prepared([ROSE]) if node else {}
        if node and "not installed" not in str(missing):
            tools["ours, node"] = Node("ours", stack)
            if not missing:
                tools["Rose 0.4.10"] = Node("rose", stack)
        for k, file in enumerate([files[0], *files]):
            graph = opened(file)
            found, module = in_python(graph)
            row: dict[str, Any] = {"graph": graph.name, "nodes": len(graph.nodes), "inputs": len(graph.inputs)}
            row |= {"outputs": len(graph.objectives) + len(graph.constraints), "ours": found}
            module.save(folder / str(k), "diagram")
            for name, tool in tools.items():
                row[name] = tool.measured(graph, file, folder / str(k))
            shutil.rmtree(folder / str(k))
            if k and search:
                row["layout"] = searched(graph)
            if k:
                yield row

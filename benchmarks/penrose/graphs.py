"""The graphs of Penrose's diagrams, as files have them: scalar operations in order, and which of them are outputs.

A node is `[operation, argument...]`, each argument the number of an earlier node; `["input", i]` and `["const", c]`
have none. Graphs that keep the calls of helper functions have those written out here.
"""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Node = list[Any]

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf, "-0": -0.0}


def number(x: float | str) -> float:
    """A number of a file, where those that JSON has no word for are strings."""
    return _NUMBERS[x] if isinstance(x, str) else float(x)


@dataclass(frozen=True)
class Point:
    """A state of a diagram, with the value and the gradient that the reference has there."""

    x: list[float]
    weight: float
    phi: float
    gradient: list[float]


@dataclass(frozen=True)
class Stage:
    """A stage of the layout: which inputs vary, and which objectives and constraints count."""

    name: str
    inputs: list[float]
    objectives: list[float]
    constraints: list[float]


@dataclass(frozen=True)
class Graph:
    """A diagram: what is to be small is the sum of its objectives, where no constraint is above 0."""

    name: str
    inputs: list[float]  # where the search starts
    nodes: list[Node]
    objectives: list[int]
    constraints: list[int]
    stages: list[Stage]
    points: dict[str, Point]
    optimised: dict[str, Any]  # what Penrose's own search came to


def read(path: Path) -> Graph:
    """The graph in a file, which may be compressed."""
    raw = path.read_bytes()
    return parsed(json.loads(gzip.decompress(raw) if path.suffix == ".gz" else raw))


def parsed(data: dict[str, Any]) -> Graph:
    """The graph that a file has as JSON."""
    nodes, place = _written_out(data["nodes"], data.get("functions", []))
    points = {name: _point(p) for name, p in data.get("ref", {}).items() if "grad" in p}
    return Graph(
        data["name"],
        [number(x) for x in data["inputs"]],
        nodes,
        [place[k] for k in data["objectives"]],
        [place[k] for k in data["constraints"]],
        [_stage(s) for s in data.get("stages", [])],
        points,
        data.get("optimise", {}),
    )


def _point(p: dict[str, Any]) -> Point:
    return Point([number(x) for x in p["x"]], number(p["weight"]), number(p["phi"]), [number(x) for x in p["grad"]])


def _stage(s: dict[str, Any]) -> Stage:
    masks = [[float(c) for c in s[key]] for key in ("inputMask", "objMask", "constrMask")]
    return Stage(s["name"], *masks)


def _written_out(nodes: list[Node], functions: list[dict[str, Any]]) -> tuple[list[Node], Any]:
    """The nodes with the bodies of functions in the place of their calls; and what each node has become."""
    if not functions:
        return nodes, range(len(nodes))
    made = list[Node]()
    return made, _appended(made, nodes, [], functions)


def _appended(made: list[Node], nodes: list[Node], given: list[int], functions: list[dict[str, Any]]) -> list[Any]:
    """Append nodes; give the number that each has there, or the numbers of the results of a call."""
    place = list[Any]()
    for op, *args in nodes:
        if op == "param":
            place.append(given[args[0]])
        elif op == "get":
            place.append(place[args[0]][args[1]])
        elif op == "call":
            f = functions[args[0]]
            inner = _appended(made, f["nodes"], [place[a] for a in args[1:]], functions)
            place.append([inner[k] for k in f["outputs"]])
        else:
            place.append(len(made))
            made.append([op, *(args if op in ("input", "const") else [place[a] for a in args])])
    return place

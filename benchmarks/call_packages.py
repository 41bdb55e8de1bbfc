"""The packages of `calls.mjs`, one for each function: `python benchmarks/call_packages.py FOLDER`.

It runs with the Rose that PYTHONPATH leads to, so that two versions are measured in one process of Node.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import rose
from rose import Real, Vec

LONG = 1_000
n = rose.dim("n")


@rose.struct
class Line:
    b0: Real
    b: Vec[10]


@rose.struct
class Point:
    x: Real
    y: Real


@rose.struct
class Body:
    pos: Point
    vel: Point
    mass: Real


@rose.fn
def held(x: Real) -> Real:
    rose.assert_(x > 0.0, "x is positive")
    return x


@rose.fn
def wave(v: Vec[3]) -> Real:
    return rose.sum(v[i] ** 3 * v[i - 1] for i in range(3))


def functions() -> dict[str, rose.Fn]:
    """What is called: what it takes and gives is in the name."""
    double = lambda v: rose.vec(2.0 * v[i] for i in rose.range(v.type.size))
    return {
        "scalars": rose.fn([Real, Real], Real)(lambda x, y: x * y),
        "vec10": rose.fn([Vec[10]], Vec[10])(double),
        "sum10": rose.fn([Vec[10]], Real)(rose.sum),
        "vec1000": rose.fn([Vec[LONG]], Vec[LONG])(lambda v: v),
        "sum1000": rose.fn([Vec[LONG]], Real)(rose.sum),
        "point": rose.fn([Point], Point)(lambda p: Point(p.y, p.x)),
        "line": rose.fn([Line], Line)(lambda l: Line(l.b0, double(l.b))),
        "points": rose.fn([Vec[100, Point]], Vec[100, Point])(lambda v: v),
        "areas": rose.fn([Vec[100, Point]], Real)(lambda v: rose.sum(v[i].x * v[i].y for i in rose.range(100))),
        "bodies": rose.fn([Vec[50, Body]], Vec[50, Body])(lambda v: v),
        "rows2": rose.fn([Vec[50, Vec[2]]], Vec[50, Vec[2]])(lambda v: v),
        "rows100": rose.fn([Vec[10, Vec[100]]], Vec[10, Vec[100]])(lambda v: v),
        "any_size": rose.fn([Vec[n]], Vec[n])(double),
        "any_sum": rose.fn([Vec[n], Real], Real)(lambda v, x: rose.sum(v) * x),
        "beside": rose.fn([Real, Real], Real)(lambda x, y: x * y),
        "slope": rose.grad(wave),
    }


def main(folder: Path) -> None:
    """Save them. Functions have their `map` where packages can have it; `beside` has one that asserts beside it."""
    maps = {"map": True} if "map" in inspect.signature(rose.Compiled.save).parameters else {}
    for k, f in functions().items():
        beside = {"held": held} if k == "beside" else {}
        made = rose.compile({k: f, **beside}, dynamic=k.startswith("any"))
        made.save(folder / k, k, **(maps if k == "slope" else {}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

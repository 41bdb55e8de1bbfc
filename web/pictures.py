"""The picture of a page for readers without JavaScript: an SVG, drawn when the site is built, by the page's functions.

It has the ids and classes of the page's own picture, and so its colours. `PICTURES` has those of each page; the others
say in words what one would see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

Points = Iterable[Sequence[float]]


def _number(x: float) -> str:
    return f"{x:.3f}".rstrip("0").rstrip(".").replace("-0.", "-.").removeprefix("0") or "0"


def _path(points: Points, close: str = "") -> str:
    return "M" + "L".join([f"{_number(x)} {_number(y)}" for x, y in points]) + close


def _element(name: str, **attributes: Any) -> str:
    said = [f'{k.strip("_")}="{_number(x) if isinstance(x, float) else x}"' for k, x in attributes.items()]
    return f"<{name} {' '.join(said)} />"


def _svg(name: str, box: str, what: str, *elements: str) -> str:
    return f'<svg id="{name}" viewBox="{box}" role="img" aria-label="{what}">{"".join(elements)}</svg>'


def _below(points: Points) -> list[tuple[float, float]]:
    """Points whose y points up, as SVG has them."""
    return [(float(x), -float(y)) for x, y in points]


def _pairs(numbers: Sequence[float]) -> list[tuple[float, float]]:
    return _below(zip(numbers[::2], numbers[1::2], strict=True))


def home(model: Any) -> str:
    x, y = end = (0.9, -1.05)
    g = model.slope(list(end))
    length = math.hypot(x, y)
    u, v = x / length, y / length
    zigzag = [(0.1 + 0.04 * k, 0.07 * (-1) ** (k + 1) * (k % 20 > 0)) for k in range(21)]
    coil = [(0, 0), *[(x * a - v * b, y * a + u * b) for a, b in zigzag], end]
    tip = (x - 0.5 * g[0], y - 0.5 * g[1])
    return _svg(
        "world", "-1.7 -1.5 3.4 3", "A spring that hangs in the plane, and the force at its end",
        _element("circle", class_="rest", r=1), _element("path", id="coil", d=_path(_below(coil))),
        _element("path", class_="force", d=_path(_below([end, tip]))), _element("circle", class_="pin", r=0.05),
        _element("circle", class_="handle", cx=x, cy=-y, r=0.11),
    )  # fmt: skip


def quadratic(model: Any) -> str:
    (x0, y0, x1, y1), (x, y) = box, at = (0.1, -1.0, 3.1, 2.0), (1.9, 1.2)
    heights, here = model.power_heights(*box), model.power_local(*at)
    low, high = min(map(min, heights)), max(map(max, heights))
    (p, q), ((a, b), (_, d)) = here["gradient"], here["hessian"]

    def seen(s: float, t: float, z: float) -> tuple[float, float]:  # s and t from -1 to 1; as surface.js sees it
        turn, h = -0.6, (2 * (z - low) / (high - low) - 1) * 0.62
        c, w = math.cos(turn), math.sin(turn)
        return round(320 + 205 * (c * s - w * t), 1), round(250 - 205 * (0.6 * (w * s + c * t) + 0.8 * h), 1)

    def bowl(u: float, v: float) -> tuple[float, float]:
        z = here["value"] + p * u + q * v + (a * u * u + 2 * b * u * v + d * v * v) / 2
        return seen((x + u - x0) / (x1 - x0) * 2 - 1, (y + v - y0) / (y1 - y0) * 2 - 1, z)

    n = len(heights) - 1
    ways = range(0, n + 1, max(1, n // 10))
    grid = [[(i, j) for j in ways] for i in ways] + [[(i, j) for i in ways] for j in ways]
    mesh = [_path([seen(2 * j / n - 1, 2 * i / n - 1, heights[i][j]) for i, j in line]) for line in grid]
    near = [k / 10 for k in range(-5, 6)]
    film = [_path([bowl(u, v) for u in near]) for v in near] + [_path([bowl(u, v) for v in near]) for u in near]
    u, v = bowl(0, 0)
    return _svg(
        "graph", "0 0 640 520", "The graph of x to the power of y, and the quadratic function nearest to it at a point",
        _element("path", class_="mesh", d="".join(mesh)), _element("path", class_="film", d="".join(film)),
        _element("circle", class_="handle", cx=u, cy=v, r=10),
    )  # fmt: skip


def billiards(model: Any) -> str:
    goal, shot = [0.9, 0.75], {"x": [0.1, 0.5], "v": [0.3, 0.0]}
    tried: list[tuple[float, Any]] = []
    for _ in range(200):
        value, better = model.improve(shot, 10, goal)
        tried.append((value, shot))
        shot = better
    path = model.replay(min(tried, key=lambda pair: pair[0])[1])
    count = len(path[0]) // 2
    ways = [[(x[2 * k], x[2 * k + 1]) for x in path] for k in range(count)]
    lines = [_path(_below(way[::8])) for way in ways]
    moved = [k for k in range(count) if len(set(ways[k])) > 1]
    trails = [_element("path", d=lines[k], class_="chosen" if k == 10 else "") for k in moved]
    balls = [f"<g>{_element('circle', cx=x, cy=y, r=0.03)}</g>" for x, y in _below([way[0] for way in ways])]
    return _svg(
        "table", "0 -0.88 1 0.76", "Billiard balls, and their ways after a shot: one of them ends in the goal",
        f'<g id="trails">{"".join(trails)}</g><g id="balls">{"".join(balls)}</g>',
        _element("circle", class_="ring", cx=goal[0], cy=-goal[1], r=0.03),
    )  # fmt: skip


def robot(model: Any) -> str:
    path = model.replay(model.newborn(2.0), [0.9, 0.2])
    pose = _pairs(path[120])
    bones = "".join([_path([pose[s.a], pose[s.b]]) for s in model.springs() if not s.muscle])
    muscles = "".join([_path([pose[s.a], pose[s.b]]) for s in model.springs() if s.muscle])
    head = [(x[0], x[1]) for x in path[::3]]
    return _svg(
        "world", "-0.3 -0.47 1.4 0.44", "A robot of springs on the ground, from the side",
        _element("rect", id="ground", x=-2, y=-0.1, width=4, height=0.2),
        _element("path", id="trail", d=_path(_below(head))),
        '<g id="robot">', _element("path", id="bones", d=bones),
        f'<g id="muscles" stroke-width=".009">{_element("path", d=muscles)}</g>',
        _element("circle", id="head", cx=pose[0][0], cy=pose[0][1], r=0.011), "</g>",
    )  # fmt: skip


def slide(model: Any) -> str:
    x, y, end = 1.0, 5.6, [8.0, -3.4]
    hump = [[0.0, h] for h in (-0.6, -0.2, 0.9, -0.5, *[0.0] * 6)]
    places, wheel = model.look(end, hump), model.cycloid(end)
    turns = [wheel.angle * k / 40 for k in range(41)]
    r = wheel.radius
    rolled = [(x + r * (t - math.sin(t)), y - r * (1 - math.cos(t))) for t in turns]
    ways = {"cycloid": rolled, "straight": [(x, y), (x + end[0], y + end[1])],
            "slide": [(x + p.at[0], y + p.at[1]) for p in places]}  # fmt: skip
    drawn = [_element("path", class_=name, d=_path(_below(way))) for name, way in ways.items()]
    ends = [_element("circle", class_="handle dot", cx=x, cy=y) for x, y in _below(ways["straight"])]
    return _svg(
        "world", "0 -6.4 10 7", "A slide with a hump, the straight line, and the cycloid, which is the fastest of them",
        *drawn, *ends,
    )  # fmt: skip


_BARS = [(0, 2), (2, 3), (1, 3), (2, 4), (1, 4), (1, 5), (3, 5), (5, 6), (4, 6), (6, 7), (4, 7)]
_JANSEN = [15, 50, 41.5, 61.9, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49]


def drag(model: Any) -> str:
    leg = {"turn": [0.8, 0.6], "axle": [0, 0], "pivot": [-38, -7.8], "bars": _JANSEN}
    points = _below([[round(z, 1) for z in point] for point in model.leg(leg)])
    return _svg(
        "leg", "-116 -60 168 168", "A leg of ten bars, which a crank moves, and the path of its foot",
        _element("path", id="path", d=_path(points[8::3], "Z")),
        _element("path", class_="bar", d="".join([_path([points[i], points[j]]) for i, j in _BARS])),
    )  # fmt: skip


_GIVEN = [(0.7, 1.5), (1.9, 1.1), (3.1, 2.6), (4, 3.9), (4.9, 5.3), (5.8, 3.2), (6.9, 2.5), (8.2, 0.9), (9.3, 1.3)]
_START = {"base": 1, "slope": 0, "height": 1, "centre": 5, "width": 1}


def fit(model: Any) -> str:
    points = [*_GIVEN, *[(0, 0)] * (12 - len(_GIVEN))]
    there = [1] * len(_GIVEN) + [0] * (12 - len(_GIVEN))
    found = model.gauss_newton(_START, points, there, 1000)
    xs = [k / 20 for k in range(201)] + [0] * 12

    def curve(peak: Any) -> str:
        return _path(_below(zip(xs[:201:2], model.curve(peak, xs)[:201:2], strict=True)))

    dots = [_element("circle", class_="handle dot", cx=x, cy=y) for x, y in _below(_GIVEN)]
    return _svg(
        "world", "0 -6.6 10 6.6", "Points, and the curve that is nearest to them",
        _element("path", class_="start", d=curve(_START)),
        _element("path", class_="fit gauss_newton", d=curve(found.x)), *dots,
    )  # fmt: skip


def asked(model: Any) -> str:
    turns = [3 * k / 32 for k in range(32)]
    points = [(k / 32 * math.cos(2 * t), k / 32 * math.sin(2 * t)) for k, t in enumerate(turns)]
    classes = [int(t) for t in turns]
    small = [[[math.sin(7 * i + 3 * j + 1) / 2 for j in range(m)] for i in range(n)] for n, m in ((2, 16), (16, 3))]
    net: Any = {"w1": small[0], "b1": [0.0] * 16, "w2": small[1], "b2": [0.0] * 3}
    for _ in range(2_000):
        net = model.train(net, points, classes, 0.5)
    ways = [(k + 0.5) / 32 * 2.2 - 1.1 for k in range(32)]
    rows = ["", "", ""]  # of each class, the squares that are put into it, joined where they touch
    for y in ways:
        put = [max(range(3), key=z.__getitem__) for z in model.logits(net, [(x, y) for x in ways])]
        for c, group in groupby(range(32), put.__getitem__):
            first, *more = group
            wide = _number(2.2 / 32 * (1 + len(more)))
            rows[c] += f"M{_number(ways[first] - 0.034)} {_number(-y - 0.034)}h{wide}v.069h-{wide}z"
    regions = [_element("path", class_=f"class-{c}", d=row) for c, row in enumerate(rows)]
    dots = [
        _element("circle", class_=f"class-{c}", cx=x, cy=-y, r=0.035) for (x, y), c in zip(points, classes, strict=True)
    ]
    return _svg(
        "world", "-1.1 -1.1 2.2 2.2", "A spiral of points in three classes, which a network has learnt",
        f'<g id="regions">{"".join(regions)}</g>', *dots,
    )  # fmt: skip


PICTURES: Mapping[str, Callable[[Any], str]] = {
    "home": home, "quadratic": quadratic, "billiards": billiards, "robot": robot, "slide": slide,
    "drag": drag, "fit": fit, "asked": asked,
}  # fmt: skip

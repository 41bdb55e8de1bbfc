"""A graph of poses in the plane: odometry, and places seen again by Huber's loss: robotics."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Fin, Real, Vec, fn

POSES, LOOPS = 60, 40
RNG = np.random.default_rng(116)
AGAIN = [sorted(RNG.choice(POSES, 2, replace=False).tolist()) for _ in range(LOOPS)]
FIRST = [*range(POSES - 1), *[i for i, _ in AGAIN]]
SECOND = [*range(1, POSES), *[j for _, j in AGAIN]]
EDGES = len(FIRST)


@rose.struct
class Pose:
    x: Real
    y: Real
    angle: Real


def wrapped(angle):
    return rose.atan2(rose.sin(angle), rose.cos(angle))


@fn
def error(a: Pose, b: Pose, seen: Pose) -> Real:
    c, s = rose.cos(a.angle), rose.sin(a.angle)
    dx, dy = b.x - a.x, b.y - a.y
    ex, ey = c * dx + s * dy - seen.x, c * dy - s * dx - seen.y
    turn = wrapped(b.angle - a.angle - seen.angle)
    return 50.0 * (ex * ex + ey * ey) + 200.0 * turn * turn


@fn
def huber(square: Real) -> Real:
    return rose.select(square < 1.0, square, 2 * rose.sqrt(square) - 1)


@fn
def cost(poses: Vec[POSES, Pose], seen: Vec[EDGES, Pose]) -> Real:
    first, second = rose.constant(Vec[EDGES, Fin[POSES]], FIRST), rose.constant(Vec[EDGES, Fin[POSES]], SECOND)
    total = rose.accum(0.0)
    for k in rose.range(EDGES):
        square = error(poses[first[k]], poses[second[k]], seen[k])
        total += rose.select(k < POSES - 1, square, huber(square))
    start = poses[0]
    return 0.5 * total.value + 500.0 * (start.x**2 + start.y**2 + start.angle**2)


def written() -> Written:
    r = np.random.default_rng(117)
    t = np.linspace(0, 4 * np.pi, POSES)
    true = np.stack([3 * np.sin(t), 3 - 3 * np.cos(t) + 0.1 * t, t], axis=1)
    a, b = true[FIRST], true[SECOND]
    c, s, d = np.cos(a[:, 2]), np.sin(a[:, 2]), b - a
    seen = np.stack([c * d[:, 0] + s * d[:, 1], c * d[:, 1] - s * d[:, 0], d[:, 2]], axis=1)
    seen += r.normal(0, [0.05, 0.05, 0.03], seen.shape)
    seen[:, 2] = np.arctan2(np.sin(seen[:, 2]), np.cos(seen[:, 2]))
    params = (true + r.normal(0, 0.08, true.shape)).ravel().tolist()
    sizes = {"POSES": POSES, "EDGES": EDGES}
    tables = {"first": FIRST, "second": SECOND}
    data = (seen.ravel().tolist(),)
    program = Program("pose_graph", source("pose_graph"), sizes, params, {"text": cost}, data, tables)
    return Written("pose_graph", "robotics", "structs", program)

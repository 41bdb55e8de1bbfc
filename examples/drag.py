"""Pictures of which every point can be dragged, also those that are computed: a walking leg, and a triangle.

`lib.dragger` makes of a picture the function that finds the parameters with which a point of it lies where it is
dragged, and constraints hold. The leg is one of Theo Jansen's, which walk along a beach: a crank moves ten bars. The
triangle has its centres, which lie on Euler's line, and the circle of nine points.
"""

import math

import rose
from rose import Real, Vec, fn, lib

STEPS = 36
# directions of the crank, of any length
TURN = [[round(1000 * f(math.tau * k / STEPS)) for f in (math.cos, math.sin)] for k in range(STEPS)]


@rose.struct
class Leg:
    turn: Vec[2]  # the direction of the crank
    axle: Vec[2]  # of the crank
    pivot: Vec[2]  # of two bars
    bars: Vec[11]  # the crank, and the bars that Jansen calls j, b, k, c, d, e, f, g, h and i


# the lengths that Jansen found by evolution, on a computer
JANSEN = Leg([1, 0], [0, 0], [-38, -7.8], [15, 50, 41.5, 61.9, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49])


@rose.struct
class Joint:
    at: Vec[2]
    near: Real  # how near its bars come to lying in one line: 0 if they do not, above 1 where they do not meet


@fn
def joint(p: Vec[2], q: Vec[2], r: Real, s: Real) -> Joint:
    """Where two bars meet: at distance r from p and s from q, on the left of the way from p to q."""
    x, y = q[0] - p[0], q[1] - p[1]
    square = x * x + y * y
    a, b = r * r / square, s * s / square
    along = (a - b + 1) / 2
    aside = a - along * along
    up = rose.sqrt(aside)  # nan where they do not meet
    return Joint([p[0] + along * x - up * y, p[1] + along * y + up * x], rose.relu(1 - aside / (a * b) / 0.02))


@rose.struct
class Pose:
    joints: Vec[8, Vec[2]]
    near: Vec[5]  # of those where two bars meet, which are the last


@fn
def pose(leg: Leg, turn: Vec[2]) -> Pose:
    m, j, b, k, c, d, e, f, g, h, i = (leg.bars[n] for n in range(11))
    axle, pivot, long = leg.axle, leg.pivot, rose.norm(turn)
    crank = rose.vec(axle[n] + m * turn[n] / long for n in rose.range(2))
    top = joint(pivot, crank, b, j)
    knee = joint(crank, pivot, k, c)
    rear = joint(pivot, top.at, d, e)
    ankle = joint(knee.at, rear.at, g, f)
    foot = joint(knee.at, ankle.at, i, h)
    bars = [top, knee, rear, ankle, foot]
    return Pose([axle, pivot, crank, *[x.at for x in bars]], [x.near for x in bars])


@fn
def poses(leg: Leg) -> Vec[1 + STEPS, Pose]:
    """The leg as it is, and in a whole turn."""
    turn = rose.constant(Vec[1 + STEPS, Vec[2]], [[0, 0], *TURN])
    return rose.vec(pose(leg, rose.select(k == 0, leg.turn, turn[k])) for k in rose.range(1 + STEPS))


@fn
def leg(leg: Leg) -> Vec[8 + STEPS, Vec[2]]:
    """The joints, and the path of the foot."""
    points, all = rose.accum([[0, 0]] * (8 + STEPS)), poses(leg)
    for k in rose.range(8):
        points[k] += all[0].joints[k]
    for k in rose.range(STEPS):
        points[8 + k] += all[1 + k].joints[7]
    return points.value


@fn
def walks(leg: Leg) -> Vec[1]:
    """That in a whole turn no two bars come near to lying in one line."""
    all = poses(leg)
    return [rose.norm(rose.vec(all[k].near for k in rose.range(1 + STEPS)))]


drag_leg = lib.dragger(leg, walks, stiff=5.0)


# the triangle


def middle(p, q):
    return rose.vec((p[k] + q[k]) / 2 for k in rose.range(2))


@fn
def distance(p: Vec[2], q: Vec[2]) -> Real:
    return rose.sqrt((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2)


@fn
def altitude(p: Vec[2], q: Vec[2], r: Vec[2]) -> Vec[2]:
    """The foot of p, on the line through q and r."""
    x, y = r[0] - q[0], r[1] - q[1]
    t = ((p[0] - q[0]) * x + (p[1] - q[1]) * y) / (x * x + y * y)
    return [q[0] + t * x, q[1] + t * y]


@fn
def circumcentre(a: Vec[2], b: Vec[2], c: Vec[2]) -> Vec[2]:
    bx, by, cx, cy = b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]
    double = 2 * (bx * cy - by * cx)
    bb, cc = bx * bx + by * by, cx * cx + cy * cy
    return [a[0] + (cy * bb - by * cc) / double, a[1] + (bx * cc - cx * bb) / double]


def points_of(corners):
    return [rose.vec([corners[2 * k], corners[2 * k + 1]]) for k in range(3)]


@fn
def triangle(corners: Vec[6]) -> Vec[16, Vec[2]]:
    """The corners, the nine points, and four centres: of mass, and of both circles, and where the altitudes meet."""
    a, b, c = points_of(corners)
    centre = circumcentre(a, b, c)
    mass = rose.vec((a[k] + b[k] + c[k]) / 3 for k in rose.range(2))
    height = rose.vec(3 * mass[k] - 2 * centre[k] for k in rose.range(2))  # on Euler's line
    return [
        a, b, c,
        middle(b, c), middle(c, a), middle(a, b),
        altitude(a, b, c), altitude(b, c, a), altitude(c, a, b),
        middle(a, height), middle(b, height), middle(c, height),
        mass, centre, height, middle(centre, height),
    ]  # fmt: skip


@fn
def kept(corners: Vec[6], what: Vec[4], size: Real) -> Vec[1]:
    """A right angle at c, two equal sides there, the length of ab, or the area: 1 for what is to be kept."""
    a, b, c = points_of(corners)
    p, q = [a[k] - c[k] for k in range(2)], [b[k] - c[k] for k in range(2)]
    side = distance(a, b)
    right, area = p[0] * q[0] + p[1] * q[1], (p[0] * q[1] - p[1] * q[0]) / 2
    return [rose.dot(what, [right / side, distance(a, c) - distance(b, c), side - size, (area - size) / side])]


drag_triangle = lib.dragger(triangle, kept)


if __name__ == "__main__":
    module = rose.compile({"leg": leg, "drag_leg": drag_leg, "triangle": triangle, "drag_triangle": drag_triangle})
    low, high = (Leg([s, s], [s, s], [s, s], [s] * 11) for s in (-math.inf, math.inf))
    bars = Leg([0, 0], [0, 0], [0, 0], [5] * 11)
    print("the foot: {:.4f}, {:.4f}".format(*module.leg(JANSEN)[7]))
    moved = module.drag_leg(JANSEN, 7, [-35, -87], bars, low, high)
    print("dragged, where only bars change: {:.4f}, {:.4f}".format(*module.leg(moved)[7]))
    corners, ones, left, right = [0, 0, 10, 0, 3, 8], [1] * 6, [-20] * 6, [20] * 6
    print("the altitudes meet in: {:.4f}, {:.4f}".format(*module.triangle(corners)[14]))
    moved = module.drag_triangle(corners, 14, [4, 4], ones, left, right, [0, 0, 1, 0], 10)
    print("dragged, where ab keeps its length: {:.4f}, {:.4f}".format(*module.triangle(moved)[14]))

"""Pictures of which every point can be dragged, also those that are computed: a leg, and a triangle.

The leg is Theo Jansen's, which walks along a beach when its crank turns: eleven bars and a frame. The triangle has the
nine-point circle. `lib.dragger` makes of a picture what moves its parameters, so that a point of it follows a pointer.
"""

import math

import rose
from rose import Real, Vec, fn, lib

STEPS = 36  # points of the path of the foot


@rose.struct
class Leg:
    turn: Real  # of the crank
    x: Real  # the axle of the crank
    y: Real
    u: Real  # the pivot of the frame
    v: Real
    m: Real  # the crank, and the bars by the letters that Jansen gave them
    j: Real
    b: Real
    k: Real
    c: Real
    d: Real
    e: Real
    f: Real
    g: Real
    h: Real
    i: Real


@rose.struct
class Joint:
    at: Vec[2]
    bend: Real  # the squared sine of the angle between its bars, and less than 0 where they do not meet


@fn
def joint(p: Vec[2], q: Vec[2], r: Real, s: Real) -> Joint:
    """Where two bars meet: at distance r from p and s from q, on the left of the way from p to q."""
    x, y = q[0] - p[0], q[1] - p[1]
    square = x * x + y * y
    along = (r * r - s * s + square) / (2 * square)
    aside = r * r / square - along * along
    up = rose.sqrt(aside)
    return Joint([p[0] + along * x - up * y, p[1] + along * y + up * x], aside * (square / (r * s)) ** 2)


@rose.struct
class Pose:
    joints: Vec[8, Vec[2]]
    bends: Vec[5]


@fn
def pose(leg: Leg, turn: Real) -> Pose:
    axle, pivot = rose.vec([leg.x, leg.y]), rose.vec([leg.u, leg.v])
    crank = rose.vec([leg.x + leg.m * rose.cos(turn), leg.y + leg.m * rose.sin(turn)])
    top = joint(pivot, crank, leg.b, leg.j)
    knee = joint(crank, pivot, leg.k, leg.c)
    rear = joint(pivot, top.at, leg.d, leg.e)
    ankle = joint(knee.at, rear.at, leg.g, leg.f)
    foot = joint(knee.at, ankle.at, leg.i, leg.h)
    bars = [top, knee, rear, ankle, foot]
    return Pose([axle, pivot, crank, *[x.at for x in bars]], [x.bend for x in bars])


@fn
def path(leg: Leg) -> Vec[STEPS, Pose]:
    """A whole turn of the crank."""
    return rose.vec(pose(leg, 2 * math.pi / STEPS * i) for i in rose.range(STEPS))


@fn
def leg_points(leg: Leg) -> Vec[8 + STEPS, Vec[2]]:
    """The joints, and the path of the foot."""
    now, all = pose(leg, leg.turn), path(leg)
    return [*[now.joints[k] for k in range(8)], *[all[k].joints[7] for k in range(STEPS)]]


@fn
def leg_rules(leg: Leg) -> Vec[1]:
    """That in a whole turn no joint comes near to where its bars lie in one line."""
    all = path(leg)
    straight = [rose.vec(rose.relu(1 - all[k].bends[j] / 0.02) for k in rose.range(STEPS)) for j in range(5)]
    return [rose.norm(straight)]


leg_drag = lib.dragger(leg_points, leg_rules, stiff=5.0)

# what Jansen found by evolution, on a computer
JANSEN = Leg(turn=0.0, x=0.0, y=0.0, u=-38.0, v=-7.8, m=15.0, j=50.0, b=41.5, k=61.9, c=39.3, d=40.1, e=55.8, f=39.4,
             g=36.7, h=65.7, i=49.0)  # fmt: skip


# the triangle


@fn
def foot_of(p: Vec[2], q: Vec[2], r: Vec[2]) -> Vec[2]:
    """Where the altitude from p meets the side through q and r."""
    x, y = r[0] - q[0], r[1] - q[1]
    t = ((p[0] - q[0]) * x + (p[1] - q[1]) * y) / (x * x + y * y)
    return [q[0] + t * x, q[1] + t * y]


@fn
def circumcentre(corners: Vec[3, Vec[2]]) -> Vec[2]:
    a, b, c = corners[0], corners[1], corners[2]
    bx, by, cx, cy = b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]
    double = 2 * (bx * cy - by * cx)
    bb, cc = bx * bx + by * by, cx * cx + cy * cy
    return [a[0] + (cy * bb - by * cc) / double, a[1] + (bx * cc - cx * bb) / double]


def middle(p, q):
    return rose.vec([(p[0] + q[0]) / 2, (p[1] + q[1]) / 2])


def distance(p, q):
    return rose.hypot(p[0] - q[0], p[1] - q[1])


@fn
def triangle_points(corners: Vec[3, Vec[2]]) -> Vec[18, Vec[2]]:
    """The corners, the nine points, the centres of five kinds, and where two circles touch."""
    a, b, c = corners[0], corners[1], corners[2]
    centre = circumcentre(corners)
    mass = rose.vec([(a[k] + b[k] + c[k]) / 3 for k in range(2)])
    height = rose.vec([3 * mass[k] - 2 * centre[k] for k in range(2)])  # on Euler's line
    nine = middle(centre, height)
    sides = [distance(b, c), distance(c, a), distance(a, b)]
    inner = rose.vec([sum(s * p[k] for s, p in zip(sides, (a, b, c), strict=True)) / sum(sides) for k in range(2)])
    # Feuerbach: the two circles touch, so that point lies on the line of their centres
    apart = distance(inner, nine)
    out = rose.select(apart > 0, distance(a, centre) / 2 / apart, 0)
    touch = rose.vec([nine[k] + out * (inner[k] - nine[k]) for k in range(2)])
    return [
        a, b, c,
        middle(b, c), middle(c, a), middle(a, b),
        foot_of(a, b, c), foot_of(b, c, a), foot_of(c, a, b),
        middle(a, height), middle(b, height), middle(c, height),
        mass, centre, height, nine, inner, touch,
    ]  # fmt: skip


@rose.struct
class Kept:  # what is to stay as it is: 1 for yes, and how much
    right: Real  # the angle at c
    equal: Real  # the sides that meet in c
    base: Real  # the length of the side ab
    length: Real
    spread: Real  # the area
    area: Real


@fn
def triangle_rules(corners: Vec[3, Vec[2]], kept: Kept) -> Vec[4]:
    a, b, c = corners[0], corners[1], corners[2]
    p, q = [a[k] - c[k] for k in range(2)], [b[k] - c[k] for k in range(2)]
    base = distance(a, b)
    return [
        kept.right * (p[0] * q[0] + p[1] * q[1]) / base,
        kept.equal * (distance(a, c) - distance(b, c)),
        kept.base * (base - kept.length),
        kept.spread * ((p[0] * q[1] - p[1] * q[0]) / 2 - kept.area) / base,
    ]


triangle_drag = lib.dragger(triangle_points, triangle_rules)


if __name__ == "__main__":
    m = rose.compile({"p": leg_points, "d": leg_drag, "tp": triangle_points, "td": triangle_drag})
    print(len(m.wasm))
    print(m.tp([[0, 0], [10, 0], [3, 8]]))
    print(
        m.td(
            [[0, 0], [10, 0], [3, 8]],
            14,
            [5, 4],
            [[1, 1]] * 3,
            [[-99, -99]] * 3,
            [[99, 99]] * 3,
            Kept(0, 0, 1, 10, 0, 40),
        )
    )

"""A triangle with its circles and centres, of which every point can be dragged, also those that are computed.

The feet of the altitudes, the middles of the sides, and those between the corners and where the altitudes meet lie on
one circle, of nine points, which touches the inscribed one (Feuerbach, 1822). The parameters are the three corners.
What `lib.dragger` makes moves them so that any of the points lies where it is dragged, and keeps what is to stay: a
right angle, two equal sides, a length, an area.
"""

import rose
from rose import Bool, Real, Vec, fn, lib


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
def points(corners: Vec[3, Vec[2]]) -> Vec[18, Vec[2]]:
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
    out = rose.select(apart > 0, distance(a, centre) / 2 / apart, 0)  # of equal sides, they are one circle
    touch = rose.vec([nine[k] + out * (inner[k] - nine[k]) for k in range(2)])
    return [
        a, b, c,
        middle(b, c), middle(c, a), middle(a, b),
        foot_of(a, b, c), foot_of(b, c, a), foot_of(c, a, b),
        middle(a, height), middle(b, height), middle(c, height),
        mass, centre, height, nine, inner, touch,
    ]  # fmt: skip


@rose.struct
class Kept:
    right: Bool  # the angle at c
    equal: Bool  # the two sides that meet in c
    side: Bool  # the length of the side ab
    length: Real
    inside: Bool  # the area
    area: Real


@fn
def constraints(corners: Vec[3, Vec[2]], kept: Kept) -> Vec[4]:
    a, b, c = corners[0], corners[1], corners[2]
    p, q = [a[k] - c[k] for k in range(2)], [b[k] - c[k] for k in range(2)]
    side = distance(a, b)
    off = [  # all of them lengths
        (kept.right, (p[0] * q[0] + p[1] * q[1]) / side),
        (kept.equal, distance(a, c) - distance(b, c)),
        (kept.side, side - kept.length),
        (kept.inside, ((p[0] * q[1] - p[1] * q[0]) / 2 - kept.area) / side),
    ]
    return [rose.select(on, x, 0) for on, x in off]


drag = lib.dragger(points, constraints)
sensitivity = lib.sensitivity(points)

if __name__ == "__main__":
    module = rose.compile({"points": points, "drag": drag})
    corners, one = [[0, 0], [10, 0], [3, 8]], [[1, 1]] * 3
    low, high = [[-20, -20]] * 3, [[20, 20]] * 3
    print("the altitudes meet in ({:.4f}, {:.4f})".format(*module.points(corners)[14]))
    nothing = Kept(right=False, equal=False, side=False, length=0, inside=False, area=0)
    moved = module.drag(corners, 14, [4, 4], one, low, high, nothing)
    print("dragged to (4, 4):", *[f"({x:.4f}, {y:.4f})" for x, y in moved])
    kept = Kept(right=True, equal=False, side=True, length=10, inside=False, area=0)
    square = module.drag(corners, 2, [3, 6], one, low, high, kept)
    print("with a right angle at c, and ab 10 long:", *[f"({x:.4f}, {y:.4f})" for x, y in square])

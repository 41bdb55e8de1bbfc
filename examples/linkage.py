"""A leg of which every point can be dragged, also those that are computed.

It is one of Theo Jansen's, which walk along a beach: as its crank turns, ten bars move a foot. `lib.dragger` makes of
this picture the function that finds the parameters with which a point lies where it is dragged: so that the crank
turns, or, if the bars are not locked, so that they get other lengths.
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
    up = rose.sqrt(aside)  # nan where they do not meet
    return Joint([p[0] + along * x - up * y, p[1] + along * y + up * x], aside * (square / (r * s)) ** 2)


@rose.struct
class Pose:
    joints: Vec[8, Vec[2]]
    bends: Vec[5]  # at the five joints of two bars, which are the last


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
def points(leg: Leg) -> Vec[8 + STEPS, Vec[2]]:
    """The joints, and the path of the foot."""
    drawn = rose.accum([[0, 0]] * (8 + STEPS))
    now, turn = pose(leg, leg.turn), path(leg)
    for k in rose.range(8):
        drawn[k] += now.joints[k]
    for k in rose.range(STEPS):
        drawn[8 + k] += turn[k].joints[7]
    return drawn.value


@fn
def constraints(leg: Leg) -> Vec[1]:
    """That in a whole turn no joint comes near to where its bars lie in one line."""
    turn = path(leg)
    straight = [rose.vec(rose.relu(1 - turn[k].bends[j] / 0.02) for k in rose.range(STEPS)) for j in range(5)]
    return [rose.norm(straight)]


drag = lib.dragger(points, constraints, stiff=5.0)

sensitivity = lib.sensitivity(points)

# the numbers that Jansen found by evolution, on a computer
JANSEN = Leg(turn=0.0, x=0.0, y=0.0, u=-38.0, v=-7.8, m=15.0, j=50.0, b=41.5, k=61.9, c=39.3, d=40.1, e=55.8, f=39.4,
             g=36.7, h=65.7, i=49.0)  # fmt: skip


def every(turn, other):
    """One number for the turn of the crank, and another for all other parameters."""
    return Leg(turn, *[other] * 15)


if __name__ == "__main__":
    module = rose.compile({"points": points, "drag": drag})
    x, y = module.points(JANSEN)[7]
    print(f"the foot: {x:.4f}, {y:.4f}")
    low, high = every(-math.inf, -math.inf), every(math.inf, math.inf)
    turned = module.drag(JANSEN, 7, [x + 8, y], every(0.25, 0), low, high)
    print("dragged by 8, with locked bars: {:.4f}, {:.4f}".format(*module.points(turned)[7]))
    print(f"the crank turned by {turned.turn:.4f}")
    bent = module.drag(JANSEN, 7, [x + 8, y + 5], every(0, 5), low, high)
    print("dragged by 8 and 5, with a locked crank: {:.4f}, {:.4f}".format(*module.points(bent)[7]))
    print(f"two bars: h = {bent.h:.4f}, i = {bent.i:.4f}")

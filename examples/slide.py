"""The fastest slide: how long a bead takes on a curve, the derivative of that in the curve, and the descent along it.

The time is a functional: it takes a curve, a function from [0, 1] to the plane, and gives seconds. So its derivative is
a function, too: of the same places, to the push that makes the bead slower. The curves are those of Johann Bernoulli's
question of 1696, whose answer is a cycloid: the bead starts at rest at (0, 0), and slides without friction to `end`,
which lies below. Lengths are metres, and y points up.
"""

import math
from typing import TypeAlias

import rose
from rose import Real, Vec, fn
from rose import functional as F

GRAVITY = 9.81  # metres per second squared
WAVES, PLACES = 10, 81
LINE = F.Grid.gauss_legendre(0.0, 1.0, 48)

Point: TypeAlias = Vec[2]
Slide: TypeAlias = Vec[WAVES, Point]  # how high each wave is on the straight line to the end


@fn
def speed(p: Point) -> Real:
    """How fast the bead is there: all that it fell has become speed."""
    return rose.sqrt(-2 * GRAVITY * p[1])


@F.functional
def time(curve: F.Map[Point, Real]) -> Real:
    """The length of each piece of the curve over the speed there, in all: seconds."""
    pace = rose.norm(F.nabla(curve)) / speed(curve)
    return F.integrate(pace, LINE)


@fn
def waves(s: Real) -> Vec[WAVES]:
    """Waves between the ends. Like the bead they begin as s ** 2 does, so that what is integrated is smooth."""
    return s * rose.sin(math.pi * s * (1.0 + rose.arange(WAVES)))


def curve(end, slide):
    """The straight line to the end, on which the bead falls like s ** 2, and waves on it: a function of s."""
    return rose.fn([Real], Point)(lambda s: s * s * end + waves(s) @ slide)


@fn
def seconds(end: Point, slide: Slide) -> Real:
    return time(curve(end, slide))


@fn
def flattened(push: Point, wave: Vec[WAVES]) -> Slide:
    """How much of a push each wave takes: the shorter it is the less, by the square, as it is the steeper for it."""
    return rose.outer(wave / (1.0 + rose.arange(WAVES)) ** 2, push)


@rose.struct
class Descent:
    slide: Slide
    seconds: Real
    rate: Real  # of the next step


@fn
def descend(end: Point, now: Descent) -> Descent:
    """One step of steepest descent. If it makes the slide slower it is taken back, and the next one is half as long."""
    slope = rose.grad(time)(curve(end, now.slide))
    step = F.integrate(F.pointwise(flattened, slope, waves), LINE)
    slide = now.slide - now.rate * step
    after = seconds(end, slide)
    return rose.select(
        after < now.seconds,
        Descent(slide, after, 1.2 * now.rate),
        Descent(now.slide, now.seconds, 0.5 * now.rate),
    )


@fn
def pull(slide: Slide, s: Real, by: Point) -> Slide:
    """The slide whose point at s lies further by that much. Along is drawn what is near, as little steep as can be."""
    wave = waves(s)
    return slide + flattened(by, wave) / rose.dot(wave, wave / (1.0 + rose.arange(WAVES)) ** 2)


@rose.struct
class Place:
    at: Point
    slope: Point  # how many seconds longer, for each metre of the slide that is pushed by a metre
    seconds: Real  # after which the bead is there


@fn
def look(end: Point, slide: Slide) -> Vec[PLACES, Place]:
    """Places on the slide. At the first of them nothing moves, and a slope has no meaning."""
    f = curve(end, slide)
    slope, size = rose.grad(time)(f), F.nabla(f)

    def place(k, before):
        s = k / (PLACES - 1.0)
        at = f(s)
        passed = 2 * rose.norm(at - before.at) / (speed(at) + speed(before.at))  # along the chord
        here = Place(at, slope(s) / rose.norm(size(s)), before.seconds + rose.select(k > 0, passed, 0))
        return here, here

    return rose.scan(place, Place([0, 0], [0, 0], 0), PLACES)[1]


@rose.struct
class Cycloid:
    """The path of a point on the rim of a wheel, which rolls upside down from the start until it is at the end."""

    radius: Real
    angle: Real  # by which it has turned
    seconds: Real


@fn
def beside(angle: Real, end: Point) -> Real:
    """0 if the point on the rim of a wheel of radius 1 is on the line to the end; above 0 for too large an angle."""
    return -end[1] * (angle - rose.sin(angle)) - end[0] * (1 - rose.cos(angle))


@fn
def cycloid(end: Point) -> Cycloid:
    """The fastest slide: of all cycloids from the start, that through the end."""

    def halved(_, angles):
        low, step = angles
        return rose.select(beside(low + step, end) < 0, low + step, low), step / 2

    found = rose.stop_gradient(rose.scan(halved, (0.0, math.pi), 53)[0])
    angle = found - beside(found, end) / rose.grad(beside)(found, end)  # by Newton, so that it has a derivative
    radius = -end[1] / (1 - rose.cos(angle))
    return Cycloid(radius, angle, angle * rose.sqrt(radius / GRAVITY))


if __name__ == "__main__":
    module = rose.compile(descend, seconds, cycloid)
    end, straight = [8, -3], [[0, 0]] * WAVES
    found = Descent(straight, module.seconds(end, straight), 30)
    print(f"straight: {found.seconds:.6f} s")
    for steps in (1, 9, 50):
        for _ in range(steps):
            found = module.descend(end, found)
        print(f"{steps:2} steps more: {found.seconds:.6f} s")
    print(f"cycloid: {module.cycloid(end).seconds:.6f} s")

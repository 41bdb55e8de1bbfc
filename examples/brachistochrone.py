"""The brachistochrone: the curve of the fastest slide, by three losses.

A curve has three coefficients, and the time of the slide is a functional of it. To make the time least is one loss;
the other two use its derivative, which is a function: to make that zero along the curve, and to follow it. All three
are trained through the functional. The fastest curve is a cycloid, which takes 2.5819.
"""

import math

import rose
from rose import Real, Vec, fn
from rose import functional as F

m = 400  # nodes, which crowd at the start, where the time has a root
dense = F.Grid([((k + 0.5) / m) ** 2 for k in range(m)], [2.0 * (k + 0.5) / m**2 for k in range(m)])
line = F.Grid([0.01 + 0.99 * k / 49 for k in range(50)], [1 / 50] * 50)


def time_on(grid):
    """The functional of the time, without the root of twice the gravity."""

    @F.functional
    def time(y: F.Map[Real, Real]) -> Real:
        return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2) / rose.sqrt(-y), grid)

    return time


time = time_on(line)


def curve(c):
    """From (0, 0) to (1, -1)."""
    waves = lambda x: rose.sum(c[k] * rose.sin((k + 1.0) * math.pi * x) for k in rose.range(3))
    return rose.fn([Real], Real)(lambda x: -x + waves(x))


@fn
def least(c: Vec[3]) -> Real:
    return time(curve(c))


@fn
def stationary(c: Vec[3]) -> Real:
    return F.integrate(rose.grad(time)(curve(c)) ** 2, line)


@fn
def along(c: Vec[3]) -> Real:  # its derivative is that of the time
    y = curve(c)
    return F.integrate(rose.stop_gradient(rose.grad(time)(y)) * y, line)


@fn
def exact(c: Vec[3]) -> Real:  # as near to the integral as three coefficients are to the cycloid
    return time_on(dense)(curve(c))


losses = (least, stationary, along)
START = (-0.3, -0.05, 0.02)


@fn
def best(c: Vec[3]) -> tuple[Vec[3], Real]:
    found = rose.lib.lbfgs(exact)(c)
    return found.x, found.value


if __name__ == "__main__":
    for loss in losses:
        value, slopes = rose.value_and_grad(loss)(START)
        print(f"{loss.name}: {value:.6f}, {' '.join([f'{s:.6f}' for s in slopes])}")
    c, value = best(START)
    print(f"fastest: {' '.join([f'{x:.6f}' for x in c])}, which takes {value:.6f}")

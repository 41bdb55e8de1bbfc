"""Local quadratic approximations (Figure 1 of the paper): what a function of two variables looks like from a point.

A function gets two others. One tells all of second order at a point, in one call: value, gradient, Hessian, the
directions in which it bends most and least, and the step of Newton's method. The other tells the heights of a whole
grid of points, in one call too.
"""

from typing import Any

import rose
from rose import Fn, Real, Vec, fn

SIDE = 49  # points along a side of the grid

Axes = {"bends": Vec[2], "along": Vec[2, Vec[2]]}  # eigenvalues, the larger first, and eigenvectors
Local = {"value": Real, "gradient": Vec[2], "hessian": Vec[2, Vec[2]], "newton": Vec[2], **Axes}


@fn
def power(x: Real, y: Real) -> Real:
    """x ** y, for x > 0. Written so, the derivatives need no logarithm with tables: 6 kB less for a page to load."""
    return rose.exp(y * rose.log1p(x - 1))


@fn
def himmelblau(x: Real, y: Real) -> Real:
    """It has four minima, all of them 0."""
    return (x * x + y - 11) ** 2 + (x + y * y - 7) ** 2


@fn
def waves(x: Real, y: Real) -> Real:
    return rose.sin(x) * rose.cos(y)


@fn
def rosenbrock(x: Real, y: Real) -> Real:
    """A valley that is easy to find, and hard to follow to its lowest point, (1, 1)."""
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


@fn
def axes(a: Real, b: Real, d: Real) -> Axes:
    """Along which directions ((a, b), (b, d)) bends most and least, and how much."""
    middle, half = (a + d) / 2, (a - d) / 2
    radius = rose.sqrt(half * half + b * b)
    # of the two ways to write the first direction, the one in which nothing cancels
    u = rose.select(half > 0, [half + radius, b], [b, radius - half])
    length = rose.sqrt(u[0] * u[0] + u[1] * u[1])
    c = rose.select(length > 0, u[0] / length, 1)
    s = rose.select(length > 0, u[1] / length, 0)
    return {"bends": [middle + radius, middle - radius], "along": [[c, s], [-s, c]]}


def local(f: Fn[..., Any]) -> Fn[..., Any]:
    """All of second order at a point."""

    @fn
    def local(x: Real, y: Real) -> Local:
        value, (p, q) = rose.value_and_grad(f, (0, 1))(x, y)
        ((a, b), (_, d)) = rose.hessian(f, (0, 1))(x, y)
        bent, det = axes(a, b, d), a * d - b * b
        newton = [(b * q - d * p) / det, (b * p - a * q) / det]  # to where the gradient of the approximation is 0
        at = {"value": value, "gradient": [p, q], "hessian": [[a, b], [b, d]], "newton": newton}
        return {**at, "bends": bent["bends"], "along": bent["along"]}

    return local


def heights(f: Fn[..., Any]) -> Fn[..., Any]:
    """The values at the points of a grid between two corners: a row for each y."""

    @fn
    def heights(x0: Real, y0: Real, x1: Real, y1: Real) -> Vec[SIDE, Vec[SIDE]]:
        dx, dy = (x1 - x0) / (SIDE - 1), (y1 - y0) / (SIDE - 1)
        row = lambda y: rose.vec(f(x0 + j * dx, y) for j in rose.range(SIDE))
        return rose.vec(row(y0 + i * dy) for i in rose.range(SIDE))

    return heights


power_local, power_heights = local(power), heights(power)
himmelblau_local, himmelblau_heights = local(himmelblau), heights(himmelblau)
waves_local, waves_heights = local(waves), heights(waves)
rosenbrock_local, rosenbrock_heights = local(rosenbrock), heights(rosenbrock)

if __name__ == "__main__":
    at = power_local(2, 3)
    print("value:   ", at["value"])
    print("gradient:", at["gradient"])
    print("Hessian: ", at["hessian"][0], at["hessian"][1])
    print("Newton:  ", at["newton"])

"""A bell on a slope, fitted to points: five searches for the curve that is nearest to them, compiled into the module.

Each takes a curve to start from, the points, which of them are there, and how many steps it may take.
"""

from collections.abc import Callable
from typing import Any

import rose
from rose import Fn, Real, Vec, fn

N = 12  # places for points
XS = [k / 12 for k in range(121)]  # where the curve is drawn


@rose.struct
class Bell:
    """A straight line, and a bell that stands on it."""

    base: Real
    slope: Real
    height: Real
    centre: Real
    width: Real

    def at(self, x):
        far = (x - self.centre) / self.width
        return self.base + self.slope * x + self.height * rose.exp(-far * far / 2)


@fn
def residuals(bell: Bell, points: Vec[N, Vec[2]], there: Vec[N]) -> Vec[N]:
    """How far above the curve each point is, times 1 if it is there, and times 0 if it is not."""
    return rose.vec(there[i] * (points[i][1] - bell.at(points[i][0])) for i in rose.range(N))


@fn
def loss(bell: Bell, points: Vec[N, Vec[2]], there: Vec[N]) -> Real:
    """The sum of their squares."""
    away = residuals(bell, points, there)
    return rose.dot(away, away)


@fn
def curve(bell: Bell) -> Vec[len(XS)]:
    """The heights of the curve, from left to right."""
    return rose.vec(bell.at(k / 12) for k in rose.range(len(XS)))


def fit(search: Callable[..., Any], f: Fn[..., Any], **options: float) -> Fn[..., Any]:
    """A search as a function that is told how many steps it may take."""

    @fn
    def fitted(bell: Bell, points: Vec[N, Vec[2]], there: Vec[N], steps: Real) -> rose.lib.Minimum[Bell]:
        return search(f, max_steps=steps, **options)(bell, points, there)

    return fitted


gauss_newton = fit(rose.lib.gauss_newton, residuals)
newton = fit(rose.lib.newton, loss)
lbfgs = fit(rose.lib.lbfgs, loss)
adam = fit(rose.lib.adam, loss, rate=0.05)
gradient_descent = fit(rose.lib.gradient_descent, loss)

searches = {
    "Gauss-Newton": gauss_newton,
    "Newton": newton,
    "L-BFGS": lbfgs,
    "Adam": adam,
    "gradient descent": gradient_descent,
}

if __name__ == "__main__":
    start = Bell(base=1, slope=0, height=1, centre=5, width=1)
    points = [[0.7, 1.3], [1.9, 1.1], [3.1, 2.2], [4.0, 4.1], [4.9, 4.6], [5.8, 3.9], [6.9, 1.7], [8.2, 1.0], [9.3, 1.2]]
    there = [1] * len(points) + [0] * (N - len(points))
    points += [[0, 0]] * (N - len(points))
    for name, search in searches.items():
        found = search(start, points, there, 2000)
        print(f"{name}: {found.steps:.0f} steps to {found.value:.6f}, centre {found.x.centre:.4f}")

"""A peak on a slope, fitted to points: five searches for the curve that is nearest to them, inside the module.

Each takes a curve to start from, the points, which of them are there, and how many steps it may take.
"""

from collections.abc import Callable
from typing import Any

import rose
from rose import Fn, Real, Vec, fn

N = 12  # places for points
M = 213  # places where the curve is drawn


@rose.struct
class Peak:
    """A straight line, and a peak that stands on it, of Lorentz's shape."""

    base: Real
    slope: Real
    height: Real
    centre: Real
    width: Real

    def at(self, x):
        far = (x - self.centre) / self.width
        return self.base + self.slope * x + self.height / (1 + far * far)


@fn
def residuals(peak: Peak, points: Vec[N, Vec[2]], there: Vec[N]) -> Vec[N]:
    """How far above the curve each point is, times 1 if it is there, and times 0 if it is not."""
    return rose.vec(there[i] * (points[i][1] - peak.at(points[i][0])) for i in rose.range(N))


@fn
def loss(peak: Peak, points: Vec[N, Vec[2]], there: Vec[N]) -> Real:
    """The sum of their squares."""
    away = residuals(peak, points, there)
    return rose.dot(away, away)


@fn
def curve(peak: Peak, xs: Vec[M]) -> Vec[M]:
    """The height of the curve at each of these places."""
    return rose.vec(peak.at(xs[k]) for k in rose.range(M))


def fit(search: Callable[..., Any], f: Fn[..., Any], **options: float) -> Fn[..., Any]:
    """A search as a function that is told how many steps it may take."""

    @fn
    def fitted(peak: Peak, points: Vec[N, Vec[2]], there: Vec[N], steps: Real) -> rose.lib.Minimum[Peak]:
        return search(f, max_steps=steps, **options)(peak, points, there)

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
    start = Peak(base=1, slope=0, height=1, centre=5, width=1)
    heights = {0.7: 1.5, 1.9: 1.1, 3.1: 2.6, 4.0: 3.9, 4.9: 5.3, 5.8: 3.2, 6.9: 2.5, 8.2: 0.9, 9.3: 1.3}
    points = [list(point) for point in heights.items()]
    there = [1] * len(points) + [0] * (N - len(points))
    points += [[0, 0]] * (N - len(points))
    for name, search in searches.items():
        found = search(start, points, there, 2000)
        print(f"{name}: {found.steps:.0f} steps to {found.value:.6f}, centre {found.x.centre:.4f}")

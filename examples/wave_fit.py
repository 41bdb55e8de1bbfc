"""A wave fitted to a thousand points: amplitude and frequency, by a search that has exact derivatives."""

import math

import rose
from rose import Vec, fn

N = 1_000


@fn
def residuals(wave: Vec[2], x: Vec[N], y: Vec[N]) -> Vec[N]:
    """How far a wave of this amplitude and frequency is from each point."""
    return rose.vec(wave[0] * rose.sin(wave[1] * x[i]) - y[i] for i in rose.range(N))


fit = rose.lib.gauss_newton(residuals)  # damped, as by Levenberg and Marquardt

if __name__ == "__main__":
    x = [2 * math.pi * i / N for i in range(N)]
    found = fit([1.0, 1.0], x, [2 * math.sin(2 * t) for t in x])
    print(f"amplitude {found.x[0]:.6f}, frequency {found.x[1]:.6f}, after {int(found.steps)} steps")

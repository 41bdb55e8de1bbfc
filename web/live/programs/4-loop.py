"""A loop: how far from the origin the map z -> z² + c is after some steps."""

import rose
from rose import Real, fn

box = -1.6, -1.2, 0.8, 1.2
steps = 6


@fn
def f(x: Real, y: Real) -> Real:
    def step(_, z):
        u, v = z
        return u * u - v * v + x, 2 * u * v + y

    u, v = rose.scan(step, (0.0, 0.0), steps)
    return rose.log1p(u * u + v * v)

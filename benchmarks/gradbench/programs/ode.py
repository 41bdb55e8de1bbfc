"""`ode`: a chain of equations, integrated by the classical method of Runge and Kutta."""

from __future__ import annotations

import functools

import rose
from rose import Real, Vec, fn

from .. import placed
from . import Functions


@functools.cache
def compiled(n: int, s: int):
    """For n equations, y' = f(y), and s steps from time 0 to 2."""
    h = 2 / s

    @fn
    def primal(x: Vec[n]) -> Vec[n]:
        slope = lambda y: rose.vec(x[i] * rose.select(i == 0, 1.0, y[i - 1]) for i in rose.range(n))
        moved = lambda y, h, k: rose.vec(y[i] + h * k[i] for i in rose.range(n))

        def step(_, y):
            k1 = slope(y)
            k2 = slope(moved(y, h / 2, k1))
            k3 = slope(moved(y, h / 2, k2))
            k4 = slope(moved(y, h, k3))
            return rose.vec(y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]) for i in rose.range(n))

        return rose.scan(step, rose.vec(0.0 for _ in rose.range(n)), s)

    @fn
    def last(x: Vec[n]) -> Real:
        return primal(x)[n - 1]

    return rose.compile({"primal": primal, "gradient": rose.grad(last)}, simd=True)


functions: Functions = {
    "primal": lambda i: placed.call(compiled(len(i["x"]), i["s"]).primal, i["x"], shown=lambda y: y.tolist()),
    "gradient": lambda i: placed.call(compiled(len(i["x"]), i["s"]).gradient, i["x"], shown=lambda g: g.tolist()),
}

"""`ode`: a chain of equations, integrated by the classical method of Runge and Kutta."""

from __future__ import annotations

import functools

import rose
from rose import Real, Vec, fn

from .. import placed
from . import Functions


@functools.cache
def compiled(n: int, s: int):
    """For n equations, y' = f(y), where f_i = x_i y_{i-1} and f_0 = x_0; and s steps from time 0 to 2."""
    h = 2 / s

    @fn
    def primal(x: Vec[n]) -> Vec[n]:
        def step(_, y):
            def equation(i, before):  # with what the one before it has: its number, and its first three slopes
                z, k1, k2, k3 = before
                l1 = x[i] * z
                l2 = x[i] * (z + h / 2 * k1)
                l3 = x[i] * (z + h / 2 * k2)
                l4 = x[i] * (z + h * k3)
                return (y[i], l1, l2, l3), y[i] + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)

            return rose.scan(equation, (1.0, 0.0, 0.0, 0.0), n)[1]

        return rose.scan(step, rose.vec(0.0 for _ in rose.range(n)), s)

    @fn
    def last(x: Vec[n]) -> Real:
        return primal(x)[n - 1]

    return rose.compile({"primal": primal, "gradient": rose.grad(last)}, simd=True)


functions: Functions = {
    "primal": lambda i: placed.call(compiled(len(i["x"]), i["s"]).primal, i["x"], shown=lambda y: y.tolist()),
    "gradient": lambda i: placed.call(compiled(len(i["x"]), i["s"]).gradient, i["x"], shown=lambda g: g.tolist()),
}

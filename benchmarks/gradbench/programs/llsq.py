"""`llsq`: a polynomial fitted to the sign function by least squares."""

from __future__ import annotations

import functools

import rose
from rose import Real, Vec, fn

from .. import placed
from . import Functions


@functools.cache
def compiled(m: int, n: int):
    """For a polynomial of so many coefficients, and so many points from -1 to 1."""

    @fn(syntax=True)
    def primal(x: Vec[m]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(n):
            t = 2 * i / (n - 1) - 1
            missed, power = rose.accum(rose.select(t == 0.0, 0.0, rose.sign(t))), 1.0
            for j in rose.range(m):
                missed -= x[j] * power
                power *= t
            total += missed.value**2
        return total.value / 2

    return rose.compile({"primal": primal, "gradient": rose.grad(primal)}, simd=True)


functions: Functions = {
    "primal": lambda i: placed.call(compiled(len(i["x"]), i["n"]).primal, i["x"]),
    "gradient": lambda i: placed.call(compiled(len(i["x"]), i["n"]).gradient, i["x"], shown=lambda g: g.tolist()),
}

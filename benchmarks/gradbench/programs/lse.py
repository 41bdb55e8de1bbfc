"""`lse`: the logarithm of a sum of exponentials.

What is subtracted from all numbers is added again: any would give the same answer, and the same derivatives. So it is
a constant for them.
"""

from __future__ import annotations

import functools

import rose
from rose import Real, Vec, fn

from .. import placed
from . import Functions


@functools.cache
def compiled(n: int):
    @fn
    def primal(x: Vec[n]) -> Real:
        most = rose.stop_gradient(rose.max(x))
        return most + rose.log(rose.sum(rose.exp(x[i] - most) for i in rose.range(n)))

    return rose.compile({"primal": primal, "gradient": rose.grad(primal)}, simd=True)


functions: Functions = {
    "primal": lambda i: placed.call(compiled(len(i["x"])).primal, i["x"]),
    "gradient": lambda i: placed.call(compiled(len(i["x"])).gradient, i["x"], shown=lambda g: g.tolist()),
}

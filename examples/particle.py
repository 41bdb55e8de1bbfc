"""The charge that steers a particle to a target: a search through a simulation that has a derivative in each step.

A particle falls between two charges, until it reaches the ground; how many steps that takes depends on the numbers. Its
acceleration is the gradient of a potential, and the charge is moved along the gradient of where it lands. It is the
`particle` of GradBench, which is Pearlmutter and Siskind's.
"""

from collections.abc import Callable
from typing import Any

from descent import forward, minimiser, reverse

import rose
from rose import Fn, Real, Vec, fn

Mode = Callable[[Any], Any]


def lands(inner: Mode) -> Fn[..., Any]:
    """How far from the target, squared, the particle lands."""

    @fn(syntax=True)
    def missed(w: Vec[1]) -> Real:
        charges = [(10.0, 10.0 - w[0]), (10.0, 0.0)]

        @fn
        def potential(x: Vec[2]) -> Real:
            return sum(1 / rose.sqrt((x[0] - at[0]) ** 2 + (x[1] - at[1]) ** 2) for at in charges)

        x, v, dt = rose.vec([0.0, 8.0]), rose.vec([0.75, 0.0]), 0.1
        while x[1] + dt * v[1] > 0:
            pull = inner(potential)(x)
            x = rose.vec(x[i] + dt * v[i] for i in rose.range(2))
            v = rose.vec(v[i] - dt * pull[i] for i in rose.range(2))
        return (x[0] - x[1] / v[1] * v[0]) ** 2

    return missed


def steered(outer: Mode, inner: Mode) -> Fn[..., Any]:
    """From a first charge to the one with which the particle hits the target."""
    search = minimiser(lands(inner), outer, 1)
    return fn([Real], Real)(lambda w: search([w])[0])


modes = {"ff": (forward, forward), "fr": (forward, reverse), "rf": (reverse, forward), "rr": (reverse, reverse)}
module = rose.compile({name: steered(outer, inner) for name, (outer, inner) in modes.items()})

if __name__ == "__main__":
    for name in modes:
        print(f"{name}: {module[name](0):.10f}")

"""The rates of hares and lynxes, fitted to a simulation: a gradient through the steps of Runge and Kutta.

After NumPyro's example `ode`, of Lotka and Volterra's equations, which JAX's `odeint` solves there.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

STEPS, DT = 100, 0.1


def speed(at: Vec[2], rates: Vec[4]) -> Vec[2]:
    hares, lynxes = at
    a, b, c, d = rates
    return rose.vec([a * hares - b * hares * lynxes, c * hares * lynxes - d * lynxes])


@fn
def simulated(start: Vec[2], rates: Vec[4]) -> Vec[STEPS, 2]:
    def step(_: int, at: Vec[2]) -> tuple[Vec[2], Vec[2]]:
        k1 = speed(at, rates)
        k2 = speed(at + DT / 2 * k1, rates)
        k3 = speed(at + DT / 2 * k2, rates)
        k4 = speed(at + DT * k3, rates)
        after = at + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return after, after

    path: Vec[STEPS, 2] = rose.scan(step, start, STEPS)[1]
    return path


@fn
def misfit(rates: Vec[4], start: Vec[2], seen: Vec[STEPS, 2]) -> Real:
    errors = simulated(start, rates) - seen
    return rose.norm(errors) ** 2 / STEPS


start = np.array([1.0, 0.5])
true = np.array([1.1, 0.4, 0.3, 0.9])
guess = np.array([1.0, 0.5, 0.25, 1.0])

if __name__ == "__main__":
    seen = simulated(start, true)
    found = rose.lib.lbfgs(misfit)(guess, start, seen)
    print("from", guess, "to", np.asarray(found.x).round(6))

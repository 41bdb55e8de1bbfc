"""A pendulum from its action alone: the equation of Euler and Lagrange is its derivative, printed and solved.

The action is a functional of the motion. Its derivative is a function of time, and zero for a motion that happens. Of a
parabola through an angle, with a speed and an acceleration, it is linear in the acceleration: so that is found, and the
motion is integrated by the method of Runge and Kutta.
"""

import math

import rose
from rose import Real, Vec, fn
from rose import functional as F


@F.functional
def action(q: F.Map[Real, Real]) -> Real:
    speed = F.nabla(q)
    return F.integrate(speed**2 / 2 + rose.cos(q), F.Grid.gauss_legendre(0.0, 1.0, 20))


equation = rose.grad(action)  # of the functions q, the ones for which it is zero


@fn
def residual(angle: Real, speed: Real, acceleration: Real) -> Real:
    """How far a motion is from the equation, now."""
    parabola = rose.fn([Real], Real)(lambda t: angle + speed * t + acceleration * t * t / 2)
    return equation(parabola)(0.0)


@fn
def acceleration(angle: Real, speed: Real) -> Real:
    at_rest, pushed = residual(angle, speed, 0.0), residual(angle, speed, 1.0)
    return at_rest / (at_rest - pushed)


@fn
def flow(s: Vec[2]) -> Vec[2]:
    return [s[1], acceleration(s[0], s[1])]


@fn
def swing(angle: Real, time: Real) -> Vec[2]:
    """The angle and the speed after a time, from rest."""
    n = 1000
    h = time / n

    def step(_, s):
        k1 = flow(s)
        k2 = flow(s + h / 2 * k1)
        k3 = flow(s + h / 2 * k2)
        k4 = flow(s + h * k3)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return rose.scan(step, [angle, 0.0], n)


def period(angle):
    """By Gauss's mean."""
    a, b = 1.0, math.cos(angle / 2)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi / a


if __name__ == "__main__":
    print(F.show(equation))
    for angle in (0.1, 1.0, 3.0):
        t = period(angle)
        print(f"from {angle}, after {t:.6f}: {swing(angle, t)[0]:.9f}")

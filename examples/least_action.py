"""A path of least action around an obstacle, by its natural gradient, and its second derivative.

The action of a path is its energy as a string, and the height of the hill that it crosses. The path is a straight line
and some waves. A step along the plain gradient is short, since the string is stiff against fast waves. The natural
gradient divides by that stiffness, the metric of the integral of the product of slopes, and needs few steps. The
Hessian operator, a derivative of the derivative, takes a change of the path to the change of its force.
"""

import math

import rose
from rose import Real, Vec, fn
from rose import functional as F

WAVES = 8
line = F.Grid.gauss_legendre(0.0, 1.0, 60)


@fn
def hill(x: Real, y: Real) -> Real:
    """An obstacle, a little below the line from (0, 0) to (1, 0)."""
    return 2.0 * rose.exp(-40.0 * ((x - 0.4) ** 2 + (y + 0.05) ** 2))


@fn
def here(x: Real) -> Real:
    return x


@F.functional
def action(y: F.Map[Real, Real]) -> Real:
    return F.integrate(F.nabla(y) ** 2 / 2 + hill(here, y, share_inputs=True), line)


def path(c):
    waves = lambda x: rose.sum(c[k] * rose.sin((k + 1.0) * math.pi * x) for k in rose.range(WAVES))
    return rose.fn([Real], Real)(waves)


@fn
def cost(c: Vec[WAVES]) -> Real:
    return action(path(c))


def descent(natural, rate):
    """The function that takes so many steps of descent, in the metric of slopes or in that of numbers."""

    @fn
    def descend(c: Vec[WAVES]) -> Vec[WAVES]:
        stiff = lambda k: ((k + 1.0) * math.pi) ** 2 / 2 if natural else 1.0

        def step(_, c):
            slope = rose.grad(cost)(c)
            return rose.vec(c[k] - rate * slope[k] / stiff(k) for k in rose.range(WAVES))

        return rose.scan(step, c, 40)

    return descend


@fn
def bend(c: Vec[WAVES], d: Vec[WAVES]) -> Real:
    """How the action is bent along a change of the path: above zero for a path of least action."""
    force = rose.jvp(rose.grad(action))(path(c), path(d)).du
    return F.integrate(force * path(d), line)


plain, natural = descent(False, 0.003), descent(True, 0.5)
straight = [0.0] * WAVES

if __name__ == "__main__":
    print(f"straight: {cost(straight):.6f}")
    print(f"40 steps: {cost(plain(straight)):.6f}, natural ones: {cost(natural(straight)):.6f}")
    ways = [[float(j == k) for j in range(WAVES)] for k in range(3)]
    print("bent:", *[f"{bend(natural(straight), d):.4f}" for d in ways])

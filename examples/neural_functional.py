"""A network whose layers are integrals: its weights are functions, and so are their gradients.

A layer takes a function to the integral of a kernel times it, and adds a bias, a function too. Four steps of descent
learn both kernels and both biases, so that the network takes one wave to another. Each step makes functions of those
before it, and each of them compiles to a module.
"""

import math
from typing import TypeAlias

import rose
from rose import Real, fn
from rose import functional as F

Row: TypeAlias = F.Map[Real, Real]
Kernel: TypeAlias = F.Map[Real, Real, Real]
nodes = F.Grid([k / 99 for k in range(100)], [1 / 100] * 100)
RATE = 0.1


@fn
def given(x: Real) -> Real:
    return rose.sin(4.0 * math.pi * x)


@fn
def target(x: Real) -> Real:
    return rose.cos(math.pi * x)


@fn
def bias(x: Real) -> Real:
    return rose.sin(math.pi * x)


@fn
def kernel(y: Real, x: Real) -> Real:
    return rose.sin(y) + rose.cos(x)


@F.functional
def network(k1: Kernel, b1: Row, k2: Kernel, b2: Row) -> Row:
    return k2 @ rose.tanh(k1 @ given + b1) + b2


@F.functional
def loss(k1: Kernel, b1: Row, k2: Kernel, b2: Row) -> Real:
    return F.integrate((network(k1, b1, k2, b2) - target) ** 2, nodes)


slopes = rose.grad(loss, (0, 1, 2, 3))


def steps(count):
    """The weights before each step, and after the last."""
    weights = kernel.on(None, nodes), bias, kernel.on(None, nodes), bias
    yield weights
    for _ in range(count):
        weights = tuple([w - RATE * s for w, s in zip(weights, slopes(*weights), strict=True)])
        yield weights


if __name__ == "__main__":
    for k, weights in enumerate(steps(2)):
        print(f"after {k} steps: loss {loss(*weights):.6f}, kernel {weights[0](0.25, 0.3):.6f}")

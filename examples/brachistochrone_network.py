"""The brachistochrone by a network of 33,000 numbers, which gives the curve, in single precision.

To make the time on few nodes least, such a curve cheats between them: what it trains on is below what any curve takes.
To make the derivative of the time zero, or to follow it, does not, since that is a function and smooth. The numbers
are trained through the functional, and its derivative, by Adam's method.
"""

import math
import random

import rose
from rose import Real, Vec, fn
from rose import functional as F

H = 128  # units of a layer
line = F.Grid([0.01 + 0.99 * k / 49 for k in range(50)], [1 / 50] * 50)


@rose.struct
class Network:
    """Three layers of H units and one of one: weights, and biases."""

    w1: Vec[H]
    b1: Vec[H]
    w2: Vec[H, Vec[H]]
    b2: Vec[H]
    w3: Vec[H, Vec[H]]
    b3: Vec[H]
    w4: Vec[H]
    b4: Real

    def at(self, x):
        h = rose.sigmoid(self.w1 * x + self.b1)
        h = rose.sigmoid(self.w2 @ h + self.b2)
        h = rose.sigmoid(self.w3 @ h + self.b3)
        return self.w4 @ h + self.b4


@F.functional
def time(y: F.Map[Real, Real]) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2) / rose.sqrt(-y), line)


def curve(net):
    """From (0, 0) to (1, -1)."""
    return rose.fn([Real], Real)(lambda x: net.at(x) * rose.sin(math.pi * x) - x)


@fn
def least(net: Network) -> Real:
    return time(curve(net))


@fn
def stationary(net: Network) -> Real:
    return F.integrate(rose.grad(time)(curve(net)) ** 2, line)


@fn
def along(net: Network) -> Real:  # its derivative is that of the time
    y = curve(net)
    return F.integrate(rose.stop_gradient(rose.grad(time)(y)) * y, line)


losses = (least, stationary, along)


def drawn(seed):
    """Weights from a normal distribution, over the root of the number of inputs; biases of zero."""
    draw = random.Random(seed)
    row = lambda inputs: [draw.gauss(0.0, inputs**-0.5) for _ in range(H)]
    square = lambda: [row(H) for _ in range(H)]
    zero = [0.0] * H
    return Network(row(1), zero, square(), zero, square(), zero, row(H), 0.0)


if __name__ == "__main__":
    net = drawn(1)
    for loss in losses:
        found = rose.lib.adam(loss, max_steps=5)(net)
        print(f"{loss.name}: {loss(net):.6f}, after five steps {found.value:.6f}")

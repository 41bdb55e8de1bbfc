"""A neural net that learns a cosine: two layers of tanh, by gradient descent.

After autograd's example `neural_net_regression`.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

POINTS, HIDDEN = 40, 8


@rose.struct
class Net:
    w1: Vec[HIDDEN]
    b1: Vec[HIDDEN]
    w2: Vec[HIDDEN, HIDDEN]
    b2: Vec[HIDDEN]
    w3: Vec[HIDDEN]


@fn
def predicted(net: Net, x: Vec[POINTS]) -> Vec[POINTS]:
    first = np.tanh(x[:, None] * net.w1 + net.b1)
    second = np.tanh(first @ net.w2 + net.b2)
    return second @ net.w3


@fn
def loss(net: Net, x: Vec[POINTS], y: Vec[POINTS]) -> Real:
    errors = predicted(net, x) - y
    return errors @ errors / POINTS


@fn
def learnt(net: Net, x: Vec[POINTS], y: Vec[POINTS], rate: Real) -> Net:
    """The net after a hundred steps."""
    last: Net = rose.scan(lambda _, net: moved(net, rose.grad(loss)(net, x, y), rate), net, 100)
    return last


def moved(net: Net, slope: Net, rate: Real) -> Net:
    return Net(
        net.w1 - rate * slope.w1,
        net.b1 - rate * slope.b1,
        net.w2 - rate * slope.w2,
        net.b2 - rate * slope.b2,
        net.w3 - rate * slope.w3,
    )


grid = np.linspace(-1, 1, HIDDEN)
start = Net(grid, grid[::-1] / 2, np.outer(grid, grid) / 2, grid / 3, np.cos(grid))
x = np.linspace(-3, 3, POINTS)
y = np.cos(x)

if __name__ == "__main__":
    print(f"before: {loss(start, x, y):.6f}, after: {loss(learnt(start, x, y, 0.1), x, y):.6f}")

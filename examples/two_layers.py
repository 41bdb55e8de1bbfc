"""A network of two layers, and a step of its training, for a page: it learns in which third of a spiral a point is."""

import math

import rose
from rose import Fin, Real, Vec, fn, nn

BATCH, HIDDEN, CLASSES = 32, 16, 3


@rose.struct
class Net:
    """The weights of two layers."""

    w1: Vec[2, HIDDEN]
    b1: Vec[HIDDEN]
    w2: Vec[HIDDEN, CLASSES]
    b2: Vec[CLASSES]


@fn
def logits(net: Net, x: Vec[BATCH, 2]) -> Vec[BATCH, CLASSES]:
    """How much each point speaks for each class."""
    return nn.dense(nn.relu(nn.dense(x, net.w1, net.b1)), net.w2, net.b2)


@fn
def loss(net: Net, x: Vec[BATCH, 2], y: Vec[BATCH, Fin[CLASSES]]) -> Real:
    """The mean surprise at the classes."""
    return rose.mean(nn.cross_entropy(logits(net, x), y))


@fn
def train(net: Net, x: Vec[BATCH, 2], y: Vec[BATCH, Fin[CLASSES]], rate: Real) -> Net:
    """The network after a step down the gradient."""
    g = rose.grad(loss)(net, x, y)
    return Net(net.w1 - rate * g.w1, net.b1 - rate * g.b1, net.w2 - rate * g.w2, net.b2 - rate * g.b2)


def small(n: int, m: int) -> list[list[float]]:
    """Weights to begin with, which differ."""
    return [[math.sin(7 * i + 3 * j + 1) / 2 for j in range(m)] for i in range(n)]


if __name__ == "__main__":
    turns = [3 * k / BATCH for k in range(BATCH)]
    x = [[k / BATCH * math.cos(2 * t), k / BATCH * math.sin(2 * t)] for k, t in enumerate(turns)]
    y = [int(t) for t in turns]
    net = Net(small(2, HIDDEN), [0.0] * HIDDEN, small(HIDDEN, CLASSES), [0.0] * CLASSES)
    step = rose.compile({"train": train, "loss": loss})
    print(f"at first {step.loss(net, x, y):.3f}")
    for _ in range(2_000):
        net = step.train(net, x, y, 0.5)
    print(f"after 2,000 steps {step.loss(net, x, y):.3f}")

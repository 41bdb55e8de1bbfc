"""Three programs that users of other libraries asked for: a robot's derivative, a wave's fit, a network's training.

A robot of three arms: each arm turns an elbow around its motor, and the hand hangs on bars of one length from the
elbows: it is where three spheres meet. Written as one expression, each coordinate of the hand has ten thousand
characters, since it repeats what it uses; as a program, all three have some hundred operations.

A wave fitted to a thousand points, by a search that has exact derivatives. And a network of two layers, with a step of
its training, for a page: it learns in which third of a spiral a point is.
"""

import math

import rose
from rose import Fin, Real, Vec, fn, nn

BASE, HAND = 457.3, 115.0  # the sides of two triangles: of the motors, and of the hand; in millimetres
ARM, BAR = 112.0, 232.0


@fn
def hand(angles: Vec[3]) -> Vec[3]:
    """Where the hand is, in millimetres, for the angles of the motors in radians."""
    off = (BASE - HAND) * math.tan(math.pi / 6) / 2
    out = rose.vec(off + ARM * rose.cos(angles[i]) for i in rose.range(3))
    z = rose.vec(-ARM * rose.sin(angles[i]) for i in rose.range(3))
    sine, tangent = math.sin(math.pi / 6), math.tan(math.pi / 3)
    y1, y2, y3 = -out[0], out[1] * sine, out[2] * sine
    x2, x3 = y2 * tangent, -y3 * tangent
    # what remains of the three spheres, in which x and y are lines over the height
    w1, w2, w3 = y1**2 + z[0] ** 2, x2**2 + y2**2 + z[1] ** 2, x3**2 + y3**2 + z[2] ** 2
    d = (y2 - y1) * x3 - (y3 - y1) * x2
    a1 = (z[1] - z[0]) * (y3 - y1) - (z[2] - z[0]) * (y2 - y1)
    b1 = -((w2 - w1) * (y3 - y1) - (w3 - w1) * (y2 - y1)) / 2
    a2 = -(z[1] - z[0]) * x3 + (z[2] - z[0]) * x2
    b2 = ((w2 - w1) * x3 - (w3 - w1) * x2) / 2
    a = a1**2 + a2**2 + d**2
    b = 2 * (a1 * b1 + a2 * (b2 - y1 * d) - z[0] * d**2)
    c = (b2 - y1 * d) ** 2 + b1**2 + d**2 * (z[0] ** 2 - BAR**2)
    height = -(b + rose.sqrt(b**2 - 4 * a * c)) / (2 * a)
    return [(a1 * height + b1) / d, (a2 * height + b2) / d, height]


moves = rose.jacobian(hand)

POINTS = 1_000


@fn
def residuals(wave: Vec[2], x: Vec[POINTS], y: Vec[POINTS]) -> Vec[POINTS]:
    """How far a wave of this amplitude and frequency is from each point."""
    return rose.vec(wave[0] * rose.sin(wave[1] * x[i]) - y[i] for i in rose.range(POINTS))


fit = rose.lib.gauss_newton(residuals)  # damped, as by Levenberg and Marquardt

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
    print(f"the hand at {hand([0.3, 0.1, -0.2])}")
    print(f"moved by the motors {moves([0.3, 0.1, -0.2])}")
    times = [2 * math.pi * i / POINTS for i in range(POINTS)]
    found = fit([1.0, 1.0], times, [2 * math.sin(2 * t) for t in times])
    print(f"amplitude {found.x[0]:.6f}, frequency {found.x[1]:.6f}, after {int(found.steps)} steps")
    turns = [3 * k / BATCH for k in range(BATCH)]
    x = [[k / BATCH * math.cos(2 * t), k / BATCH * math.sin(2 * t)] for k, t in enumerate(turns)]
    y = [int(t) for t in turns]
    net = Net(small(2, HIDDEN), [0.0] * HIDDEN, small(HIDDEN, CLASSES), [0.0] * CLASSES)
    step = rose.compile({"train": train, "loss": loss})
    print(f"at first {step.loss(net, x, y):.3f}")
    for _ in range(2_000):
        net = step.train(net, x, y, 0.5)
    print(f"after 2,000 steps {step.loss(net, x, y):.3f}")

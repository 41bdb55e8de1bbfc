"""What the bundlers and browsers are given: a function of each kind, with its derivative."""

import rose
from rose import Real, Vec, fn


@rose.struct
class Line:
    """A straight line."""

    b0: Real
    b: Real


@fn
def wave(x: Real) -> Real:
    """A wave that fades."""
    return rose.sin(x) * rose.exp(-x)


@fn
def loss(line: Line, x: Vec[3], y: Vec[3]) -> Real:
    """How far a line is from three points."""
    return rose.sum((line.b0 + line.b * x[i] - y[i]) ** 2 for i in rose.range(3))


slope = rose.grad(loss)

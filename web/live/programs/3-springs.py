"""Three springs: the energy of a weight that hangs on them."""

import rose
from rose import Real, fn

anchors = [[-1.6, 1.2], [1.6, 1.2], [0.0, -1.7]]
stiffness = [3.0, 3.0, 1.5]
weight = 1.0


@fn
def f(x: Real, y: Real) -> Real:
    energy = weight * y
    for (ax, ay), k in zip(anchors, stiffness, strict=True):
        length = rose.hypot(x - ax, y - ay)
        energy += k * (length - 1) ** 2 / 2
    return energy

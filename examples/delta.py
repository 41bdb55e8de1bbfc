"""A robot of three arms: where its hand is, by the angles of its motors, and how each motor moves it.

Each arm turns an elbow around its motor, and the hand hangs on bars of one length from the elbows: it is where three
spheres meet. Written as one expression, each of its coordinates has ten thousand characters, since it repeats what it
uses; as a program, all three have some hundred operations.
"""

import math

import rose
from rose import Vec, fn

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

if __name__ == "__main__":
    print(f"the hand at {hand([0.3, 0.1, -0.2])}")
    print(f"moved by the motors {moves([0.3, 0.1, -0.2])}")

"""An image of Gaussian splats in the plane, painted from front to back and compared with another: graphics.

The model is that of 3D Gaussian splatting (Kerbl and others, 2023), after the projection.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

SPLATS, SIZE = 12, 24


@rose.struct
class Splat:
    centre: Vec[2]
    log_scale: Vec[2]
    angle: Real
    opacity: Real
    colour: Vec[3]


@rose.struct
class Conic:
    a: Real
    b: Real
    c: Real
    opacity: Real


@fn
def conic(s: Splat) -> Conic:
    """The inverse of the covariance, and the opacity from 0 to 1."""
    u, v = rose.exp(-2 * s.log_scale[0]), rose.exp(-2 * s.log_scale[1])
    c, d = rose.cos(s.angle), rose.sin(s.angle)
    return Conic(u * c * c + v * d * d, (u - v) * c * d, u * d * d + v * c * c, rose.sigmoid(s.opacity))


@fn
def painted(splats: Vec[SPLATS, Splat], conics: Vec[SPLATS, Conic], x: Real, y: Real) -> Vec[3]:
    def over(k, state):
        light, colour = state
        s, q = splats[k], conics[k]
        dx, dy = x - s.centre[0], y - s.centre[1]
        alpha = q.opacity * rose.exp(-0.5 * (q.a * dx * dx + 2 * q.b * dx * dy + q.c * dy * dy))
        return light * (1 - alpha), colour + light * alpha * s.colour

    return rose.scan(over, (1.0, [0.0, 0.0, 0.0]), SPLATS)[1]


@fn
def loss(splats: Vec[SPLATS, Splat], target: Vec[SIZE, SIZE, 3]) -> Real:
    conics = rose.vec(conic(splats[k]) for k in rose.range(SPLATS))
    total = rose.accum(0.0)
    for i in rose.range(SIZE):
        for j in rose.range(SIZE):
            error = painted(splats, conics, (j + 0.5) / SIZE, (i + 0.5) / SIZE) - target[i, j]
            total += rose.dot(error, error)
    return total.value / (3 * SIZE * SIZE)


def written() -> Written:
    r = np.random.default_rng(106)
    params = []
    for _ in range(SPLATS):
        params += [*r.uniform(0.1, 0.9, 2), *r.uniform(-2.5, -1.2, 2), r.uniform(0, 3), r.normal(), *r.uniform(0, 1, 3)]
    y, x = np.mgrid[:SIZE, :SIZE] / SIZE
    target = np.stack([x, 0.5 + 0.5 * np.sin(6 * x * y), 1 - y], axis=-1)
    data = (target.ravel().tolist(),)
    sizes = {"SPLATS": SPLATS, "SIZE": SIZE}
    program = Program("splats", source("splats"), sizes, [float(x) for x in params], {"text": loss}, data)
    return Written("splats", "graphics", "structs", program)

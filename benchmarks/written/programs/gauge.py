"""The action of an SU(2) gauge field on a lattice in four dimensions, with Iwasaki's improvement: physics.

A link is a quaternion, of any length, which is normalised first; a term is the real part of a product of links round a
plaquette, or round a rectangle of two.
"""

import itertools

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Fin, Real, Vec, fn

SIDE = 4
SITES = SIDE**4
BETA, C1 = 2.3, -0.331


def neighbours():
    """By site and direction: the site one step ahead."""
    place = {x: k for k, x in enumerate(itertools.product(range(SIDE), repeat=4))}
    ahead = [[(*x[:m], (x[m] + 1) % SIDE, *x[m + 1 :]) for m in range(4)] for x in place]
    return [[place[y] for y in row] for row in ahead]


AHEAD = neighbours()


@rose.struct
class Quaternion:
    w: Real
    x: Real
    y: Real
    z: Real

    def __mul__(self, q):
        return Quaternion(
            self.w * q.w - self.x * q.x - self.y * q.y - self.z * q.z,
            self.w * q.x + self.x * q.w + self.y * q.z - self.z * q.y,
            self.w * q.y - self.x * q.z + self.y * q.w + self.z * q.x,
            self.w * q.z + self.x * q.y - self.y * q.x + self.z * q.w,
        )

    def dagger(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def unit(self):
        r = 1 / rose.sqrt(self.w**2 + self.x**2 + self.y**2 + self.z**2)
        return Quaternion(self.w * r, self.x * r, self.y * r, self.z * r)


@fn
def action(links: Vec[SITES, Vec[4, Quaternion]]) -> Real:
    ahead = rose.constant(Vec[SITES, Vec[4, Fin[SITES]]], AHEAD)
    u = rose.vec(rose.vec(links[s][m].unit() for m in rose.range(4)) for s in rose.range(SITES))

    @fn
    def plaquette(s: Fin[SITES], m: Fin[4], n: Fin[4]) -> Real:
        a, b = ahead[s][m], ahead[s][n]
        return (u[s][m] * u[a][n] * u[b][m].dagger() * u[s][n].dagger()).w

    @fn
    def rectangle(s: Fin[SITES], m: Fin[4], n: Fin[4]) -> Real:  # two steps along m, one along n
        a, b = ahead[s][m], ahead[s][n]
        far = u[s][m] * u[a][m] * u[ahead[a][m]][n]
        return (far * u[ahead[b][m]][m].dagger() * u[b][m].dagger() * u[s][n].dagger()).w

    total = rose.accum(0.0)
    for s in rose.range(SITES):
        for m in rose.range(4):
            for n in rose.range(m):
                total += (1 - 8 * C1) * (1 - plaquette(s, m, n))
                total += C1 * (2 - rectangle(s, m, n) - rectangle(s, n, m))
    return BETA * total.value


def written() -> Written:
    r = np.random.default_rng(214)
    links = np.concatenate([r.normal(1, 0.3, (4 * SITES, 1)), r.normal(0, 0.3, (4 * SITES, 3))], axis=1)
    tables = {"AHEAD": [x for row in AHEAD for x in row]}
    program = Program(
        "gauge", source("gauge"), {"SITES": SITES}, links.ravel().tolist(), {"text": action}, tables=tables
    )  # fmt: skip
    return Written("gauge", "physics", "structs", program)

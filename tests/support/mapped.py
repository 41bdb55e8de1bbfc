"""Functions for rows of a batch: of numbers, of a struct, an index and a condition, one that fails, one that asks."""

import rose
from rose import Bool, Fin, Real, Vec, fn, opaque

n = rose.dim("n")


@rose.struct
class P:
    x: Real
    v: Vec[2]


@fn
def wave(v: Vec[3]) -> Real:
    return rose.sum(rose.exp(v[i]) * rose.sin(v[i]) for i in rose.range(3))


slope = rose.grad(wave)


@fn
def moved(p: P, k: Fin[2], up: Bool, by: Real) -> P:
    return P(rose.select(up, p.x + by, p.x), [p.v[k], p.v[0]])


@fn
def root(x: Real, y: Real) -> Real:
    rose.assert_(x >= 0.0, "x is not negative")
    return rose.sqrt(x) + y


@opaque
def seen(x: Real) -> Real:
    return x


@fn
def asked(x: Real) -> Real:
    return seen(x) + 1.0


@fn
def total(v: Vec[n]) -> Real:
    return rose.sum(v)

"""Mistakes that a type checker finds without running anything: each line that says so, and no other."""

import rose
from rose import Real, Vec, fn
from rose import functional as F


@rose.struct
class Line:
    slope: Real
    at_zero: Vec[2]


@fn
def above(line: Line, x: Real) -> Real:
    return line.at_zero[0] + line.slop * x  # found by both


@fn
def line_of(x: Vec[2]) -> Line:
    if x.ndim:
        return Line(x[0], x, 3.0)  # found by both
    return rose.exp(x)  # found by both


above(Line(1.0, [0.0, 1.0]))  # found by both
rose.grad(above)(Line(1.0, [0.0, 1.0]), 2.0, 3.0)  # found by both
rose.grad(above)(Line(1.0, [0.0, 1.0]), y=2.0)  # found by both
above([1.0], 2.0)  # found by both
above(Line(1.0, [0.0, 1.0]), "2")  # found by pyright
rose.exp(1.0, 2.0)  # found by both
rose.vmap_(above)  # found by both


@F.functional
def length(y: F.Map[Real, Real]) -> Real:
    return F.integrate(rose.sqrt(1 + F.nabla(y) ** 2))


length(1.0)  # found by pyright

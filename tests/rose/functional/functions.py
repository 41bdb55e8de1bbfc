"""Functions that the tests of functionals share."""

import rose
from rose import Real, fn
from rose import functional as F

Curve, Surface = F.Map[Real, Real], F.Map[Real, Real, Real]


@fn
def sin(x: Real) -> Real:
    return rose.sin(x)


@fn
def cos(x: Real) -> Real:
    return rose.cos(x)


@fn
def exp(x: Real) -> Real:
    return rose.exp(x)


@fn
def square(x: Real) -> Real:
    return x * x


@fn
def cube(x: Real) -> Real:
    return x**3


@fn
def product(x: Real, y: Real) -> Real:
    return x * y


@fn
def waves(x: Real, y: Real) -> Real:
    return rose.sin(x) * y**2


@fn
def kernel(y: Real, x: Real) -> Real:
    return rose.sin(y) + rose.cos(x)


LINE = F.Grid.trapezoid(0.0, 1.0, 101)

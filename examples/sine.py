"""Functions that are the derivatives of each other (Listing 4 of the paper)."""

import math

import rose
from rose import Dual, Real, fn, opaque


@opaque(name="Math.sin", pure=True)
def sin(x: Real) -> Real:
    return math.sin(x)


@opaque(name="Math.cos", pure=True)
def cos(x: Real) -> Real:
    return math.cos(x)


@sin.jvp
def _(x):
    return Dual(sin(x.re), x.du * cos(x.re))


@cos.jvp
def _(x):
    return Dual(cos(x.re), x.du * -sin(x.re))


@fn
def wave(x: Real) -> Real:
    return sin(x)


x, derivatives = 1.0, []
derivative = wave
for order in range(1, 5):
    derivative = rose.grad(derivative)
    derivatives.append(rose.compile(derivative)(x))
    print(f"derivative {order} of sin at {x}: {derivatives[-1]:+.16f}")

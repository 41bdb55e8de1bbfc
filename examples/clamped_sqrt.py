"""A derivative that replaces the one we would find (Listing 6 of the paper).

The derivative of the square root is infinite at 0, which ruins whatever it is multiplied with. This one stays
finite. Rules can be given to any function, not only to opaque ones.
"""

import rose
from rose import Dual, Real, fn


@fn
def sqrt(x: Real) -> Real:
    return rose.sqrt(x)


@sqrt.jvp
def _(x):
    y = sqrt(x.re)
    return Dual(y, x.du * (1 / 2 / rose.max(1e-5, y)))


@fn
def usual_sqrt(x: Real) -> Real:
    return rose.sqrt(x)


clamped, usual = rose.compile(rose.grad(sqrt)), rose.compile(rose.grad(usual_sqrt))
for x in (0, 4):
    print(f"at {x}: {clamped(x)} in the place of {usual(x)}")

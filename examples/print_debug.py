"""A function for debugging: it prints its argument, and is otherwise the identity (Listing 5 of the paper).

Its rule prints the value and hands the `Dual` on. So what is printed is printed once, in the forward pass, also
when a gradient is taken.
"""

import rose
from rose import Real, fn, opaque


@opaque
def show(x: Real) -> Real:
    print("  x is", x)
    return x


@show.jvp
def _(x):
    show(x.re)
    return x


@fn
def cube(x: Real) -> Real:
    return x * show(x) * x


@fn
def slope(x: Real) -> Real:
    return rose.vjp(cube)(x).grad(1)


print("the value:")
value = rose.compile(cube)(2)
print(f"  {value}\nthe gradient:")
gradient = rose.compile(slope)(2)
print(f"  {gradient}")

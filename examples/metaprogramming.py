"""Python is the language for metaprogramming: host functions make functions of Rose (Figure 4 of the paper).

`f` and `g` are Python functions that make an `@fn` at each call. Three are made by `f`, none by `g`; each is
traced once, when it is first needed, and a call of it stays a call.
"""

import rose
from rose import Real, fn


def f(x):
    @fn
    def x_over(y: Real) -> Real:
        return x / y

    return x_over


def g(y):
    @fn
    def over_y(x: Real) -> Real:
        return x / y

    return over_y


f0, f1, f2 = f(5), f(7), f(5)


@fn
def h(z: Real) -> Real:
    return f1(z) + f1(2 * z) + f0(z) * f2(z)


module = rose.compile(h)
print(module.pretty())
print()
print("h(2) =", module(2))

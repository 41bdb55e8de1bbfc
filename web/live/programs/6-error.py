"""An error: it is easy to make; can you put it right?"""

from rose import Real, fn


@fn
def f(x: Real, y: Real) -> Real:
    if x > 0:
        return x * x + y * y
    return y * y

"""Four minima."""

from rose import Real, fn

box = -4.8, -4.8, 4.8, 4.8  # what the picture shows


@fn
def f(x: Real, y: Real) -> Real:
    a = x**2 + y - 11
    b = x + y**2 - 7
    return a**2 + b**2

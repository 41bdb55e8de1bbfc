"""A quadratic form: its approximation is itself."""

import rose
from rose import Real, fn

A = [[2.0, 1.5], [1.5, -1.0]]  # try others


@fn
def f(x: Real, y: Real) -> Real:
    v = [x, y]
    return rose.dot(v, rose.matmul(A, v)) / 2

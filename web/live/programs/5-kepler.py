"""Kepler's equation: solved by Newton's method in Python's own `while`, through which derivatives go."""

import math

import rose
from rose import Real, fn

box = 0.0, 0.0, 2 * math.pi, 0.95


@fn(syntax=True)
def f(x: Real, y: Real) -> Real:
    """How far ahead of its mean anomaly, x, a planet is on an orbit of eccentricity y."""
    e, step = math.pi, 1.0
    while abs(step) > 1e-12:
        step = (e - y * rose.sin(e) - x) / (1 - y * rose.cos(e))
        e -= step
    return e - x

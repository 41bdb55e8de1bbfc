"""A saddle point, as the least of the greatest values: gradient descent through gradient descent.

The derivative of the outer search goes through the whole inner one, iteration by iteration. Each of the two takes its
gradient in forward or in reverse mode. It is the `saddle` of GradBench, which is Pearlmutter and Siskind's.
"""

from collections.abc import Callable
from typing import Any

from descent import forward, minimiser, reverse

import rose
from rose import Fn, Real, Vec, fn

Mode = Callable[[Any], Any]


def height(x: Any, y: Any) -> Any:
    return rose.dot(x, x) - rose.dot(y, y)


def highest(inner: Mode) -> Fn[..., Any]:
    """Where the height over `x` is greatest, searched from a start."""

    @fn
    def top(x: Vec[2], start: Vec[2]) -> Vec[2]:
        return minimiser(fn([Vec[2]], Real)(lambda y: -height(x, y)), inner, 2)(start)

    return top


def greatest(inner: Mode) -> Fn[..., Any]:
    """That height."""
    top = highest(inner)
    return fn([Vec[2], Vec[2]], Real)(lambda x, start: height(x, top(x, start)))


def saddle(outer: Mode, inner: Mode) -> Fn[..., Any]:
    """From a start to both coordinates of the saddle point."""
    high, top = greatest(inner), highest(inner)

    @fn
    def search(start: Vec[2]) -> tuple[Vec[2], Vec[2]]:
        x = minimiser(fn([Vec[2]], Real)(lambda x: high(x, start)), outer, 2)(start)
        return x, top(x, start)

    return search


modes = {"ff": (forward, forward), "fr": (forward, reverse), "rf": (reverse, forward), "rr": (reverse, reverse)}
module = rose.compile({name: saddle(outer, inner) for name, (outer, inner) in modes.items()})

if __name__ == "__main__":
    for name in modes:
        (x0, x1), (y0, y1) = module[name]([1, 1])
        print(f"{name}: {x0:.4g} {x1:.4g} {y0:.4g} {y1:.4g}")

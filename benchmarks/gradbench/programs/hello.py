"""`hello`: a square, and its derivative."""

from __future__ import annotations

import functools

import rose
from rose import Real, fn

from .. import placed
from . import Functions


@fn
def square(x: Real) -> Real:
    return x * x


@functools.cache
def compiled():
    return rose.compile({"square": square, "double": rose.grad(square)})


functions: Functions = {
    "square": lambda x: placed.call(compiled().square, x),
    "double": lambda x: placed.call(compiled().double, x),
}

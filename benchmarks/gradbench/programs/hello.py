"""`hello`: a square, and its derivative."""

from __future__ import annotations

import functools

import rose
from rose import Real, fn

from . import Functions, Job


@fn
def square(x: Real) -> Real:
    return x * x


@functools.cache
def compiled():
    return rose.compile({"square": square, "double": rose.grad(square)})


functions: Functions = {
    "square": lambda x: Job(functools.partial(compiled().square, x)),
    "double": lambda x: Job(functools.partial(compiled().double, x)),
}

"""The functions of the library in plain Python, to the bit: their WebAssembly, turned into Python when first called.

A float of Python is an IEEE 754 double and rounds as one, so an f64 is a float. An f32 is a float that f32 can
hold, and is rounded after each operation: twice, which for `+ - * /` and the root is the same as once. An
i32 or i64 is an integer that is not negative, and is masked; a truth value will do for one.

Each call has the memory that it may write to for itself: so threads, and calls that are interrupted, do not meet.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from .library import ADDRESS, DOUBLE, OFFSET, SINGLE, STACK, Closure, closure, library
from .translate import translate

_POINTER = 8  # where the stack pointer is kept, in the memory of a call
_BOTTOM = 16  # where the stack ends


def function(name: str) -> Callable[..., float]:
    """A function of the library, such as `"sin"`; it is read and translated when it is first called.

    What a function of single precision is given, f32 must hold; and so it does what the function gives.
    """
    assert name in DOUBLE or name in SINGLE, name

    def call(*xs: float) -> float:
        return _translated(name)(*xs)

    call.__name__ = call.__qualname__ = name
    return call


@cache
def _translated(name: str) -> Callable[..., float]:
    """The function, and what keeps memory for it."""
    needed = closure([name])
    f, memory = _define(name), bytes(_memory()[: _end(needed)])
    if not _writes(needed):
        return lambda *xs: f(memory, *xs)
    return lambda *xs: f(bytearray(memory), *xs)

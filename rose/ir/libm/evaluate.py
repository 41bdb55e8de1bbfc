"""The functions of the library in plain Python, to the bit: their WebAssembly, turned into Python when first called.

A float of Python is an IEEE 754 double and rounds as one, so an f64 is a float. An f32 is a float that f32 can
hold, rounded after each operation: twice, which for `+ - * /` and the root is the same as once. An i32 or
i64 is an integer that is not negative; a truth value will do for one.

Each call has the memory that it writes to for itself: threads do not meet, nor calls that are interrupted.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from .library import DOUBLE, SINGLE, STACK, closure, library
from .translate import name_of, translate

_POINTER = 8  # where the stack pointer is kept, in the memory of a call
_TOP = 16 + STACK  # where the stack begins, growing down; data lies above


def function(name: str) -> Callable[..., float]:
    """A function of the library, such as `"sin"`. It is read and translated when it is first called.

    Single precision: f32 must hold what it is given, and holds what it gives.
    """
    assert name in DOUBLE or name in SINGLE, name

    def call(*xs: float) -> float:
        return _with_memory(name)(*xs)

    call.__name__ = call.__qualname__ = name
    return call


@cache
def _with_memory(name: str) -> Callable[..., float]:
    """The function, and what provides its memory."""
    needed, f = closure([name]), _define(name)
    address, image = memory()
    mine = image[: max([address[d.name] + len(d.content) for d in needed.data], default=0)]
    if needed.stack or not all([any(d.content) for d in needed.data]):  # data of zeros is there to be written
        return lambda *xs: f(bytearray(mine), *xs)
    return lambda *xs: f(mine, *xs)


@cache
def memory() -> tuple[dict[str, int], bytes]:
    """The address of everything, and the memory at the start of a call: first what those that write to it need."""
    data = {d.name: d for d in (*closure(["sin"]).data, *library().data.values())}
    address, image = {"": _POINTER}, bytearray(_TOP)
    image[_POINTER : _POINTER + 4] = _TOP.to_bytes(4, "little")
    for d in data.values():
        image.extend(bytes(-len(image) % d.align))
        address[d.name] = len(image)
        image.extend(d.content)
    return address, bytes(image)


@cache
def _define(name: str) -> Callable[..., float]:
    """A function as it is called by others, in the namespace that all of them share."""
    called = [r.target for r in library().functions[name].relocations if name_of(r.target) not in NAMES]
    for other in called:
        NAMES[name_of(other)] = _later(other)
    text = translate(library().functions[name], library(), memory()[0])
    exec(compile(text, f"<libm {name}>", "exec"), NAMES)
    return NAMES[name_of(name)]


def _later(name: str) -> Callable[..., float]:
    """A function that is defined when it is first called: most calls of `sin` do without the largest of its parts."""
    return lambda *xs: _define(name)(*xs)


# what the text of a function calls


def _divide(x: float, y: float) -> float:
    """`x / y`, where y is zero."""
    return x * math.copysign(math.inf, y)


def _root(x: float) -> float:
    return math.sqrt(x) if x >= 0.0 else math.nan


def _whole(x: float) -> float:
    """The whole number at or below."""
    return math.copysign(float(math.floor(x)), x) if math.isfinite(x) else x


def nearest(x: float) -> float:
    """The nearest f32, as a float."""
    try:
        return _F32.unpack(_F32.pack(x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def _signed(x: int) -> int:
    """An i32 as it is meant."""
    return (x ^ 0x80000000) - 0x80000000


_STRUCTS = {type: struct.Struct(form) for type, form in {"i32": "<I", "i64": "<Q", "f32": "<f", "f64": "<d"}.items()}
_F32 = _STRUCTS["f32"]
NAMES: dict[str, Any] = {
    "divide": _divide, "root": _root, "whole": _whole, "single": nearest, "signed": _signed,
    "copysign": math.copysign, "inf": math.inf, "nan": math.nan,
    **{f"{type}_load": s.unpack_from for type, s in _STRUCTS.items()},
    **{f"{type}_store": s.pack_into for type, s in _STRUCTS.items()},
    **{f"{type}_bytes": s.pack for type, s in _STRUCTS.items()},
}  # fmt: skip

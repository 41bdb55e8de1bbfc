"""The functions of the library in plain Python, to the bit: their WebAssembly, turned into Python when first called.

A float of Python is an IEEE 754 double and rounds as one, so an f64 is a float. An f32 is a float that f32 can
hold, rounded after each operation: twice, which for `+ - * /` and the root is the same as once. An i32 or
i64 is an integer that is not negative; a truth value will do for one.

Each call has the memory that it writes to for itself: threads do not meet, nor calls that are interrupted.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from .library import DOUBLE, SINGLE, SPECIAL, SPECIAL_STACK, STACK, Data, both, closure, holding, library
from .translate import name_of, translate

_POINTER = 8  # where the stack pointer is kept, in the memory of a call
_TOP = 16 + STACK  # where the stack begins, growing down; data lies above


def function(name: str) -> Callable[..., float]:
    """A function of the library, such as `"sin"`. It is read and translated when it is first called.

    Single precision: f32 must hold what it is given, and holds what it gives.
    """
    assert name in DOUBLE or name in SINGLE or name.startswith(SPECIAL), name

    def call(*xs: float) -> float:
        return _with_memory(name)(*xs)

    call.__name__ = call.__qualname__ = name
    return call


@cache
def _with_memory(name: str) -> Callable[..., float]:
    """The function, and what provides its memory."""
    needed, f = closure([name]), _define(name)
    address, image = memory() if holding(name) is library() else _memory_of_both()
    if needed.stack and image[_POINTER : _POINTER + 4] != memory()[1][_POINTER : _POINTER + 4]:
        return lambda *xs: f(bytearray(image), *xs)  # the stack lies at the end
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
    _place(data.values(), address, image)
    return address, bytes(image)


@cache
def _memory_of_both() -> tuple[dict[str, int], bytes]:
    """The same for special functions: after what is in `memory`, their data, and the larger stack that they need."""
    address, image = dict(memory()[0]), bytearray(memory()[1])
    _place([d for d in both().data.values() if d.name not in address], address, image)
    image.extend(bytes(SPECIAL_STACK - len(image) % 16))
    image[_POINTER : _POINTER + 4] = len(image).to_bytes(4, "little")
    return address, bytes(image)


def _place(data: Iterable[Data], address: dict[str, int], image: bytearray) -> None:
    """Add data to the memory, each piece where it may lie, and note its address."""
    for d in data:
        image.extend(bytes(-len(image) % d.align))
        address[d.name] = len(image)
        image.extend(d.content)


@cache
def _define(name: str) -> Callable[..., float]:
    """A function as it is called by others, in the namespace that all of them share."""
    is_musls = name in library().functions
    known, address = (library(), memory()[0]) if is_musls else (both(), _memory_of_both()[0])
    called = [r.target for r in known.functions[name].relocations if name_of(r.target) not in NAMES]
    for other in called:
        NAMES[name_of(other)] = _later(other)
    text = translate(known.functions[name], known, address)
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


def _least(x: float, y: float) -> float:
    """The smaller number; nan if either is, and -0.0 of two zeros."""
    if x != x or y != y:
        return math.nan
    return y if y < x or (x == y and math.copysign(1.0, y) < 0.0) else x


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
    "least": _least, "fmod": math.fmod,
    "copysign": math.copysign, "inf": math.inf, "nan": math.nan,
    **{f"{type}_load": s.unpack_from for type, s in _STRUCTS.items()},
    **{f"{type}_store": s.pack_into for type, s in _STRUCTS.items()},
    **{f"{type}_bytes": s.pack for type, s in _STRUCTS.items()},
}  # fmt: skip

"""The constant data of a module: literal vectors, and the zeros that all zero aggregates share."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from rose.ir import CONST, ZERO, Value
from rose.ir.stacks import POP
from rose.ir.types import Bool, Fin, Real, Type, Vec

from ..abi.layout import align, known_size, leaves
from ..binary.encoder import Module
from .heap import HEADER
from .locations import Mem


def place_literals(
    module: Module, reserve: Callable[[int, int], int], values: Iterable[Value]
) -> tuple[dict[Value, int], Mem]:
    """The addresses of the literal vectors among some values, and of as many zeros as the largest zero needs.

    `reserve` gives the address of so many bytes, at a multiple of a number.
    """
    addresses: dict[Value, int] = {}
    zeros = 0
    known = dict[tuple[Type, bytes], int]()
    for v in values:
        if v.op is CONST and not v.type.scalar and not v.type.empty:
            key = (v.type, encoded(v.attr, v.type))
            if key not in known:
                known[key] = reserve(len(key[1]), align(v.type))
                module.data(known[key], key[1])
            addresses[v] = known[key]
        elif v.op is ZERO:
            zeros = max([zeros, *[known_size(t) for t in leaves(v.type) if not t.scalar]])
        elif v.op is POP:
            zeros = max(zeros, HEADER + known_size(v.type))
    return addresses, Mem(None, reserve(zeros, 8))


def encoded(x: Any, t: Type) -> bytes:
    """A literal as it lies in memory."""
    if isinstance(t, Vec) and isinstance(t.elem, Vec):
        return b"".join([encoded(y, t.elem) for y in x])
    xs, of = (x, t.elem) if isinstance(t, Vec) else ([x], t)
    assert of.scalar, t
    kind = "?" if of is Bool else "I" if isinstance(of, Fin) else "d" if of is Real else "f"
    return struct.pack(f"<{len(xs)}{kind}", *xs)

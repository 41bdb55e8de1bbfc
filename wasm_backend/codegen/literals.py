"""The constant data of a module: literal vectors, and the zeros that all zero aggregates share."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from rose.ir import CONST, ZERO, Value
from rose.ir.stacks import POP
from rose.ir.types import Tuple, Type, Vec, components

from ..abi.layout import align, known_size, leaves, packing
from ..binary.encoder import Module
from .heap import HEADER
from .locations import Mem
from .patterns import Patterns


def place_literals(
    module: Module, reserve: Callable[[int, int], int], values: Iterable[Value]
) -> tuple[dict[Value, int], Mem]:
    """The addresses of the literal vectors among some values, and of as many zeros as the largest zero needs.

    `reserve` gives the address of so many bytes, at a multiple of a number.
    """
    addresses: dict[Value, int] = {}
    zeros = 0
    known, patterns = dict[tuple[Type, bytes], int](), Patterns(module)
    for v in values:
        if v.op is CONST and not v.type.scalar and not v.type.empty:
            key = (v.type, encoded(v.attr, v.type))
            if key not in known:
                known[key] = reserve(len(key[1]), align(v.type))
                patterns.place(known[key], key[1], v.type)
            addresses[v] = known[key]
        elif v.op is ZERO:
            zeros = max([zeros, *[known_size(t) for t in leaves(v.type) if not t.scalar]])
        elif v.op is POP:
            zeros = max(zeros, HEADER + known_size(v.type))
    patterns.finish()
    return addresses, Mem(None, reserve(zeros, 8))


def encoded(x: Any, t: Type) -> bytes:
    """A literal as it lies in memory."""
    return struct.Struct("<" + packing(t)).pack(*_numbers(x, t))


def _numbers(x: Any, t: Type) -> Sequence[Any]:
    """The numbers of a literal, in order."""
    if t.scalar or t.empty:
        return () if t.empty else (x,)
    types = t.items if isinstance(t, Tuple) else (t.elem,) * len(x) if isinstance(t, Vec) else ()
    if all([s.scalar for s in components(t)]):
        return x
    return [*chain.from_iterable(map(_numbers, x, types))]

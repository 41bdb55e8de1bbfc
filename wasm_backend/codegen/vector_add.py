"""The function that adds one vector to another in memory, as is done with an accumulator of a vector."""

from __future__ import annotations

from rose.ir.types import Real, Single

from ..binary.encoder import I32, instruction
from .assembler import Assembler
from .locations import Mem


def vector_add(single: bool) -> Assembler:
    """A loop over two rows of numbers, from front to back: (to, from, bytes)."""
    to, at, n, number = 0, 1, 2, Single if single else Real
    c = Assembler(3, single)
    end = c.local(I32)
    step = instruction("i32.const", 4 if single else 8) + instruction("i32.add")
    c.get(to)
    c.get(n)
    c("i32.add")
    c.set(end)
    c("loop")
    c.get(to)
    c.load(number, Mem(to, 0))
    c.load(number, Mem(at, 0))
    c.add(number)
    c.write(number, Mem(to, 0))
    c.get(at)
    c.emit(step)
    c.set(at)
    c.get(to)
    c.emit(step)
    c.tee(to)
    c.get(end)
    c("i32.lt_u")
    c("br_if", 0)
    c("end")
    return c

"""Where values are while a function runs: in locals, in memory, or nowhere, since they are literals."""

from __future__ import annotations

from typing import NamedTuple

from rose.ir.sizes import Size, parted, plus, rounded_up
from rose.ir.types import Fin, Real, Single, Tan, Type

from ..abi.layout import align, size
from ..abi.signature import BASE
from ..binary.encoder import F32, F64, I32

ADDRESS = Fin(2**31)  # the type of what an address in memory lies as: a number of 32 bits


class Mem(NamedTuple):
    """An address: the local that holds the base (None: 0), and an offset, a part of which only the module may know."""

    base: int | None
    offset: int
    more: Size | None = None

    def at(self, n: int | Size) -> Mem:
        if self.more is None and not isinstance(n, Size):
            return Mem(self.base, self.offset + n)
        more, offset = parted(plus(self.total, n))
        return Mem(self.base, offset, more)

    @property
    def total(self) -> int | Size:
        """The offset as a whole."""
        return self.offset if self.more is None else plus(self.more, self.offset)


class Literal(NamedTuple):
    """A number that is written where it is read."""

    type: Type
    value: float | Size


Place = int | Mem | Literal  # an int is a local


class Frame:
    """The memory of one function, as it grows: up to `top`, and for what depends on sizes up to `more` above `BASE`."""

    def __init__(self, bottom: int, more: int | Size = 0) -> None:
        self.top, self.more = bottom, more

    def reserve(self, t: Type) -> Mem:
        """The address of a new `t`."""
        n, to = size(t), max(align(t), 8)
        if isinstance(n, Size):
            at = rounded_up(self.more, to)
            self.more = plus(at, n)
            return Mem(None, 0).at(plus(BASE, at))
        at = rounded_up(self.top, to)
        assert isinstance(at, int)
        self.top = at + n
        return Mem(None, at)


def wasm_type(t: Type) -> int:
    """The type of the local that holds a scalar, or the address of an aggregate."""
    return _NUMBERS.get(t, I32)


_NUMBERS: dict[Type, int] = {Real: F64, Tan: F64, Single: F32}

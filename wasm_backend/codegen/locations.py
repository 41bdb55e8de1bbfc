"""Locations of values while a function runs: in locals, in memory, or nowhere, since they are literals."""

from __future__ import annotations

from typing import NamedTuple

from rose.ir.sizes import Size, parted, plus
from rose.ir.types import Fin, Type

from ..abi.layout import leaf_offsets

ADDRESS = Fin(2**31)  # the type of an address that lies in memory: a number of 32 bits


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


class Unmade(NamedTuple):
    """A vector of a loop that nobody gets: it is not made, so that whoever asks for its address is wrong."""


Location = int | Mem | Literal | Unmade  # an int is a local


def leaves_at(t: Type, at: Mem) -> tuple[Location, ...]:
    """The locations of the leaves of a `t` that lies in memory."""
    return tuple([at.at(k) for k in leaf_offsets(t)])

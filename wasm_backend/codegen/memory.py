"""The static memory of one function, and the error of one that needs more than WebAssembly has."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping

from rose.errors import Loc, TooLarge
from rose.ir import ACCUM, CONST, FOR, PACK, ZERO, Block, Func, loop_of
from rose.ir.sizes import Size, plus, rounded_up
from rose.ir.types import Ref, Type, items_of

from ..abi.layout import align, known_size, size
from ..abi.signature import BASE, LARGEST
from .call_order import calls_first
from .locations import Mem


class Memory:
    """The memory that a function reserves: up to `top`, and for what depends on sizes up to `more` above `BASE`.

    Beyond 4 GiB there are no addresses: such memory is counted, and then refused. A type that is too large by itself is
    refused at once, as not even the distance of its elements could be written.
    """

    def __init__(self, bottom: int, more: int | Size, too_large: Callable[[int], TooLarge]) -> None:
        self.top, self.more, self.too_large = bottom, more, too_large

    def check(self, t: Type) -> None:
        """Refuse a type that is too large by itself."""
        if known_size(t) > LARGEST:
            raise self.too_large(max(self.top, known_size(t)))

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
        self.check(t)
        return Mem(None, at) if self.top <= LARGEST else Mem(None, 0)


def too_large(f: Func, needed: int, exports: Mapping[str, Func]) -> TooLarge:
    """The error of a function that needs so many bytes of memory: at the vector that takes most of them."""
    parts = [(known_size(p.type), p.loc) for p in f.params]
    parts += [part for g in calls_first([f]) for part in _vectors(g.body)]
    lines: dict[tuple[str, int], tuple[int, Loc]] = {}  # the largest part of each line
    for n, loc in sorted(parts, key=lambda part: -part[0]):
        if n > LARGEST // 64:
            lines.setdefault(loc.position()[:2], (n, loc))
    most = list(lines.items())[:3]
    told = [f"{n:,} at {os.path.basename(file)}:{line}" for (file, line), (n, _) in most]
    name = next((g.name for g in exports.values() if f in calls_first([g])), f.name)
    what = f"{name} needs {needed:,} bytes of memory, with what it calls; WebAssembly has {LARGEST:,}"
    return TooLarge(
        what + (f". Most are {' and '.join(told)}" if len(told) > 1 else ""),
        most[0][1][1] if most else f.loc,
        "loop over smaller parts, or sum with rose.accum where a vector is not needed",
    )


def _vectors(block: Block) -> Iterator[tuple[int, Loc]]:
    """The bytes of what instructions build in memory, and where the user wrote them."""
    for v in block.code:
        if v.op is FOR:
            yield from _vectors(v.attr)
            yield from [(known_size(t), v.loc) for t in items_of(v.type)[loop_of(v).carried :]]
        elif v.op is ACCUM or v.op is PACK or v.op is CONST or v.op is ZERO:
            yield known_size(v.type.inner if isinstance(v.type, Ref) else v.type), v.loc

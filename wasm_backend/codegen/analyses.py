"""The analyses by which code becomes short: what shares a local or memory, and what is computed where it is read.

None of them changes what a function computes. `NAIVE` leaves all of them out: each number has a local of its own and
each aggregate memory of its own, from the beginning to the end, every vector of a loop is made, and nothing is written
in its caller. Such code is long and slow, and has little to be wrong about, so the tests compare the other with it, to
the bit: `lower(exports, naive=True)`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

from rose.ir import Block, Func, Value, loop_of
from rose.ir.callgraph import instructions

from .destinations import Destinations
from .liveness import Lives
from .placing import Placing
from .register_promotion import Promoted, Promotion
from .rings import Ring, rings_of
from .states_in_place import InPlace, Part
from .strength_reduction import IndexUses, Pointers


@dataclass(frozen=True)
class Analyses:
    """The analyses of a module; `free` is the type of the lists of locals that may be taken again."""

    lives: type[Lives] = Lives
    in_place: type[InPlace] = InPlace
    destinations: type[Destinations] = Destinations
    promotion: type[Promotion] = Promotion
    pointers: type[Pointers] = Pointers
    placing: type[Placing] = Placing
    rings: Callable[[Value, IndexUses], dict[Value, Ring]] = rings_of
    free: type[list[int]] = list
    shares: bool = True  # two functions that do not call one another have the same memory


class _Never(list[int]):
    """The locals that may be taken again: none, whatever is given back."""

    def append(self, _: int, /) -> None:
        pass


class _Lives(Lives):
    """Each number is computed where it stands, and each vector of a loop is read."""

    many = sys.maxsize

    def __init__(self, f: Func) -> None:
        super().__init__(f)
        loops = [v for v in instructions(f.body) if isinstance(v.attr, Block)]
        self.items = {(v, j): None for v in loops for j in range(len(loop_of(v).results))}

    def _defer(self, v: Value, user: Value | Block, block: Block) -> int:
        return self.start[v]


class _InPlace(InPlace):
    """Nothing takes over the memory of another, and a state has two buffers."""

    def takes(self, part: Part) -> bool:
        return False

    def stays(self, part: Part) -> bool:
        return False

    def changed(self, loop: Value) -> dict[int, Value]:
        return {}


class _Destinations(Destinations):
    """Each aggregate is built in memory of its own, and copied to where it is wanted."""

    def __init__(self, body: Block, in_place: InPlace) -> None:
        super().__init__(body, in_place)
        self.of = {}


class _Promotion(Promotion):
    """Each sum stays in memory."""

    def rows(self, v: Value) -> list[Promoted]:
        return []


class _Pointers(Pointers):
    """Each index is a number, and is multiplied."""

    def _take(self, i: Value, moves: int, *, alone: bool) -> None:
        self.read.update((i, self.index))


class _Placing(Placing):
    """Each function is a function of the module."""

    def _may(self, g: Func) -> bool:
        return False


def _no_rings(v: Value, uses: IndexUses) -> dict[Value, Ring]:
    """Each remainder is a division."""
    return {}


ECONOMICAL = Analyses()
NAIVE = Analyses(_Lives, _InPlace, _Destinations, _Promotion, _Pointers, _Placing, _no_rings, _Never, shares=False)

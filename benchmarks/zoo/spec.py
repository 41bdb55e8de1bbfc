"""What a case is: a program from a public report, points, and what mathematics says there.

A program is written once, over the vocabulary `m` of a tool (`m.where`, `m.sum`, ...), which each adapter spells as its
tool's documentation does; where a tool says it in another way altogether, the adapter has a program of its own. This
file and the cases import nothing but the standard library, since they are read in the environment of each tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Program = Callable[[Any, Any], Any]  # of the vocabulary, and of the vector that is differentiated by
Truth = Callable[..., Any]  # of mpmath, and of each element of the vector


class Missing(Exception):
    """The tool has no such function, or cannot express it."""


@dataclass(frozen=True)
class At:
    """A point, and the function near it, written another way than in the program.

    Where smooth functions meet in a kink, all of them are given, and only the value and the gradient are judged.
    """

    point: tuple[float, ...]
    truths: tuple[Truth, ...]
    orders: int  # up to which derivatives exist

    @property
    def is_kink(self) -> bool:
        return len(self.truths) > 1


def at(*point: float, near: Truth | tuple[Truth, ...], orders: int = 3) -> At:
    truths = near if isinstance(near, tuple) else (near,)
    return At(tuple(map(float, point)), truths, orders if len(truths) == 1 else 1)


@dataclass(frozen=True)
class Case:
    name: str
    links: tuple[str, ...]  # paths at github.com
    what: str
    program: Program
    points: tuple[At, ...]

    @property
    def size(self) -> int:
        return len(self.points[0].point)

    @property
    def urls(self) -> Iterator[tuple[str, str]]:
        """Each link as its short name and its address."""
        for link in self.links:
            owner_and_name, _, number = link.rsplit("/", 2)
            yield f"{owner_and_name.partition('/')[2]}#{number}", f"https://github.com/{link}"


def case(name: str, links: str, what: str, program: Program, *points: At) -> Case:
    return Case(name, tuple(links.split()), what, program, points)

"""Two modules to give a random program as its `rose`, which see to the arms of its choices.

`Watch` notes which arms each `select` or `cond` of the text takes; `Replace` puts something else in the place of
the arms that are never taken, and of the values that only such arms use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from typing import Any

from second_semantics import Truth

import rose
from rose.ir import Value
from rose.ir.types import Real, Vec

Site = tuple[Any, ...]  # a place in the text of a program


def _site() -> Site:
    frame = sys._getframe(2)
    return next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))


class Watch:
    """A module of meanings that notes, for each choice in the text, which arms it took."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.taken: dict[Site, set[bool]] = {}
        self.used: dict[str, set[bool]] = {}  # for each value that only arms use, whether they were taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def select(self, c: Any, x: Any, y: Any) -> Any:
        self.taken.setdefault(_site(), set()).add(Truth(c).yes)
        return self.module.select(c, x, y)

    def choice(self, name: str, c: Any, x: Any, y: Any) -> Any:
        self.used.setdefault(name, set()).add(Truth(c).yes)
        return self.module.select(c, x, y)

    def cond(self, c: Any, x: Callable[[], Any], y: Callable[[], Any]) -> Any:
        self.taken.setdefault(_site(), set()).add(Truth(c).yes)
        return self.module.cond(c, x, y)


class Replace:
    """The module `rose`, with `spoil` of each arm that was never taken."""

    def __init__(self, module: Any, watch: Watch, spoil: Callable[[Any, int], Any]) -> None:
        self.module, self.taken, self.used, self.spoil = module, watch.taken, watch.used, spoil

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def select(self, c: Any, x: Any, y: Any) -> Any:
        site = _site()
        taken = self.taken.get(site, set())
        if taken == {True}:
            y = self.spoil(y, sum(site))
        elif taken == {False}:
            x = self.spoil(x, sum(site))
        return self.module.select(c, x, y)

    def choice(self, name: str, c: Any, x: Any, y: Any) -> Any:
        return self.module.select(c, x, y)

    def spare(self, name: str, x: Any) -> Any:
        return self.spoil(x, len(name) + int(name[3:])) if self.used.get(name) == {False} else x

    def cond(self, c: Any, x: Callable[[], Any], y: Callable[[], Any]) -> Any:
        site = _site()
        taken = self.taken.get(site, set())
        then = (lambda: self.spoil(x(), sum(site))) if taken == {False} else x
        otherwise = (lambda: self.spoil(y(), sum(site))) if taken == {True} else y
        return self.module.cond(c, then, otherwise)


def as_constant(x: Any, k: int) -> Any:
    return _map_reals(lambda _: 0.5, x)


def as_nasty(x: Any, k: int) -> Any:
    return _map_reals(NASTY[k % len(NASTY)], x)


# of a number, something that is not finite, or whose derivatives are not
NASTY: list[Callable[[Any], Any]] = [
    lambda x: rose.log(x - x) / (x - x),
    lambda x: rose.sqrt(x - x) * x,
    lambda x: 1.0 / (x - x) + x,
    lambda x: rose.exp(1000.0 + x) * x,
    lambda x: rose.atan2(x - x, x - x) + x,
    lambda x: rose.lgamma(x - x),
    lambda x: rose.sin(x / (x - x)),
    lambda x: rose.pow(x - x - 1.0, x + 0.3),
]


def _map_reals(f: Callable[[Any], Any], x: Any) -> Any:
    """`x` with `f` of each number in it that a program computes; what Python knows stays."""
    if isinstance(x, Value):
        if isinstance(x.type, Vec):
            return rose.vec(_map_reals(f, x[i]) for i in rose.range(x.type.size))
        return f(x) if x.type is Real else x
    if isinstance(x, dict):
        return {k: _map_reals(f, y) for k, y in x.items()}
    if hasattr(x, "__dataclass_fields__"):
        return type(x)(*[_map_reals(f, getattr(x, k)) for k in x.__dataclass_fields__])
    if isinstance(x, (list, tuple)):
        parts = [_map_reals(f, y) for y in x]
        return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
    return x

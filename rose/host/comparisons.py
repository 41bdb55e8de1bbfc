"""The comparisons of a program: what was seen of each while it ran, and arguments at which its two sides are equal.

A `Record` is what a watch of the interpreter notes of one run. An operation whose domain has an end, such as `sqrt`,
counts as a comparison of its argument with it. `Search` finds arguments by changing one number of those of a run:
first the one on which the difference of the sides depends, by halving, then its value, by the secant method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..errors.locations import is_ours
from ..ir import CONST, OPS, ZERO, Func, Op, Value
from ..ir.callgraph import instructions, reachable
from ..ir.ops import acos, acosh, asin, not_, real, sqrt
from ..ir.types import Fin, Real, Tuple, Type, Vec

Site = tuple[Value, int]  # a comparison, and which of its differences
COMPARISONS = {op for op in OPS.values() if op.kind == "comparison"}
ENDS: dict[Op, tuple[float, ...]] = {  # of the domain of an operation; none, of a comparison
    **dict.fromkeys(COMPARISONS, ()), sqrt: (0.0,), acosh: (1.0,), asin: (-1.0, 1.0), acos: (-1.0, 1.0),
}  # fmt: skip
TRIES, FEW = 40, 12  # evaluations for one root, and before the sign has changed


class Record:
    """The comparisons of one run: of each the first difference of its sides, its answers, and whether it tied."""

    def __init__(self) -> None:
        self.first: dict[Site, float] = {}
        self.answers: dict[Value, set[bool]] = {}
        self.ties: set[Value] = set()

    def note(self, v: Value, xs: Sequence[Any], answer: Any) -> None:
        """Note an instruction, with its arguments and its result."""
        ends = ENDS.get(v.op)
        if ends is None:
            return
        if not ends:
            x, y = xs
            self.first.setdefault((v, 0), x - y)
            self.answers.setdefault(v, set()).add(answer)
            if x == y:
                self.ties.add(v)
        else:
            for k, end in enumerate(ends):
                self.first.setdefault((v, k), xs[0] - end)


def named(f: Func) -> tuple[set[Any], set[Any]]:
    """The keys of the comparisons that a user wrote: in `f`, what it calls and comes from; and in derivative rules."""
    program = list(dict.fromkeys([h for g in reachable(f) for k in g.history for h in reachable(k)]))
    rules = [g.jvp for g in program if g.jvp is not None and not _is_derived(g)]
    of_program = _written([g for g in program if not _is_derived(g)])
    return of_program, _written([g for rule in rules for g in reachable(rule)]) - of_program


def _is_derived(f: Func) -> bool:
    return f.origin is not None and f.origin.derived_from is not None


def _written(fs: Sequence[Func]) -> set[Any]:
    """The places in the source at which a comparison stands alone; beside others it is a part of one like `relu`."""
    there: dict[Any, set[Op]] = {}
    for f in dict.fromkeys(fs):
        for v in instructions(f.body):
            if v.op is not CONST and v.op is not ZERO and v.op is not real and v.op is not not_:
                there.setdefault(v.loc, set()).add(v.op)
    return {(loc, *ops) for loc, ops in there.items() if len(ops) == 1 and ops <= COMPARISONS and not ours(loc)}


def key(v: Value) -> Any:
    """The key of a comparison, which is the same in all that is derived from it."""
    return v.loc, v.op


def ours(loc: Any) -> bool:
    return is_ours(loc.code.co_filename)


class Spent(Exception):
    """The search has had its evaluations."""


class Search:
    """A search for arguments, among those of types; `measure` runs the program on them, at most `most` times."""

    def __init__(self, measure: Callable[[list[Any]], Record], types: Sequence[Type], most: int) -> None:
        self.measure, self.types, self.most = measure, types, most
        self.leaves = [t for s in types for t in leaf_types(s)]

    def difference(self, site: Site, leaves: Sequence[Any]) -> float:
        """The first difference of the sides of a comparison; nan if there is none."""
        self.most -= 1
        if self.most < 0:
            raise Spent
        return self.measure(list(leaves)).first.get(site, math.nan)

    def flip(self, site: Site, base: Sequence[Any], other: Sequence[Any]) -> tuple[list[Any], int] | None:
        """`base` with one number changed so that the sides are equal, and its place; None if none is found."""
        start = self.difference(site, base)
        if math.isnan(start) or (k := self._place(site, base, other, start)) is None:
            return None
        moved: Callable[[Any], list[Any]] = lambda t: [*base[:k], t, *base[k + 1 :]]
        if isinstance(t := self.leaves[k], Fin):
            near: Callable[[float], Any] = lambda x: min(max(round(x), 0), t.size - 1)
        else:
            near = lambda x: x
        x = _root(lambda t: self.difference(site, moved(t)), near, (base[k], start), other[k])
        return None if x is None else (moved(x), k)

    def _place(self, site: Site, base: Sequence[Any], other: Sequence[Any], start: float) -> int | None:
        """The place of a number on which the difference depends, by halving the places that are changed."""
        places = [k for k, t in enumerate(self.leaves) if (t is Real or isinstance(t, Fin)) and base[k] != other[k]]
        changed: Callable[[list[int]], bool] = lambda some: (
            self.difference(site, [other[k] if k in some else x for k, x in enumerate(base)]) != start
        )
        if not places or not changed(places):
            return None
        while len(places) > 1:
            half = places[: len(places) // 2]
            places = half if changed(half) else places[len(half) :]
        return places[0]


def _root(f: Callable[[Any], float], near: Callable[[float], Any], first: tuple[Any, float], x: Any) -> Any:
    """A root of `f`, or a neighbour of one: by the secant method, and by bisection once there is a change of sign."""
    (a, fa), b, fb = first, x, f(x)
    ends: tuple[Any, float, Any] | None = None  # between which the sign changes, with the sign at the first
    for n in range(TRIES):
        if ends is None and n == FEW:
            return None
        if fb == 0.0 or math.isnan(fb):
            return b if fb == 0.0 else None
        if ends is None and fa * fb < 0.0:
            ends = a, fa, b
        elif ends is not None:
            ends = (b, fb, ends[2]) if ends[1] * fb > 0.0 else (*ends[:2], b)
        c = b - fb * ((b - a) / (fb - fa)) if fb != fa else math.nan
        if ends is not None:
            low, high = sorted((ends[0], ends[2]))
            if not low < c < high or n % 2 == 1:
                c = low + (high - low) / 2
        if not math.isfinite(c):
            return None
        if (c := near(c)) == b or c == a:
            return _exact(f, b) if isinstance(b, float) else None
        a, fa, b, fb = b, fb, c, f(c)
    return b if ends is not None else None


def _exact(f: Callable[[Any], float], x: float) -> float:
    """The root next to `x`, if there is one within two neighbours; else `x`."""
    for towards in (math.inf, -math.inf):
        y = x
        for _ in range(2):
            y = math.nextafter(y, towards)
            if f(y) == 0.0:
                return y
    return x


# the leaves of host values


def leaf_types(t: Type) -> Iterator[Type]:
    """The types of the numbers, truth values and indices in a value of type `t`, in order."""
    if isinstance(t, Vec):
        for _ in range(t.size):
            yield from leaf_types(t.elem)
    elif isinstance(t, Tuple):
        for s in t.items:
            yield from leaf_types(s)
    else:
        yield t


def leaves_of(x: Any, t: Type) -> Iterator[Any]:
    """The numbers, truth values and indices in a host value, in order."""
    if isinstance(t, Vec):
        for y in x:
            yield from leaves_of(y, t.elem)
    elif isinstance(t, Tuple):
        for y, s in zip(x, t.items, strict=True):
            yield from leaves_of(y, s)
    else:
        yield x


def from_leaves(leaves: Iterator[Any], t: Type) -> Any:
    """The host value of type `t` with these leaves."""
    if isinstance(t, Vec):
        return tuple([from_leaves(leaves, t.elem) for _ in range(t.size)])
    if isinstance(t, Tuple):
        return tuple([from_leaves(leaves, s) for s in t.items])
    return next(leaves)

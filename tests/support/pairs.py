"""Cases of a test that is parametrised by several things: pairs in the place of products.

What `make test` leaves out of a product is marked `fuzz`: `make fuzz` runs it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest


def rotated(xs: Sequence[Any], ys: Sequence[Any], each: int = 1, start: int = 0) -> list[tuple[Any, Any]]:
    """Each of `xs` with a few of `ys`, which take turns: so each of these is met as often as the others."""
    return [(x, ys[(start + k * each + j) % len(ys)]) for k, x in enumerate(xs) for j in range(min(each, len(ys)))]


def pairs(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Some of the product of three things or more, in its order: what two of them are is there for any two."""
    left = {pair for a, b in combinations(range(len(axes)), 2) for pair in _of(axes, a, b)}
    chosen = set[tuple[int, ...]]()
    every = list(product(*[range(len(axis)) for axis in axes]))
    while left:
        best = max(every, key=lambda case: len(left & _met(case)))
        chosen.add(best)
        left -= _met(best)
    return [tuple([axis[k] for axis, k in zip(axes, case, strict=True)]) for case in every if case in chosen]


def _of(axes: Sequence[Sequence[Any]], a: int, b: int) -> Iterable[tuple[int, int, int, int]]:
    return [(a, i, b, j) for i in range(len(axes[a])) for j in range(len(axes[b]))]


def _met(case: Sequence[int]) -> set[tuple[int, int, int, int]]:
    return {(a, case[a], b, case[b]) for a, b in combinations(range(len(case)), 2)}


def rest_in_fuzz(cases: Iterable[Any], kept: Container[Any], *marks: Any) -> list[Any]:
    """The cases, of which those that are not `kept` are left to `make fuzz`; these have the other marks."""
    whole = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*case, marks=marks if (case if len(case) > 1 else case[0]) in kept else pytest.mark.fuzz)
        for case in whole
    ]


def seeds(few: int, many: int, quick: int | None = None) -> list[Any]:
    """The seeds of random programs: a few for each run, of which some are quick, and many for `make fuzz`."""
    quick = few if quick is None else quick
    left = [pytest.param(k, marks=pytest.mark.fuzz) for k in range(few, many)]
    return [*range(quick), *[pytest.param(k, marks=pytest.mark.slow) for k in range(quick, few)], *left]

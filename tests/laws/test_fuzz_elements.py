"""Random programs with vectors that are computed once, of which branches read elements that are infinite or nan.

Each is compared with the same program that computes an element where it is read: all derivatives are the same to second
order, where those are finite. `ROSE_FUZZ=2000` runs as many programs.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import rose
from rose import Real
from tests.laws.test_untaken_branches import values
from tests.laws.test_untaken_elements import NASTY, TAME, line

MANY = int(os.environ.get("ROSE_FUZZ", "0"))
N = len(NASTY)

Element = Callable[[Any], Any]  # an element of a vector, by its index

OF: list[Callable[[Any, Any], Any]] = [
    lambda x, y: rose.log(x) * y,
    lambda x, y: rose.sqrt(x) + y,
    lambda x, y: y / x,
    lambda x, y: x * y + x,
    lambda x, y: rose.log(x),
    lambda x, y: rose.hypot(x, y),
    lambda x, y: rose.exp(x) * rose.sqrt(x * y),
    lambda x, y: rose.select(y > 0.5, rose.log(x), x),
    lambda x, y: rose.max(rose.log(x), y),
    lambda x, y: rose.scan(lambda i, s: s * s + x, 30.0 * y, 9),
    lambda x, y: rose.while_loop(lambda s: s < 2.0, lambda s: s + 0.5 + y * y, rose.sqrt(x)),
]

chosen = rose.fn([Real, Real, Real], Real)(lambda c, x, y: rose.select(c > 0.0, x, y))
product = rose.fn([Real, Real], Real)(lambda x, y: x * y + rose.sin(x))


def total(f: Element) -> Any:
    return rose.sum(f(i) for i in rose.range(N))


def squared(c: Element, p: Element, x: Any) -> Any:
    q = rose.vec(rose.select(c(i) > 0.0, p(i), x[0]) for i in rose.range(N))
    return rose.dot(q, q)


# of a condition, an element, and the point: where the condition is positive the element is read, and only there
READERS: list[Callable[[Element, Element, Any], Any]] = [
    lambda c, p, x: total(lambda i: rose.select(c(i) > 0.0, p(i), x[i])),
    lambda c, p, x: total(lambda i: rose.cond(c(i) > 0.0, lambda: p(i) * x[0], lambda: x[i])),
    lambda c, p, x: rose.scan(lambda i, s: rose.select(c(i) > 0.0, s * 0.5 + p(i), s * x[0]), x[2], N),
    lambda c, p, x: rose.max(rose.select(c(i) > 0.0, p(i), -9.0 + x[i] * i) for i in rose.range(N)),
    lambda c, p, x: total(lambda i: chosen(c(i), p(i), x[i])),
    lambda c, p, x: total(lambda i: rose.select(c(i) > 0.0, product(p(i), x[0]), 1.0)),
    lambda c, p, x: total(lambda i: total(lambda j: rose.select((c(i) > 0.0) & (c(j) > 0.0), p(i) * p(j), x[j]))),
    squared,
]  # fmt: skip


class Reader(NamedTuple):
    how: int
    vector: int
    moved: int
    condition: int


class Program(NamedTuple):
    """Vectors, each of the point and of one before it; and what reads them."""

    vectors: list[tuple[int, int, int, int]]  # what is computed, of which vector before, and how far both are moved
    readers: list[Reader]

    def run(self, x: Any, *, at_once: bool) -> Any:
        made: list[Element] = [lambda i: x[i]]
        for how, before, moved, far in self.vectors:
            element = lambda i, f=OF[how], p=made[before], m=moved, k=far: f(x[(i + m) % N], p((i + k) % N))
            made.append(_vector(element) if at_once else element)
        out = x[0]
        for r in self.readers:
            p = lambda i, r=r: made[r.vector]((i + r.moved) % N)
            out = out * 0.5 + READERS[r.how](lambda i, r=r: x[(i + r.condition) % N], p, x)
        return out


def _vector(element: Element) -> Element:
    whole = rose.vec(element(i) for i in rose.range(N))
    return lambda i: whole[i]


def program(seed: int) -> Program:
    of = random.Random(seed)
    vectors = [(of.randrange(len(OF)), of.randrange(k + 1), 0, of.choice([0, 0, 2])) for k in range(of.randint(1, 3))]
    pick = lambda: of.choice([0, 0, 0, 2, 1])
    readers = [
        Reader(of.randrange(len(READERS)), of.randint(1, len(vectors)), m, m if of.random() < 0.8 else pick())
        for m in [pick() for _ in range(of.randint(1, 3))]
    ]
    return Program(vectors, readers)


def law(seed: int) -> None:
    p = program(seed)
    for at in (NASTY, TAME):
        want = values(line(lambda x: p.run(x, at_once=False), at), 0.0, 2)
        found = values(line(lambda x: p.run(x, at_once=True), at), 0.0, 2)
        for way, y in want.items():
            assert not math.isfinite(y) or found[way] == pytest.approx(y, rel=1e-7, abs=1e-9), (seed, p, way)


@pytest.mark.parametrize("part", range(4))
def test_elements_that_no_branch_reads_add_nothing(part: int):
    for seed in range(part, MANY or 12, 4):
        law(seed)

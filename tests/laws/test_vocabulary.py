"""The laws of the vocabulary of arrays: each name of its table against NumPy, its derivatives against differences.

`ROWS` has for each name how to draw a call of it: shapes (sizes 0, 1 and odd ones, ranks from 0 to 4), axes, and what
NumPy makes of the same. A name without a row fails `test_each_name_has_a_row`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpys import agree

import rose
from rose import Bool, Real, dim, fn
from rose.frontend.arrays.shapes import array_type
from rose.frontend.vocabulary import VOCABULARY
from rose.ir.types import Type

Of = Callable[..., Any]
Shape = tuple[int, ...]
ULP = 4 * 2.0**-52
SEEDS = 8


class Call(NamedTuple):
    """A call of a name of the vocabulary, and what gives the same in NumPy: two functions of arrays of these shapes."""

    ours: Of
    theirs: Of
    shapes: list[Shape]
    leaf: Type = Real
    rtol: float = ULP


class Row(NamedTuple):
    """How calls of a name are drawn."""

    draw: Callable[[random.Random], Call]
    smooth: Sequence[Call] = ()  # calls whose derivatives are compared with differences
    dims: Sequence[Call] = ()  # calls of which every size may be one that a call decides


def shape(r: random.Random, low: int = 1, high: int = 4, sizes: Sequence[int] = (0, 1, 1, 2, 3, 5)) -> Shape:
    return tuple(r.choice(sizes) for _ in range(r.randint(low, high)))


def ones_of(*calls: Call) -> Callable[[random.Random], Call]:
    return lambda r: r.choice(calls)


def broadcast(r: random.Random, count: int) -> list[Shape]:
    """Shapes that are broadcast to one."""
    whole = shape(r)
    return [whole, *[tuple(r.choice([n, n, 1]) for n in whole)[r.randint(0, len(whole)) :] for _ in range(count - 1)]]


def choice(r: random.Random) -> Call:
    return Call(lambda x, y: rose.where(x > y, x, 2.0), lambda x, y: np.where(x > y, x, 2.0), broadcast(r, 2), rtol=0.0)


def reduction(name: str, low: int = 1) -> Row:
    ours, theirs = getattr(rose, name), getattr(np, name)
    draw = lambda r: Call(ours, theirs, [(r.choice((low, 1, 2, 3, 5)),)])
    return Row(draw, [Call(ours, theirs, [(4,)])], [Call(ours, theirs, [(4,)])] if low == 0 else [])


def of_vectors(ours: Of, theirs: Of, *shapes: Shape) -> Row:
    """A row of one call, at any size of a vector."""
    one = Call(ours, theirs, [*shapes])
    return Row(lambda r: one, [one], [])


FLAT = set[str]()  # names that have no derivative
ROWS = {
    "where": Row(choice, [Call(lambda x, y: rose.where(x > 0.3, x * y, y), np.where, [(3, 4), (4,)])]),
    "sum": reduction("sum", 0),
    "prod": reduction("prod", 0),
    "min": reduction("min"),
    "max": reduction("max"),
    "norm": of_vectors(rose.norm, np.linalg.norm, (3, 2)),
    "logsumexp": of_vectors(rose.logsumexp, lambda x: np.log(np.sum(np.exp(x))), (5,)),
    "dot": of_vectors(rose.dot, np.dot, (5,), (5,)),
    "matmul": of_vectors(rose.matmul, np.matmul, (2, 3), (3, 4)),
    "cross": of_vectors(rose.cross, np.cross, (3,), (3,)),
    "transpose": of_vectors(rose.transpose, np.transpose, (3, 2)),
}
NAMES = [row.name for row in VOCABULARY]
SMOOTH = [(name, k) for name in ROWS for k in range(len(ROWS[name].smooth))]
DIMS = [(name, k) for name in ROWS for k in range(len(ROWS[name].dims))]


def test_each_name_has_a_row():
    assert sorted(ROWS) == sorted(NAMES)
    assert {name for name, _ in SMOOTH} == set(NAMES) - FLAT


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("name", NAMES)
def test_a_name_gives_what_numpy_gives(name: str, seed: int):
    call, rng = ROWS[name].draw(random.Random(f"{name} {seed}")), np.random.default_rng(seed)
    agree(call.ours, call.theirs, call.leaf, [arrays(rng, s, call.leaf) for s in call.shapes], call.rtol)


def total(v: Any) -> Any:
    """A sum with weights, in which no two elements can take each other's place."""
    if v.ndim == 0:
        return v * v
    return sum([(0.5 + 0.25 * k) * x * x for k, x in enumerate(flat(v))])


def whole(v: Any) -> Any:
    return rose.sum(v) if v.ndim else v


def flat(v: Any) -> list[Any]:
    return [v] if not v.ndim else [x for k in range(len(v)) for x in flat(v[k])]


@pytest.mark.parametrize(("name", "k"), SMOOTH)
def test_derivatives_in_both_modes_and_twice_agree_with_differences(name: str, k: int):
    call = ROWS[name].smooth[k]
    types = [array_type(s, Real) for s in call.shapes]
    f = fn(types, Real)(lambda *xs: total(call.ours(*xs)))
    for g in (f, fn(types, types[0])(rose.grad(f, 0))):
        report = rose.testing.examine(g, points=2)
        assert report.ok, report


@pytest.mark.parametrize(("name", "k"), DIMS)
def test_sizes_that_a_call_decides_give_the_same(name: str, k: int):
    call, rng = ROWS[name].dims[k], np.random.default_rng(k)
    names = {n: dim(f"n{n}") for s in call.shapes for n in s}
    f = fn([array_type([names[n] for n in s], Real) for s in call.shapes], Real)(lambda *xs: whole(call.ours(*xs)))
    xs = [rng.normal(size=s) for s in call.shapes]
    assert rose.compile(f, dynamic=True)(*xs) == f(*xs)
    both = [g(*xs) for g in (rose.compile(rose.grad(f), dynamic=True), rose.grad(f))]
    assert np.array_equal(*both)


def arrays(rng: np.random.Generator, s: Shape, leaf: Type) -> Any:
    """An array at random; of numbers a few are the same, so that there are ties."""
    x = rng.normal(size=s)
    return x > 0.0 if leaf is Bool else np.where(rng.random(s) < 0.3, np.round(x), x)

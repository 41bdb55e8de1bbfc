"""How exact values and derivatives are, compiled: beside mpmath, in units of the last place; and at the edges.

`benchmarks/accuracy.py` has the ranges, the formulas that mpmath evaluates, and what a unit is. It measures ten
times as many points, and `benchmarks/ACCURACY.md` has what it found.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from harness import same

import rose
from rose import Real

pytest.importorskip("mpmath", reason="mpmath is not installed, so no error is measured")

from benchmarks import accuracy
from benchmarks.accuracy import EXACT, RANGES, arity, function, mp, ours

pytestmark = pytest.mark.slow

INF, NAN = math.inf, math.nan

# The most units that the value may be wrong, and the derivative in each argument, in any range: what is found at
# 2,000 points of each, and a tenth more. The value is musl's; a derivative costs a unit for each of its operations.
BOUNDS: dict[str, tuple[float, ...]] = {
    "sqrt": (0.5, 1.5), "exp": (0.55, 0.55), "exp2": (0.55, 1.6), "expm1": (0.8, 0.55), "log": (0.55, 0.5),
    "log2": (0.55, 0.7), "log10": (0.6, 0.8), "log1p": (0.8, 1.6), "sin": (0.8, 0.8), "cos": (0.8, 0.8),
    "tan": (0.8, 1.9), "asin": (0.85, 1.8), "acos": (0.9, 1.9), "atan": (0.75, 2.0), "atan2": (1.3, 2.6, 2.6),
    "sinh": (1.45, 1.1), "cosh": (1.1, 1.45), "tanh": (1.9, 1.1), "asinh": (1.25, 2.0), "acosh": (1.8, 2.7),
    "atanh": (1.45, 1.8), "pow": (0.55, 2.2, 1.9), "cbrt": (0.7, 3.4), "hypot": (1.0, 2.5, 2.5), "erf": (0.8, 2.3),
    "erfc": (2.4, 2.4), "gamma": (6.6, 8.9), "lgamma": (2.35, 3.7), "fmod": (0.0, 0.0, 2.0), "mod": (0.55, 0.0, 2.0),
    "sigmoid": (1.95, 3.3), "softplus": (1.3, 2.2), "logsumexp": (2.3, 2.1, 2.1), "relu": (0.0, 0.0),
    "clip": (0.0, 0.0, 0.0, 0.0),
}  # fmt: skip
KINKS = ("fmod", "mod", "relu", "clip", "sqrt")


def test_every_function_has_a_bound():
    of_the_table = {op.name for op in rose.ir.OPS.values() if (op.wasm or "").startswith("call ")}
    assert of_the_table | {"sqrt", "sigmoid", "softplus", "logsumexp", "relu", "clip", "mod"} == set(BOUNDS)
    assert list(BOUNDS) == list(RANGES)


@pytest.mark.parametrize("name", BOUNDS)
def test_values_and_derivatives_in_units_of_the_last_place(name: str):
    wrong: list[str] = []
    for where, worst in accuracy.measure(name, 200).items():
        for k, ((error, at), bound) in enumerate(zip(worst, BOUNDS[name], strict=True)):
            if error > bound:
                wrong.append(f"{'derivative' if k else 'value'} {k}, {where}: {error:.2f} at {at}")
    assert not wrong


@pytest.mark.parametrize("name", [name for name in BOUNDS if name not in KINKS])
def test_second_derivatives_at_regular_points(name: str):
    k, at = arity(name), accuracy.points(name, "regular", 12)
    for i in range(k):
        slope = rose.fn([Real] * k, Real)(rose.grad(rose.fn([Real] * k, Real)(function(name)), i))
        second = rose.compile(rose.grad(slope, tuple(range(k))))
        for p in at:
            for j, got in enumerate(second(*p)):
                with mp.workprec(200):
                    orders = tuple([int(j == n) for n in range(k)])
                    exact = float(mp.diff(EXACT[name][1 + i], tuple(map(mp.mpf, p)), orders))
                least = exact if name != "tanh" else 1.0  # see `accuracy.LEAST`
                assert math.isclose(got, exact, rel_tol=1e-12, abs_tol=1e-12 * abs(least)), (i, j, p)


# at the edges


def one(x: float, *slopes: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return (x,), slopes


def two(x: float, y: float, *slopes: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return (x, y), slopes


# arguments, and the derivatives there: limits, where there is one. The sign of a zero is not looked at.
EDGES: dict[str, list[tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "exp": [one(INF, INF), one(-INF, 0)],
    "exp2": [one(INF, INF), one(-INF, 0)],
    "expm1": [one(INF, INF), one(-INF, 0)],
    "log": [one(0, INF), one(INF, 0), one(5e-324, INF)],
    "log2": [one(0, INF), one(INF, 0), one(5e-324, INF)],
    "log10": [one(0, INF), one(INF, 0), one(5e-324, INF)],
    "log1p": [one(-1, INF), one(INF, 0)],
    "asin": [one(1, INF), one(-1, INF), one(2, NAN), one(INF, NAN)],
    "acos": [one(1, -INF), one(-1, -INF), one(2, NAN), one(-INF, NAN)],
    "atan": [one(INF, 0), one(-INF, 0), one(1e200, 0), one(1.7e308, 0), one(0, 1)],
    "atan2": [
        two(0, 0, NAN, NAN), two(0, 1, 1, 0), two(0, -1, -1, 0), two(1, 0, 0, -1), two(1, 1, 0.5, -0.5),
        two(INF, 1, 0, 0), two(1, INF, 0, 0), two(1, -INF, 0, 0), two(INF, INF, 0, 0),
        two(1e308, 1e308, 5e-309, -5e-309), two(5e-324, 5e-324, INF, -INF), two(0, 2.0**-1000, 2.0**1000, 0),
    ],
    "sinh": [one(INF, INF), one(-INF, INF), one(1000, INF)],
    "cosh": [one(INF, INF), one(-INF, -INF), one(0, 0)],
    "tanh": [one(INF, 0), one(-INF, 0), one(1000, 0), one(0, 1)],
    "asinh": [one(INF, 0), one(-INF, 0), one(2.0**1000, 2.0**-1000)],
    "acosh": [one(1, INF), one(INF, 0), one(2.0**1000, 2.0**-1000)],
    "atanh": [one(1, INF), one(-1, INF), one(0, 1)],
    "pow": [
        two(0, -1, -INF, -INF), two(-0.0, -1, -INF, INF), two(0, -2, -INF, -INF), two(-0.0, -2, INF, -INF),
        two(0, 0, 0, 0), two(0, 0.3, INF, 0), two(0, 0.7, INF, 0), two(0, 1, 1, 0), two(0, 2, 0, 0), two(-0.0, 3, 0, 0),
        two(-2, 3, 12, NAN), two(-2, 2, -4, NAN), two(-2, -1, -0.25, NAN), two(-2, 0, 0, NAN), two(INF, 2, INF, INF),
        two(INF, 1, 1, INF), two(INF, 0.5, 0, INF), two(INF, 0.2, 0, INF), two(INF, 0, 0, INF), two(INF, -1, 0, 0),
        two(-INF, 3, INF, NAN), two(-INF, -3, 0, 0), two(1, INF, INF, 0), two(2, -INF, 0, 0), two(0.5, INF, 0, 0),
        two(1, 0, 0, 0), two(1, 5, 5, 0),
    ],
    "cbrt": [one(0, INF), one(-0.0, INF), one(INF, 0), one(-INF, 0)],
    "hypot": [
        two(0, 0, 0, 0), two(0, 1, 0, 1), two(-1, 0, -1, 0), two(INF, 1, 1, 0), two(1, -INF, 0, -1),
        two(3, -4, 0.6, -0.8), two(3 * 2.0**1020, 4 * 2.0**1020, 0.6, 0.8), two(-3 * 5e-324, 4 * 5e-324, -0.6, 0.8),
    ],
    "erf": [one(INF, 0), one(-INF, 0), one(1e300, 0)],
    "erfc": [one(INF, 0), one(-INF, 0), one(-1e300, 0)],
    "gamma": [one(0, -INF), one(-0.0, -INF), one(-1, NAN), one(INF, INF), one(200, INF), one(-200.5, 0)],
    "lgamma": [one(0, -INF), one(-0.0, INF), one(-1, NAN), one(INF, INF)],
    "fmod": [two(5, INF, 1, 0), two(6, 2, 1, -3), two(-6, 2, 1, 3), two(0, 1, 1, 0)],
    "mod": [two(5, INF, 1, 0), two(-5, INF, 1, 1), two(6, 2, 1, -3), two(-6, 4, 1, 2)],
    "sqrt": [one(0, INF), one(INF, 0)],
    "sigmoid": [one(0, 0.25), one(INF, 0), one(-INF, 0)],
    "softplus": [one(0, 0.5), one(INF, 1), one(-INF, 0)],
    "logsumexp": [two(0, 0, 0.5, 0.5), two(-INF, 0, 0, 1), two(1e308, -1e308, 1, 0)],
    "relu": [one(0, 0), one(INF, 1), one(-INF, 0)],
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_derivatives_at_the_edges(name: str):
    at = [tuple(map(float, p)) for p, _ in EDGES[name]]
    for p, (_, *got), (_, wanted) in zip(at, ours(name, at), EDGES[name], strict=True):
        assert same([g + 0.0 for g in got], [float(w) for w in wanted]), p


# third derivatives where the branches of a rule meet, by the order in each argument


@pytest.mark.parametrize(
    ("name", "at", "orders"),
    [
        *[("atan2", p, o) for p in [(1, 1), (-1, 1), (0, 2), (2, 0)] for o in [(3, 0), (2, 1), (1, 2), (0, 3)]],
        *[("hypot", p, o) for p in [(1, 1), (-1, 1), (0, 2), (2, 0)] for o in [(3, 0), (2, 1), (1, 2), (0, 3)]],
        *[("pow", p, o) for p in [(2, 0.5), (2, 1.5), (2, 2.5)] for o in [(3, 0), (2, 1), (1, 2), (0, 3)]],
        *[(name, (0,), (3,)) for name in ("atan", "tanh", "erf", "sigmoid", "softplus", "asinh", "atanh", "sinh")],
    ],
)
def test_third_derivatives_where_branches_meet(name: str, at: Sequence[float], orders: Sequence[int]):
    f: Any = rose.fn([Real] * len(at), Real)(function(name))
    for k in itertools.chain(*[[k] * n for k, n in enumerate(orders)]):
        f = rose.grad(f, k)
    with mp.workprec(300):
        exact = float(mp.diff(EXACT[name][0], tuple(map(mp.mpf, at)), tuple(orders)))
    assert rose.compile(f)(*map(float, at)) == pytest.approx(exact, rel=1e-12, abs=1e-12)


# sizes: bytes of a module that has the function, and of one that has its value and gradient

SIZES = {"exp": (3_200, 3_200), "tanh": (1_500, 1_500), "sin": (7_000, 7_600)}


@functools.cache
def modules(name: str) -> tuple[int, int]:
    f: Callable[..., Any] = rose.fn([Real], Real)(function(name))
    return len(rose.compile(f).wasm), len(rose.compile(rose.value_and_grad(f)).wasm)


@pytest.mark.parametrize("name", SIZES)
def test_a_module_that_calls_one_function_is_small(name: str):
    assert all([size < bound for size, bound in zip(modules(name), SIZES[name], strict=True)]), modules(name)

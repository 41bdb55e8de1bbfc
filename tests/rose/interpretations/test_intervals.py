"""Intervals: no number escapes, of random programs with 50 digits either; proofs of a root and of a minimum."""

from __future__ import annotations

import itertools
import math
from typing import Any

import mpmath
import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.interpretations import Interval
from rose.ir import OPS
from tests.fuzz.intervals import MEANING, around, check_intervals, holds


@pytest.mark.parametrize("part", range(6))
def test_random_programs_are_in_their_intervals_with_60_digits(part: int):
    """Their values, and the derivatives of every fourth; of arguments that are numbers, and of wide ones."""
    report = check_intervals(range(100 * part, 100 * part + 100))
    assert report.failures == []
    assert report.laws["value in its interval"] > 60 and report.laws["derivative in its interval"] > 8


ONE = [op for name, op in OPS.items() if name in MEANING.rules or MEANING.rule(op)]
POINTS = (0.0, -0.0, 5e-324, 1e-310, 1e-160, 0.1, 1.0, 1.5, 3.0, 700.0, 1e160, 1.7976931348623157e308, math.inf)


@pytest.mark.parametrize(
    "op", [op for op in ONE if op.type.__code__.co_argcount == 2 and op.name in ("add", "sub", "mul", "div")]
)
def test_arithmetic_of_any_two_numbers_is_in_its_interval_exactly(op: Any):
    f = fn([Real, Real], Real)(lambda x, y: op(x, y))
    bounds = rose.interpret(f, MEANING)
    exactly = {
        "add": mpmath.mpf.__add__,
        "sub": mpmath.mpf.__sub__,
        "mul": mpmath.mpf.__mul__,
        "div": mpmath.mpf.__truediv__,
    }
    points = [s * x for x in POINTS if not math.isinf(x) for s in (1.0, -1.0)]
    with mpmath.workprec(5000):
        for x in points:
            for y in [y for y in points if y or op.name != "div"]:
                low, high = run(bounds.func, (x, x), (y, y))
                assert low <= exactly[op.name](mpmath.mpf(x), mpmath.mpf(y)) <= high, (x, y)


def test_what_is_exact_is_not_widened():
    f = fn([Real, Real], Real)(lambda x, y: x * y + x - y * 0.5)
    bounds = rose.interpret(f, MEANING)
    made = bounds(Interval(1.5, 1.5), Interval(3.0, 3.0))
    assert (made.lo, made.hi) == (4.5, 4.5)


def test_of_a_condition_that_may_be_either_both_sides_hold_the_result():
    f = fn([Real], Real)(lambda x: rose.cond(x > 1.0, lambda: x, lambda: -x) + rose.select(x == 5.0, 1.0, 0.0))
    bounds = rose.interpret(f, MEANING)
    both, then, otherwise = [bounds(Interval(*ends)) for ends in ((0.5, 2.0), (1.5, 2.0), (0.5, 1.0))]
    assert [(x.lo, x.hi) for x in (both, then, otherwise)] == [(-2.0, 2.0), (1.5, 2.0), (-1.0, -0.5)]


def test_ends_that_are_exchanged_are_refused():
    with pytest.raises(rose.OutOfRange, match="its ends are exchanged"):
        Interval(2.0, 1.0)


EDGES: dict[str, tuple[Any, list[tuple[float, float]], tuple[float, float]]] = {
    "a remainder by numbers around 0": (lambda x, y: x % y, [(1.0, 2.0), (-1.0, 1.0)], (-math.inf, math.inf)),
    "fmod by numbers from 0 on": (rose.fmod, [(1.0, 2.0), (0.0, 1.5)], (-math.inf, math.inf)),
    "the sine of a quotient by numbers around 0": (
        lambda x: rose.sin(1.0 / x), [(-1.0, 1.0)], (-math.inf, math.inf),
    ),
    "acosh of numbers on both sides of 1": (rose.acosh, [(-4e6, 1.0)], (-math.inf, 5e-324)),
    "acosh of numbers below 1": (rose.acosh, [(-4e6, 0.5)], (-math.inf, math.inf)),
    "squares that are too small": (lambda x: x * x, [(1e-300, 1e-200)], (0.0, 5e-324)),
    "quotients that are too small": (lambda x, y: -x / y, [(0.0, 1e-300), (1e300, 1e300)], (-5e-324, 0.0)),
    "exponentials that are too small": (rose.exp, [(-1e4, -1e3)], (0.0, 5e-324)),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_where_there_may_be_no_value_a_bound_is_infinite_and_ranges_are_kept(name: str):
    of, ends, wanted = EDGES[name]
    made = rose.interpret(fn([Real] * len(ends), Real)(lambda *xs: of(*xs)), MEANING)(*[Interval(*e) for e in ends])
    assert (made.lo, made.hi) == wanted


def test_a_deviation_is_not_below_0():
    made = rose.interpret(fn([Vec[3]], Real)(rose.std), MEANING)(
        [Interval(1.0, 2.0), Interval(-1.0, 1.0), Interval(0.0, 0.0)]
    )
    assert made.lo == 0.0 and 1.0 < made.hi < 2.0


@pytest.mark.parametrize(
    "of", [rose.sort, rose.median, rose.argmax, lambda x: rose.interp(x[0], [0.0, 1.0], [0.0, 1.0])]
)
def test_an_index_that_depends_on_a_number_has_no_meaning(of: Any):
    f = fn([Vec[3]], Real)(lambda x: rose.sum(of(x) + rose.zeros(1)))
    with pytest.raises(
        rose.RoseError, match=r"cannot choose between two values of type Fin[\s\S]*choose between numbers"
    ):
        rose.interpret(f, MEANING)


@pytest.mark.parametrize("width", [0.0, 0.1])
def test_norms_and_their_slopes_are_in_their_intervals(width: float):
    x = np.random.default_rng(1).normal(size=(3, 4))
    f = fn([Vec[3, 4]], Real)(lambda x: rose.norm(x) + rose.sum(rose.norm(x, axis=1)))
    given = tuple([tuple([(y - width, y + width) for y in row]) for row in x.tolist()])
    assert holds(run(rose.interpret(f, MEANING).func, given), f(x))
    slopes = run(rose.interpret(rose.grad(f), MEANING).func, given)
    assert all(
        [
            holds(s, y)
            for row, ys in zip(slopes, rose.grad(f)(x).tolist(), strict=True)
            for s, y in zip(row, ys, strict=True)
        ]
    )


BOXES = [-math.inf, -2.0, -1.0, -0.0, 0.0, 0.5, 3.0, math.inf]


def test_the_angles_of_a_box_are_in_their_interval():
    pairs = [(a, b) for a in BOXES for b in BOXES if a <= b]
    bounds = rose.interpret(fn([Real, Real], Real)(rose.atan2), MEANING)
    for y, x in itertools.product(pairs, pairs):
        made = bounds(Interval(*y), Interval(*x))
        inside = [[t for t in BOXES if ends[0] <= t <= ends[1]] for ends in (y, x)]
        assert all([made.lo <= math.atan2(a, b) <= made.hi for a in inside[0] for b in inside[1]]), (y, x)
        assert made.hi - made.lo <= math.pi * (1.0 + 1e-9) or (y[0] <= 0.0 <= y[1] and x[0] <= 0.0), (y, x)


def test_a_while_loop_runs_while_it_is_certain_and_else_stops():
    f = fn([Real], Real)(lambda x: rose.while_loop(lambda s: s < 10.0, lambda s: s * 2.0, x))
    bounds = rose.interpret(f, MEANING)
    made = bounds(Interval(1.0, 1.1))
    assert (made.lo, made.hi) == (16.0, 17.6)
    with pytest.raises(rose.AssertionFailed, match="a while loop whose condition is certain"):
        bounds(Interval(1.0, 1.5))


@pytest.mark.parametrize("width", [1e-12, 1e-6, 0.05])
def test_each_number_of_an_interval_is_held(width: float):
    f = fn([Vec[2]], Real)(lambda x: rose.sin(x[0] * 3.0) * rose.exp(x[1]) / (1.0 + x[0] ** 2) - rose.sqrt(x[1]))
    bounds = rose.interpret(f, MEANING)
    got = run(bounds.func, around((0.7, 1.3), Vec[2], width))
    shifts = [-1.0, -0.5, 0.0, 0.3, 1.0]
    assert all([holds(got, f([0.7 * (1 + a * width), 1.3 * (1 + b * width)])) for a in shifts for b in shifts])


def test_krawczyk_proves_a_root():
    f = fn([Real], Real)(lambda x: x**2 - 2.0)
    value, slope = rose.interpret(f, MEANING), rose.interpret(rose.grad(f), MEANING)
    x, middle, inverse = Interval(1.4, 1.43), 1.415, 1.0 / 2.83
    at, by = value(Interval(middle, middle)), slope(x)
    rest = [(1.0 - inverse * d) * (y - middle) for d in (by.lo, by.hi) for y in (x.lo, x.hi)]
    image = [middle - inverse * at.hi + min(rest), middle - inverse * at.lo + max(rest)]
    assert x.lo < image[0] <= math.sqrt(2.0) <= image[1] < x.hi


def test_branch_and_bound_finds_the_least_value():
    f = fn([Real], Real)(lambda x: x**4 - 3.0 * x**2 + x)
    bounds, boxes, best = rose.interpret(f, MEANING), [(-3.0, 3.0)], math.inf
    for _ in range(40):
        halves = [(a, (a + b) / 2) for a, b in boxes] + [((a + b) / 2, b) for a, b in boxes]
        found = [(bounds(Interval(*box)), box) for box in halves]
        best = min(best, *[bounds(Interval((a + b) / 2, (a + b) / 2)).hi for a, b in halves])
        boxes = [box for y, box in found if y.lo <= best]
        if max(b - a for a, b in boxes) < 1e-6:
            break
    assert min(y.lo for y, _ in found) <= -3.513905328 <= best + 1e-9 and best - min(y.lo for y, _ in found) < 1e-4


def test_the_derivative_of_a_maximum_of_which_any_may_be_it_lies_from_0_to_1():
    """Compiled, it is that of one item, found by its index; an index that may be any is no interval."""
    f = rose.fn([rose.Vec[3]], rose.Real)(lambda x: rose.max(x) * 2.0)
    within = rose.interpret(rose.grad(f), MEANING)
    known, unknown = Interval(0.0, 1.0), Interval(0.5, 3.0)
    low, middle, high = within([Interval(-2.0, -1.0), known, unknown])
    assert (low.lo, low.hi) == (0.0, 0.0)
    assert all([x.lo <= 0.0 and 2.0 <= x.hi for x in (middle, high)])

"""Walks: where they end, how far they go, and what an error is."""

from __future__ import annotations

import math
from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.implicit.walks import States, Steps, walked
from rose.ir.types import tuple_of

STEPS = Steps("dormand-prince", 1e-8, 1e-8, 100)
GROWTH = fn([Real, Real], Real)(lambda t, y: y)
SQUARE = fn([Real, Real], Real)(lambda t, y: y * y)


@pytest.mark.parametrize("full", [False, True])
def test_a_walk_that_does_not_reach_its_end_is_nan_unless_it_is_asked_for_in_full(full: bool):
    f = fn([Real], tuple[Real, rose.Bool])(
        lambda t: (lambda y, t, steps, rejected, good: (y, good))(
            *walked(STEPS.walk(SQUARE, ()), Real, 0.0, t, rose.constant(Real, 1.0), full=full)
        )
    )
    y, good = f(2.0)
    assert not good and math.isnan(y) is not full
    assert f(0.5) == (pytest.approx(2.0), True)


def test_several_times_are_reached_one_after_the_other():
    def body(ts: Any, y: Any) -> Any:
        return walked(STEPS.walk(GROWTH, ()), ts.type, 0.0, ts, y, full=False)[0]

    assert fn([Vec[2], Real], Vec[2])(body)([1.0, 0.0], 1.0).tolist() == pytest.approx([math.e, 1.0])


def test_an_error_is_in_units_of_the_tolerance():
    walk = Steps("rosenbrock", 0.0, 0.5, 9).walk(GROWTH, ())
    assert fn([Vec[2]], Real)(lambda e: walk.error(e, e, e))([1.0, -2.0]) == 4.0
    assert fn([Real], Real)(lambda e: walk.error(e, e, e))(-1.0) == 2.0


def test_a_state_is_a_number_or_a_vector():
    assert States(Real).type is Real and States(tuple_of(Real, Vec[2])).type is Vec[3]

"""The series of powers: each way of making them, by an exponent that decides which."""

from __future__ import annotations

import math

import pytest
from curves import curve, jets, nested, products

import rose
from rose import Real


def falling(y: float, k: int) -> float:
    return math.prod([y - j for j in range(k)])


@pytest.mark.parametrize("y", [1, 2, 3, 7, 11, 64, 100, 2.5, -1, -0.5, 0])
@pytest.mark.parametrize("x", [0.7, -1.5])
def test_a_literal_exponent(x: float, y: float):
    if x < 0.0 and y != int(y):
        return
    f = rose.fn([Real], Real)(lambda x: rose.pow(x, float(y)))
    want = [falling(y, k) * x ** (y - k) for k in range(7)]
    assert jets(f, 6, [x, 1.0, *[0.0] * 5]) == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("x", [0.7, 2.0])
def test_an_exponent_that_moves(x: float):
    f = rose.fn([Real, Real], Real)(lambda x, y: x**y)
    g = rose.fn([Real], Real)(lambda y: 1.5**y)
    at = curve(x, 4), curve(-x, 4)
    assert jets(f, 4, *at) == pytest.approx(nested(f, 4, *at), rel=1e-11)
    assert jets(g, 4, at[0]) == pytest.approx(nested(g, 4, at[0]), rel=1e-11)


def test_a_moving_exponent_is_not_defined_below_0():
    f = rose.fn([Real, Real], Real)(lambda x, y: x**y)
    assert math.isnan(rose.jet(f, 2)([-1.0, 1.0, 0.0], [2.0, 0.0, 0.0])[1])


@pytest.mark.parametrize("y", [3.0, 7.0, 2.5, 100.0])
def test_no_power_multiplies_more_than_the_recurrence(y: float):
    f, n = rose.fn([Real], Real)(lambda x: rose.pow(x, y)), 20
    assert products(rose.jet(f, n), curve(0.7, n)) - 2 * n <= 1.3 * (n * (n + 1) + 3 * n)

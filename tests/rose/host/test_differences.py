"""Derivatives by differences: central, on one side, and what they cannot tell."""

from __future__ import annotations

import math

import pytest

from rose.host.differences import approaches, beside, between, central, on_one_side, one_sided


@pytest.mark.parametrize(("f", "left", "right"), [
    (math.sin, 1.0, 1.0), (abs, -1.0, 1.0), (lambda h: max(h, 0.0) ** 2, 0.0, 0.0), (lambda h: 1e6 + 3 * h, 3.0, 3.0),
])  # fmt: skip
def test_slopes_on_both_sides(f, left: float, right: float):
    for sign, slope in ((-1.0, left), (1.0, right)):
        for scale in (1.0, 1e3):
            assert between(on_one_side(f, sign, scale), slope, slope, abs(f(0.0)))
        assert one_sided(f, sign * 1e-3) == pytest.approx(slope, abs=1e-6)


def test_what_is_too_rough_has_no_slope():
    assert math.isnan(on_one_side(lambda h: math.sqrt(abs(h)), 1.0, 1.0))
    assert math.isnan(on_one_side(lambda h: math.nan, 1.0, 1.0))


def test_beside_a_jump_there_is_a_slope():
    jump = lambda h: 1.0 + 2.0 * h if h > 0.0 else 5.0 * h
    assert on_one_side(beside(jump, 1.0), 1.0, 1.0) == pytest.approx(2.0, rel=1e-4)
    assert on_one_side(beside(jump, -1.0), -1.0, 1.0) == pytest.approx(5.0, rel=1e-4)


def test_central_differences_and_tiny_steps():
    assert central(lambda h: [math.exp(h), math.cos(h)], 0.1) == pytest.approx([1.0, 0.0], abs=1e-10)
    assert approaches(math.sin, 1.0, 1e-3)
    assert not approaches(math.sin, 2.0, 1e-3)

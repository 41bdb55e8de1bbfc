"""Gradient descent and Adam: the steps that they take."""

from __future__ import annotations

import math

import pytest

import rose
from rose import Real, Vec, fn, lib

parabola = fn([Real], Real)(lambda x: x * x)


def test_adam_takes_the_steps_of_its_paper():
    found = lib.adam(parabola, rate=0.1, max_steps=3)(1.0)
    x, mean, square = 1.0, 0.0, 0.0
    for t in (1, 2, 3):
        g = 2 * x
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        x -= 0.1 * (mean / (1 - 0.9**t)) / (math.sqrt(square / (1 - 0.999**t)) + 1e-8)
    assert found.x == pytest.approx(x, rel=1e-14)
    assert (found.steps, found.converged) == (3, False)


def test_a_rate_goes_that_far():
    found = lib.gradient_descent(parabola, rate=0.25, max_steps=2)(1.0)
    assert (found.x, found.value, found.gradient_norm, found.steps) == (0.25, 0.0625, 0.5, 2)


def test_without_a_rate_one_is_found_on_the_way():
    f = fn([Vec[2]], Real)(lambda x: 10.0 * x[0] ** 2 + x[1] ** 2)
    found = lib.gradient_descent(f, tolerance=1e-6)([1.0, 1.0])
    assert found.converged
    assert found.x == pytest.approx([0.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("options", [{"rate": -0.1}, {"b1": 1.0}, {"b2": 2.0}, {"max_steps": 0}])
def test_options_out_of_range_are_refused(options: dict[str, float]):
    with pytest.raises(rose.OutOfRange):
        lib.adam(parabola, **options)

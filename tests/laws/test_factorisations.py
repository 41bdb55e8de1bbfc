"""Factorisations and solvers as users write them: their derivatives are right, and cost a constant times the value."""

from __future__ import annotations

import numpy as np
import pytest
from factorisations import FACTORISATIONS, factorisation

import rose
from rose.testing import examine

from .test_cost import FLAT, hold

TRACED = 8.5  # operations of a gradient, for each of the value


@pytest.mark.parametrize("name", FACTORISATIONS)
def test_their_derivatives_are_right(name: str):
    report = examine(factorisation(name, 3), points=1)
    assert report.ok and report.points, report


@pytest.mark.parametrize("name", FACTORISATIONS)
def test_what_is_compiled_agrees_with_each_form_of_it(name: str):
    gradient, a = rose.grad(factorisation(name, 5)), np.linspace(-1.0, 1.0, 25).reshape(5, 5)
    found = rose.compile(gradient)(a)
    assert np.array_equal(rose.compile(gradient, simd=True)(a), found)
    assert np.allclose(rose.compile(gradient, dtype="f32")(a.astype(np.float32)), found, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", FACTORISATIONS)
def test_their_gradients_cost_a_constant_times_the_value(name: str):
    hold(lambda n: factorisation(name, n), (5, 10), TRACED, 1.0 + 2 * (FLAT - 1.0))

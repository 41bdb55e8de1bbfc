"""Roots and fixed points against SciPy's, and where they are hard."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import rose
from rose import Real, Vec, fn, lib
from rose.implicit import fixed_point, root

KEPLER = optimize.brentq(lambda x: x - 0.99 * math.sin(x) - 0.1, 0.0, 4.0, xtol=1e-15)

NUMBERS: dict[str, tuple[Any, float, float]] = {
    "kepler": (lambda x: x - 0.99 * rose.sin(x) - 0.1, 1.0, KEPLER),
    "far": (lambda x: rose.atan(x - 1.0), 40.0, 1.0),
    "small": (lambda x: x * x - 1e-18, 1.0, 1e-9),
    "large": (lambda x: x * x - 1e18, 1.0, 1e9),
    "double": (lambda x: (x - 1.0) ** 2, 3.0, 1.0),
    "there": (lambda x: x**3, 0.0, 0.0),
    "steep": (lambda x: rose.exp(20.0 * x) - 1.0, 1.0, 0.0),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_roots_in_one_number(name: str):
    body, start, wanted = NUMBERS[name]
    rel = 1e-7 if name == "double" else 1e-14
    assert root(fn([Real], Real)(body))(start) == pytest.approx(wanted, rel=rel, abs=1e-15)


def test_a_boundary_value_problem_as_scipy_solves_it():
    n = 12
    residuals = lambda xp, u: [
        (u[i - 1] if i else 0.0) - 2.0 * u[i] + (u[i + 1] if i < n - 1 else 1.0) - 0.05 * xp.exp(u[i]) for i in range(n)
    ]
    f = root(fn([Vec[n]], Vec[n])(lambda u: residuals(rose, u)))
    wanted = optimize.root(lambda u: np.array(residuals(np, u)), np.zeros(n), tol=1e-14).x
    assert f(np.zeros(n)) == pytest.approx(wanted, rel=1e-12)


def test_steps_do_not_depend_on_the_scale_of_the_equations():
    g = lambda scale: fn([Vec[2]], Vec[2])(lambda x: [scale * (x[0] ** 2 + x[1] - 3.0), x[0] - x[1] ** 3])
    a, b = [root(g(scale), full=True)([2.0, 0.5]) for scale in (1.0, 2.0**40)]
    assert a.steps == b.steps and np.array_equal(a.x, b.x)


def test_another_search_may_go_first():
    g = fn([Vec[2]], Vec[2])(lambda x: [10.0 * (x[1] - x[0] ** 2), 1.0 - x[0]])
    assert root(g, search=lib.gauss_newton)([-1.2, 1.0]) == pytest.approx([1.0, 1.0], rel=1e-15)


@pytest.mark.parametrize("start", [math.nan, math.inf, 0.0])
def test_no_root_is_found_from_there(start: float):
    assert math.isnan(root(fn([Real], Real)(lambda x: x * x - 2.0))(start))


def test_max_steps_end_a_search():
    f = fn([Real], Real)(lambda x: (x - 1.0) ** 2)
    found = root(f, max_steps=3, full=True)(3.0)
    assert found.steps == 3.0 and not found.converged
    assert fixed_point(fn([Real], Real)(rose.cos), max_steps=4, full=True)(1.0).steps == 4.0


def test_fixed_points():
    assert fixed_point(fn([Real], Real)(rose.cos))(1.0) == pytest.approx(0.7390851332151607, rel=1e-11)
    f = fixed_point(fn([Vec[2], Real], Vec[2])(lambda x, a: [0.5 * x[1] + a, 0.5 * rose.cos(x[0])]))
    x = f([0.0, 0.0], 0.3)
    assert x == pytest.approx([0.5 * x[1] + 0.3, 0.5 * math.cos(x[0])], rel=1e-11)


def test_an_iteration_that_goes_away_is_nan():
    f = fn([Real], Real)(lambda x: 2.0 * x)
    assert math.isnan(fixed_point(f)(1.0)) and fixed_point(f)(0.0) == 0.0
    assert fixed_point(f, full=True)(1.0).steps < 1100.0

"""Minima as functions of data: against closed forms, and differences of the search itself."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold

import rose
from rose import Real, Vec, fn, lib
from rose.implicit import argmin


@fn
def ridge(w: Vec[2], a: Vec[4, 2], y: Vec[4], k: Real) -> Real:
    away = a @ w - y
    return rose.dot(away, away) + k * rose.dot(w, w)


A, Y = np.arange(8.0).reshape(4, 2) % 5.0, np.array([1.0, 3.0, 2.0, 5.0])


def test_ridge_regression_has_the_derivatives_of_its_normal_equations():
    exact = fn([Vec[4, 2], Vec[4], Real], Vec[2])(lambda a, y, k: rose.linalg.solve(a.T @ a + k * rose.eye(2), a.T @ y))
    found = argmin(ridge)
    close(found([0.0, 0.0], A, Y, 0.5), exact(A, Y, 0.5), 1e-12)
    slopes, wanted = rose.jacrev(found, (1, 2, 3))([0.0, 0.0], A, Y, 0.5), rose.jacfwd(exact, (0, 1, 2))(A, Y, 0.5)
    for got, slope in zip(slopes, wanted, strict=True):
        close(got, slope, 1e-10)
    twice = rose.hessian(fn([Real], Real)(lambda k: found([0.0, 0.0], A, Y, k)[0]))(0.5)
    assert twice == pytest.approx(rose.hessian(fn([Real], Real)(lambda k: exact(A, Y, k)[0]))(0.5), rel=1e-9)


def bilevel(x: Any) -> Any:
    inner = fn([Vec[2]], Real)(lambda u: (u[0] - x[0]) ** 4 + (u[0] - u[1] * x[1]) ** 2 + rose.exp(u[1] - x[2]))
    u = argmin(inner)([0.5, 0.0])
    return u[0] * u[1] + u[1] ** 2


def of_a_number(x: Any) -> Any:
    return argmin(fn([Real, Vec[3]], Real)(lambda u, x: rose.cosh(u - x[0]) + x[1] * u * u))(0.0, x)


@pytest.mark.parametrize("body", [bilevel, of_a_number], ids=lambda f: f.__name__)
def test_derivatives_of_both_modes(body: Any):
    derivatives_hold(body, np.array([0.4, 0.7, 0.3]), 1)


@pytest.mark.parametrize("search", [lib.newton, lib.lbfgs, lambda f: lib.gradient_descent(f, tolerance=1e-5)])
def test_every_search_gives_the_same_derivatives(search: Any):
    found = argmin(ridge, search=search)
    close(rose.jacrev(found, 3)([0.0, 0.0], A, Y, 0.5), rose.jacrev(argmin(ridge), 3)([0.0, 0.0], A, Y, 0.5), 1e-6)


def test_what_has_no_minimum_is_nan():
    down = fn([Real], Real)(lambda x: -rose.exp(x))
    assert math.isnan(argmin(down)(0.0))
    assert not argmin(down, full=True)(0.0).converged

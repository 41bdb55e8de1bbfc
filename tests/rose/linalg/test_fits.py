"""Polynomials through points, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, TypeMismatch, Vec, fn

RNG = np.random.default_rng(0)
X, Y, W = np.linspace(-1.0, 2.0, 7), RNG.normal(size=7), 1.0 + RNG.random(7)


@pytest.mark.parametrize("degree", [0, 1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_are_numpys(degree: int, weighted: bool):
    of: Any = lambda x, y, w: np.polyfit(x, y, degree, w=w if weighted else None)
    f = fn([Vec[7], Vec[7], Vec[7]], Vec[degree + 1])(lambda x, y, w: of(x, y, w))
    np.testing.assert_allclose(f(X, Y, W), of(X, Y, W), rtol=1e-10)
    with rose.eager():
        np.testing.assert_allclose(f(X, Y, W), of(X, Y, W), rtol=1e-10)


def test_a_column_for_each_polynomial_and_what_is_left():
    ys = np.stack([Y, Y * Y], 1)
    f = fn([Vec[7], Vec[7, 2]], Vec[3, 2])(lambda x, y: np.polyfit(x, y, 2, None, False, W))
    np.testing.assert_allclose(f(X, ys), np.polyfit(X, ys, 2, w=W), rtol=1e-10)
    g = fn([Vec[7], Vec[7]], tuple[Vec[1], Real, Vec[3]])(lambda x, y: np.polyfit(x, y, 2, full=True)[1:4])
    left, rank, values = g(X, Y)
    want = np.polyfit(X, Y, 2, full=True)
    np.testing.assert_allclose(left, want[1], rtol=1e-10)
    np.testing.assert_allclose(values, want[3], rtol=1e-10)
    assert rank == want[2]


def test_derivatives_in_both_modes_and_twice():
    f = fn([Vec[4], Vec[4]], Real)(lambda x, y: np.sum(np.polyfit(x + np.arange(4.0) * 2.0, y, 1) ** 2))
    for g in (f, fn([Vec[4], Vec[4]], Vec[4])(rose.grad(f, 1))):
        report = rose.testing.examine(g, points=1)
        assert report.ok, report


def test_what_has_no_polynomial_is_an_error():
    for of in (lambda x: np.polyfit(x, x[1:], 1), lambda x: np.polyfit(x, x, -1)):
        with pytest.raises(TypeMismatch, match="as many places as values"):
            _ = fn([Vec[3]], Vec[2])(of).func

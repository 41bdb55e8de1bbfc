"""Linear equations with positive definite matrices, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn, lib

RNG = np.random.default_rng(11)


def matrix(n: int) -> Any:
    return Vec[n, Vec[n]]


def positive(n: int) -> Any:
    a = RNG.normal(size=(n, n))
    return a @ a.T + 0.1 * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_cholesky_is_that_of_numpy(n: int):
    a = positive(n)
    assert fn([matrix(n)], matrix(n))(lib.cholesky)(a) == pytest.approx(np.linalg.cholesky(a), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_equations_are_solved(n: int):
    a, y = positive(n), RNG.normal(size=n)
    assert fn([matrix(n), Vec[n]], Vec[n])(lib.cholesky_solve)(a, y) == pytest.approx(np.linalg.solve(a, y), rel=1e-9)


def test_no_equations_have_a_solution():
    assert fn([matrix(0), Vec[0]], Vec[0])(lib.cholesky_solve)([], []).tolist() == []
    assert fn([matrix(0)], matrix(0))(lib.cholesky)([]).tolist() == []


@pytest.mark.parametrize("a", [[[1, 2], [2, 1]], [[0, 0], [0, 1]], [[1, 1], [1, 1]], [[-1, 0], [0, 1]]])
def test_a_matrix_that_is_not_positive_definite_gives_nan(a: Any):
    assert np.isnan(fn([matrix(2)], matrix(2))(lib.cholesky)(a)).all()
    assert np.isnan(fn([matrix(2), Vec[2]], Vec[2])(lib.cholesky_solve)(a, [1, 1])).all()


def test_solutions_have_derivatives():
    # of x = a^-1 y: da = -a^-1 w x^T, where w is the cotangent through the transpose; only the upper half is read
    a, y, ct = positive(3), RNG.normal(size=3), RNG.normal(size=3)
    weighed = fn([matrix(3), Vec[3]], Real)(lambda a, y: rose.dot(lib.cholesky_solve(a, y), ct.tolist()))
    da, dy = rose.grad(weighed, argnums=(0, 1))(a, y)
    w, x = np.linalg.solve(a, ct), np.linalg.solve(a, y)
    full = -np.outer(w, x)
    assert dy == pytest.approx(w, rel=1e-9)
    assert da == pytest.approx(np.triu(full + full.T) - np.diag(np.diag(full)), rel=1e-9)

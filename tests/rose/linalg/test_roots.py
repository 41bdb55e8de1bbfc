"""Square roots and logarithms of matrices: SciPy's values, derivatives, what has none, sizes and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import close, derivatives_hold, matrix, positive, random

import rose
from rose import Real, Vec, fn, linalg

NAMES = ["sqrtm", "logm"]
TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
MATRICES: dict[str, Any] = {
    "one": [[3.0]],
    "identity": np.eye(3),
    "positive": positive(0, 4),
    "any": scipy.linalg.expm(random(3, 5, 5)),
    "a rotation by nearly pi": scipy.linalg.expm(3.1 * TURN),
    "a Jordan block": 4.0 * np.eye(3) + np.eye(3, k=1),
    "many magnitudes": np.diag([1e-8, 1.0, 1e8]),
    "small": 1e-150 * positive(1, 3),
    "large": 1e150 * positive(1, 3),
}


@pytest.mark.filterwarnings("ignore:.*logm")  # SciPy doubts its own
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", MATRICES)
def test_values_are_scipys(name: str, kind: str):
    a = np.array(MATRICES[kind])
    m, wanted = matrix(*a.shape), getattr(scipy.linalg, name)(a).real
    size = max(np.abs(wanted).max(), 1e-300)
    close(fn([m], m)(getattr(linalg, name))(a) / size, wanted / size, 1e-11)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("a", [[[-1.0]], [[0.0]], np.diag([2.0, -1.0]), np.ones((2, 2)), np.full((2, 2), np.nan)])
def test_where_an_eigenvalue_is_not_positive_they_are_nan(name: str, a: Any):
    m = matrix(*np.shape(a))
    assert np.isnan(fn([m], m)(getattr(linalg, name))(a)).all()


@pytest.mark.parametrize("name", NAMES)
def test_derivatives_of_both_modes_to_second_order(name: str):
    derivatives_hold(lambda a: rose.sum(rose.sin(getattr(linalg, name)(a))), positive(0, 2) + 0.3 * TURN)


@pytest.mark.parametrize("name", NAMES)
def test_the_derivatives_at_a_multiple_of_the_identity(name: str):
    f = fn([matrix(2, 2)], Real)(lambda a: getattr(linalg, name)(a)[0, 1])
    close(rose.grad(f)(4.0 * np.eye(2)), [[0.0, 0.25], [0.0, 0.0]], 1e-14)  # of both


def test_the_third_derivative_of_a_root():
    f = fn([Real], Real)(lambda t: linalg.sqrtm([[t, 1.0], [0.0, t]])[0, 1])
    exact = fn([Real], Real)(lambda t: 0.5 / rose.sqrt(t))
    of = lambda f: rose.grad(rose.grad(rose.grad(f)))
    assert of(f)(1.7) == pytest.approx(of(exact)(1.7), rel=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_the_gradient_of_many_rows(name: str):
    a, way = positive(0, 12) + 0.1 * random(1, 12, 12), random(2, 12, 12)
    f = fn([matrix(12, 12)], Real)(lambda a: rose.sum(rose.sin(getattr(linalg, name)(a))))
    along = (f(a + 1e-5 * way) - f(a - 1e-5 * way)) / 2e-5
    close(np.sum(rose.grad(f)(a) * way), along, 1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_batches_any_size_and_none(name: str):
    a = np.array([positive(0, 2), positive(1, 2)])
    g: Any = getattr(linalg, name)
    close(fn([matrix(2, 2, 2)], matrix(2, 2, 2))(g)(a), [getattr(scipy.linalg, name)(x) for x in a], 1e-12)
    n = rose.dim("n")
    module = rose.compile(fn([Vec[n, Vec[n]]], Vec[n, Vec[n]])(g), dynamic=True)
    assert module(np.zeros((0, 0))).size == 0
    close(module(positive(2, 3)), getattr(scipy.linalg, name)(positive(2, 3)), 1e-12)

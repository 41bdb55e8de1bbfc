"""Derivatives of vectors that belong to equal eigenvalues or singular values: never a number that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import derivatives_hold

import rose
from rose import Real, Vec, fn, linalg

M = Vec[3, 3]
WEIGHTS = np.array([[1.0, 2.0, -1.0], [0.5, 0.25, 3.0], [-2.0, 1.0, 0.75]])
Q = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
EQUAL = [np.eye(3), np.diag([1.0, 1.0, 2.0]), Q @ np.diag([1.0, 1.0, 2.0]) @ Q.T, np.zeros((3, 3))]


def by_eigenvectors(a: Any) -> Any:
    w, v = linalg.eigh((a + a.T) / 2.0)
    return rose.sum(rose.ravel(WEIGHTS * ((v * rose.exp(w)) @ v.T)))


def by_singular_vectors(a: Any) -> Any:
    u, s, vh = linalg.svd(a)
    return rose.sum(rose.ravel(WEIGHTS * ((u * s**3) @ vh)))


def eigenvalues(a: Any) -> Any:
    return rose.sum(rose.exp(linalg.eigvalsh(a)))


def slope(f: Any, a: Any, direction: Any) -> float:
    """The derivative along a direction, in forward mode."""
    along = fn([Real], Real)(lambda t: f(a + t * direction))
    return rose.jvp(along)(rose.Dual(0.0, 1.0)).du


READ = [(of, a) for of in (by_eigenvectors, by_singular_vectors) for a in EQUAL]


@pytest.mark.parametrize(("of", "a"), READ[:-1])  # by_singular_vectors is of third order in a matrix of zeros
def test_what_reads_vectors_of_equal_values_has_the_derivative_nan(of: Any, a: Any):
    f = fn([M], Real)(of)
    assert np.isfinite(f(a)) and np.isnan(rose.grad(f)(a)).any()
    assert np.isnan(slope(f, a, WEIGHTS))


@pytest.mark.parametrize("a", EQUAL)
def test_sums_over_all_values_have_a_gradient_and_no_hessian_that_is_wrong(a: Any):
    f = fn([M], Real)(lambda a: eigenvalues((a + a.T) / 2.0))
    np.testing.assert_allclose(rose.grad(f)(a), np.linalg.eigh(a).eigenvectors * np.exp(np.linalg.eigvalsh(a))
                               @ np.linalg.eigh(a).eigenvectors.T, rtol=1e-13, atol=1e-14)  # fmt: skip
    assert np.isnan(rose.hessian(f)(a)).any()


def test_a_vector_whose_value_is_alone_does_not_mind_that_others_are_equal():
    a = Q @ np.diag([1.0, 1.0, 2.0]) @ Q.T

    def first(a: Any) -> Any:
        v = linalg.eigh((a + a.T) / 2.0).eigenvectors[:, -1]
        return rose.sum(WEIGHTS[0] * v * v) + rose.sum(WEIGHTS[1] * v) * rose.sum(WEIGHTS[2] * v)

    def first_of_samples(a: Any) -> Any:
        u, s, vh = linalg.svd(a)
        return rose.sum(WEIGHTS[0] * u[:, 0]) * s[0] * rose.sum(WEIGHTS[1] * vh[0])

    for of, at in ((first, a), (first_of_samples, np.outer(WEIGHTS[0], WEIGHTS[1]))):
        f = fn([M], Real)(of)
        slopes = rose.grad(f)(at)
        for i, j in np.ndindex(3, 3):
            step = np.zeros((3, 3))
            step[i, j] = 1e-6
            assert slopes[i, j] == pytest.approx((f(at + step) - f(at - step)) / 2e-6, abs=1e-7)
            assert slope(f, at, 1e6 * step) == pytest.approx(slopes[i, j], abs=1e-12)


def test_second_derivatives_where_values_differ():
    a = Q @ np.diag([1.0, -0.5, 2.0]) @ Q.T
    for of in (by_eigenvectors, by_singular_vectors):
        derivatives_hold(of, a)


def test_values_are_told_apart_in_single_precision():
    f = rose.compile(rose.grad(fn([M], Real)(by_eigenvectors)), dtype="f32")
    for diagonal, known in (([1.0, 1.0, 1.0], False), ([1.0, 1.5, 2.0], True)):
        assert np.isfinite(f(np.diag(np.array(diagonal, np.float32)))).all() == known

"""QR factorisations of every shape: LAPACK's, with derivatives of every mode."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import Vec, fn, linalg

SHAPES = [(1, 1), (3, 3), (5, 3), (3, 5), (2, 1), (1, 3), (7, 7)]


def factors(m: int, n: int) -> Any:
    k = min(m, n)
    return fn([matrix(m, n)], tuple[matrix(m, k), matrix(k, n)])(lambda a: tuple(linalg.qr(a)))


@pytest.mark.parametrize(("m", "n"), SHAPES)
def test_factors_are_those_of_lapack(m: int, n: int):
    a = random(m, m, n)
    for got, wanted in zip(factors(m, n)(a), np.linalg.qr(a), strict=True):
        close(got, wanted, 1e-13)


@pytest.mark.parametrize("a", [np.zeros((3, 2)), [[1.0, 2], [0, 0], [0, 0]], [[-1.0, 2], [0, 3], [0, 0]]])
def test_columns_of_zeros(a: Any):
    for got, wanted in zip(factors(3, 2)(a), np.linalg.qr(a), strict=True):
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize(("m", "n"), SHAPES[:-1])
def test_derivatives_of_both_modes_to_second_order(m: int, n: int):
    weights = np.random.default_rng(0).normal(size=(m, min(m, n)))

    def body(a: Any) -> Any:
        q, r = linalg.qr(a)
        return rose.sum(weights * rose.sin(q)) + rose.sum(r * r * r)

    derivatives_hold(body, random(m, m, n))


def all_factors(m: int, n: int) -> Any:
    return fn([matrix(m, n)], tuple[matrix(m, m), matrix(m, n)])(lambda a: tuple(linalg.qr(a, mode="complete")))


@pytest.mark.parametrize(("m", "n"), [*SHAPES, (3, 0), (0, 0)])
def test_complete_factors_are_those_of_lapack(m: int, n: int):
    a = random(m, m, n)
    for got, wanted in zip(all_factors(m, n)(a), np.linalg.qr(a, mode="complete"), strict=True):
        close(got, wanted, 1e-13)


@pytest.mark.parametrize(("m", "n"), [(2, 1), (4, 2)])
def test_derivatives_of_complete_factors(m: int, n: int):
    weights = np.random.default_rng(0).normal(size=(m, m))
    derivatives_hold(lambda a: rose.sum(weights * rose.sin(linalg.qr(a, mode="complete").Q)), random(m, m, n))


WITHOUT_A_REFLECTION: list[Any] = [
    [[1.0], [0.0], [0.0]],
    [[1.0, 0.0], [1.0, 3.0], [0.0, 0.0]],  # the second column, after the first reflection
    [[3.0, 1.0], [0.0, 2.0], [0.0, 1.0]],  # the first, but not the second
]


@pytest.mark.parametrize("a", WITHOUT_A_REFLECTION)
def test_the_columns_of_a_complete_factor_have_no_derivative_where_a_column_needs_no_reflection(a: Any):
    f = fn([matrix(3, len(a[0]))], Vec[3])(lambda a: linalg.qr(a, mode="complete").Q[:, 2])
    close(f(a), np.linalg.qr(a, mode="complete").Q[:, 2], 1e-15)
    assert np.isnan(rose.jacrev(f)(a)).all()
    assert np.isnan(rose.jacfwd(f)(a)).all()


@pytest.mark.parametrize("a", [[[1.0, 3.0], [1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [1.0, 3.0], [1.0, 0.0]]])
def test_a_column_of_the_identity_that_needs_its_reflection_has_derivatives(a: Any):
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.qr(a, mode="complete").Q)), np.array(a))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 3), (2, 3), (4, 2), (0, 2)])
def test_the_transposed_factorisation(m: int, n: int):
    k = min(m, n)
    f = fn([matrix(m, n)], tuple[matrix(m, k), matrix(k, n)])(lambda a: tuple(linalg.lq(a)))
    q, r = np.linalg.qr(random(0, m, n).T)
    for got, wanted in zip(f(random(0, m, n)), (r.T, q.T), strict=True):
        close(got, wanted, 1e-13)


def test_derivatives_of_the_transposed_factorisation():
    derivatives_hold(lambda a: rose.sum(rose.sin(linalg.lq(a).L)) + linalg.lq(a).Q[0, 1], random(0, 2, 3))


def test_batches_and_the_triangle_alone():
    a = random(0, 2, 4, 3)
    f = fn([matrix(2, 4, 3)], matrix(2, 3, 3))(lambda a: linalg.qr(a, mode="r"))
    close(f(a), np.linalg.qr(a, mode="r"), 1e-13)
    whole = fn([matrix(2, 4, 3)], matrix(2, 4, 4))(lambda a: linalg.qr(a, mode="complete").Q)
    close(whole(a), np.linalg.qr(a, mode="complete").Q, 1e-13)


def test_numpys_name():
    f = fn([matrix(4, 3)], Vec[3, Vec[3]])(lambda a: np.linalg.qr(a).R)
    close(f(random(0, 4, 3)), np.linalg.qr(random(0, 4, 3)).R, 1e-13)

"""Sums and folds along axes: their order, their kinks, and what they cost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import rose
from rose import Fin, Real, Vec, dim, fn

X = [[1e16, 1.0, -1e16], [3.0, -2.0, 3.0]]


def program(f: Any, result: Any = Real) -> Any:
    return fn([Vec[2, 3]], result)(f)


def test_a_sum_has_one_accumulator_in_the_order_of_indices():
    in_order = 0.0
    for x in [x for row in X for x in row]:
        in_order += x
    assert program(lambda x: np.sum(x))(X) == in_order
    assert list(program(lambda x: x.sum(axis=0), Vec[3])(X)) == [X[0][k] + X[1][k] for k in range(3)]


def test_at_a_tie_each_has_half_of_the_derivative():
    slopes = rose.grad(program(lambda x: np.max(x, axis=1)[1]))(X)
    assert slopes.tolist() == [[0.0, 0.0, 0.0], [0.5, 0.0, 0.5]]


def test_at_a_tie_of_several_the_last_has_half_and_all_have_1():
    for of in (np.max, np.min):
        assert rose.grad(fn([Vec[4]], Real)(lambda x, of=of: of(x)))([3.0] * 4).tolist() == [0.125, 0.125, 0.25, 0.5]
    assert rose.grad(fn([Vec[3]], Real)(lambda x: rose.cummax(x)[2]))([1.0] * 3).tolist() == [0.25, 0.25, 0.5]


def test_the_derivatives_of_a_deviation_of_equal_numbers_are_0():
    f = program(lambda x: x.std(axis=0) @ x[0])
    assert not rose.grad(f)([[1.0, 2.0, 3.0]] * 2).any()


def test_the_place_of_the_largest_is_an_index():
    f = program(lambda x: x[0, x.argmax(axis=1)[0]] + x[1, rose.argmin(x[1])])
    assert f(X) == 1e16 - 2.0
    assert fn([Vec[3]], Fin[3])(lambda x: rose.argmax(x))([1.0, np.nan, np.nan]) == 1


def test_a_list_of_vectors_is_added_up_as_items_and_along_axes_as_an_array():
    assert list(program(lambda x: rose.sum([x[0], x[1]]), Vec[3])(X)) == [1e16 + 3.0, -1.0, -1e16 + 3.0]
    assert program(lambda x: rose.sum([x[0], x[1]], axis=1)[1])(X) == 4.0


def test_an_array_of_numpys_is_reduced_by_numpys_axes():
    table = np.arange(6.0).reshape(2, 3)
    assert program(lambda x: rose.max(table) + rose.sum(table) + 0.0 * x[0, 0])(X) == 20.0


def test_a_size_that_may_be_0_has_no_largest_element():
    n = dim("n")
    f = fn([Vec[n]], Real)(lambda x: np.max(x, axis=0))
    with pytest.raises(rose.OutOfRange, match="one module serves all sizes"):
        rose.compile(f, dynamic=True)
    g = fn([Vec[n]], Real)(lambda x: np.max(x, axis=0, initial=0.0))
    assert rose.compile(g, dynamic=True)([-1.0, 2.0]) == 2.0


@pytest.mark.parametrize("f", [lambda x: np.sum(x), lambda x: x.mean(axis=1)[1], lambda x: rose.softmax(x)[0, 1]])
def test_eager_evaluation_gives_the_same_bits(f: Any):
    g = program(f)
    with rose.eager():
        now = g(X)
    assert now == g(X)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("named", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}], ids=str)
def test_a_logarithm_of_a_sum_with_weights_is_scipys(named: Any):
    x, b = np.array([[1.0, 800.0, -np.inf], [0.5, -1.0, 3.0]]), np.array([[1.0, 0.0, 2.0], [0.5, 3.0, 0.25]])
    want = np.asarray(special.logsumexp(x, b=b, **named))
    f = fn([Vec[2, 3], Vec[2, 3]], Vec[want.shape] if want.ndim else Real)(lambda x, b: rose.logsumexp(x, b=b, **named))
    np.testing.assert_allclose(f(x, b), want, rtol=1e-13)


def test_derivatives_of_a_logarithm_of_a_sum_with_weights():
    f = fn([Vec[3], Vec[3]], Real)(lambda x, b: rose.logsumexp(x, b=b * b + 0.5) ** 2)
    for g in (f, fn([Vec[3], Vec[3]], Vec[3])(rose.grad(f, 0))):
        report = rose.testing.examine(g, points=1)
        assert report.ok, report

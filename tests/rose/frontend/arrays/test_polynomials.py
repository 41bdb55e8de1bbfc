"""Polynomials by their coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree, differentiate

import rose
from rose import Real, TypeMismatch, Vec, dim, fn


def test_a_polynomial_of_coefficients_that_are_known_is_differentiated_in_its_variable():
    f = fn([Real], Real)(lambda x: rose.polyval([2.0, 0.0, -3.0, 1.0], x))
    assert [f(2.0), rose.grad(f)(2.0), rose.grad(rose.grad(f))(2.0)] == [11.0, 21.0, 24.0]


def test_a_polynomial_of_any_number_of_coefficients_is_one_loop():
    n = dim("n")
    f = fn([Vec[n], Real], Real)(rose.polyval)
    module = rose.compile(rose.grad(f), dynamic=True)
    for k in (0, 1, 5):
        assert np.array_equal(module(np.ones(k), 2.0), np.vander([2.0], k)[0])


def test_rows_of_coefficients_are_those_of_several_polynomials():
    p, x = np.arange(6.0).reshape(3, 2), np.array([2.0, -1.0])
    of: Any = np.polyval
    agree(of, of, [p, x], rtol=1e-15)
    agree(of, of, [p, x[0]], rtol=1e-15)
    differentiate(of, (3, 2), (2,))
    n = dim("n")
    with pytest.raises(TypeMismatch, match="takes a number of them that is known, not n") as e:
        rose.compile(fn([Vec[n, Vec[2]], Real], Vec[2])(np.polyval), dynamic=True)
    assert e.value.hint == "call it on each column: rose.polyval(p[:, j], x)"


def test_vandermondes_matrix_of_several_columns_than_numbers():
    f = fn([Vec[2]], Vec[2, 0])(lambda x: rose.vander(x, 0))
    assert np.shape(f([1.0, 2.0])) == (2, 0)


@pytest.mark.parametrize(
    "text",
    ["np.polyder(x)", "np.polyder(x, 2)", "np.polyint(x)", "np.polyint(x, 2, [3.0, 1.0])", "np.polyadd(x, y)",
     "np.polysub(y, x)", "np.polymul(x, y)", "np.polyint(x, k=2.0)"],
)  # fmt: skip
def test_coefficients_of_sums_products_and_derivatives_are_numpys(text: str):
    of: Any = lambda x, y: eval(text, {"np": np, "x": x, "y": y})
    agree(of, of, [np.array([1.5, -2.0, 0.5, 3.0]), np.array([2.0, -1.0])], rtol=1e-15)
    differentiate(of, (3,), (2,))

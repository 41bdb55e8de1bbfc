"""Products of several matrices, and equations with arrays of more axes, beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import differentiate

import rose
from rose import OutOfRange, Real, TypeMismatch, Vec, dim, fn

PRODUCTS = [
    [(3, 2), (2, 4)],
    [(3, 2), (2, 4), (4, 1)],
    [(2,), (2, 4), (4, 3), (3,)],
    [(5, 2), (2, 6), (6, 1), (1, 4), (4, 2)],
    [(2,), (2,)],
    [(0, 2), (2, 3), (3, 2)],
]


@pytest.mark.parametrize("shapes", PRODUCTS, ids=str)
def test_a_product_is_numpys(shapes: Any):
    rng = np.random.default_rng(0)
    xs = [rng.normal(size=s) for s in shapes]
    want = np.asarray(np.linalg.multi_dot(xs))
    f = fn([Vec[s] for s in shapes], Vec[want.shape] if want.ndim else Real)(lambda *xs: np.linalg.multi_dot(xs))
    np.testing.assert_allclose(f(*xs), want, rtol=1e-13)
    with rose.eager():
        np.testing.assert_allclose(f(*xs), want, rtol=1e-13)


def test_the_order_is_that_of_the_fewest_multiplications():
    n = 40
    f = fn([Vec[n, n], Vec[n, n], Vec[n]], Vec[n])(lambda a, b, x: rose.linalg.multi_dot([a, b, x]))
    g = fn([Vec[n, n], Vec[n, n], Vec[n]], Vec[n])(lambda a, b, x: a @ (b @ x))
    assert rose.compile(f).wasm == rose.compile(g).wasm or len(rose.compile(f).wasm) == len(rose.compile(g).wasm)


def test_sizes_that_a_call_decides_are_multiplied_from_the_left():
    n = dim("n")
    f = rose.compile(fn([Vec[n, n], Vec[n, n], Vec[n]], Vec[n])(lambda *xs: rose.linalg.multi_dot(xs)), dynamic=True)
    a, b, x = np.eye(3), np.diag([1.0, 2.0, 3.0]), np.ones(3)
    assert f(a, b, x).tolist() == [1.0, 2.0, 3.0]


EQUATIONS: list[tuple[Any, Any, dict[str, Any]]] = [
    ((2, 3, 6), (2, 3), {}),
    ((6, 2, 3), (6,), {}),
    ((2, 3, 2, 3), (2, 3), {}),
    ((3, 6, 2), (6,), {"axes": (0,)}),
]


@pytest.mark.parametrize(("a", "b", "named"), EQUATIONS, ids=str)
def test_equations_of_arrays_are_numpys(a: Any, b: Any, named: Any):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=a), rng.normal(size=b)
    if named:
        b = (6,)
    want = np.linalg.tensorsolve(x, y, **named)
    f = fn([Vec[a], Vec[b]], Vec[want.shape])(lambda x, y: np.linalg.tensorsolve(x, y, **named))
    np.testing.assert_allclose(f(x, y), want, rtol=1e-11)


@pytest.mark.parametrize(("shape", "ind"), [((4, 6, 8, 3), 2), ((6, 2, 3), 1), ((2, 2), 1)])
def test_an_inverse_of_arrays_is_numpys(shape: Any, ind: int):
    x = np.random.default_rng(2).normal(size=shape)
    want = np.linalg.tensorinv(x, ind)
    f = fn([Vec[shape]], Vec[want.shape])(lambda x: np.linalg.tensorinv(x, ind))
    np.testing.assert_allclose(f(x), want, rtol=1e-9, atol=1e-9)


def test_derivatives_in_both_modes_and_twice():
    differentiate(lambda x, y: np.linalg.multi_dot([x, y, x]), (2, 3), (3, 2))
    differentiate(
        lambda x, y: np.linalg.tensorsolve(x.reshape(2, 2, 2, 2) + np.eye(4).reshape(2, 2, 2, 2), y), (4, 4), (2, 2)
    )


WRONG: list[tuple[Any, Any, str]] = [
    (lambda x: rose.linalg.multi_dot([x]), TypeMismatch, "takes two matrices or more"),
    (lambda x: rose.linalg.multi_dot([x, x[0], x]), TypeMismatch, "not arrays of the shapes"),
    (lambda x: rose.linalg.tensorinv(x, 0), OutOfRange, "no ind 0"),
    (lambda x: rose.linalg.tensorinv(x[:1], 1), TypeMismatch, "as many elements as the others"),
]


@pytest.mark.parametrize(("of", "error", "words"), WRONG)
def test_what_is_no_product_is_an_error(of: Any, error: Any, words: str):
    with pytest.raises(error, match=words):
        _ = fn([Vec[2, 2]], Real)(of).func

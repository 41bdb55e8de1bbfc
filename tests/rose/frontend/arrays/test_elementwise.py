"""Functions of scalars, for each element of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Fin, Real, TypeMismatch, Vec, fn
from rose.frontend.arrays.elementwise import each
from rose.frontend.arrays.shapes import array_type


def given(shape: tuple[int, ...], k: int) -> Any:
    return np.random.default_rng(k).normal(size=shape)


@pytest.mark.parametrize(
    ("left", "right"),
    [((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((0,), (1,)), ((1, 1), (2, 2)), ((2, 1), (3, 1, 1))],
)
def test_operands_are_broadcast(left: tuple[int, ...], right: tuple[int, ...]):
    x, y = given(left, 1), given(right, 2)
    f = fn([array_type(left, Real), array_type(right, Real)], array_type((x * y).shape, Real))(
        lambda x, y: each(lambda a, b: a * b, x, y)
    )
    assert np.array_equal(np.reshape(f(x, y), (x * y).shape), x * y)


def test_lists_and_arrays_of_numpys_are_operands_on_either_side():
    table = np.array([1.0, 2.0, 3.0])
    f = fn([Vec[3]], Vec[3])(lambda x: [1, 2, 3] * x + table - table / x)
    x = np.array([0.5, 1.5, -2.0])
    assert np.array_equal(f(x), [1, 2, 3] * x + table - table / x)


def test_indices_and_conditions_are_leaves():
    f = fn([Vec[3, Fin[4]], Vec[3, Bool]], Vec[3])(lambda i, c: rose.where(c & (i != 2), i + 1, 0) * 2 - 1)
    assert list(f([0, 2, 3], [True, True, False])) == [1.0, -1.0, -1.0]


MASKS = """m==(x>0) m!=(x>0) (x>0)^m (x>0)==True m==1 m!=x m<(x>0) (x>0)<=m m>0.5 m>=x m&True ~m x*m m+1.5 m/2 m-x 1-m
    (m+(x>0))*x (m*(x>0))*x m/(x>0) x**m 2.0**m m**2*x m%2*x abs(m)*x np.equal(m,x>0) np.logical_xor(m,x>0)
    np.sqrt(m) np.hypot(m,x) np.arctan2(x,m) np.maximum(m,x) np.clip(m,0.25,0.5) np.square(m)*x np.dot(m,x[0])
    x@m (x>0)@x[0] np.einsum('ij,j->i',x,m) np.outer(m,x) np.inner(x,m) np.tensordot(x>0,x) np.kron(m,x[0])
    np.convolve(m,x[0]) np.sum(m*x) np.mean(m) np.cumsum(m)*x np.where(m,m*x,x)"""


@pytest.mark.parametrize("text", MASKS.split())
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_conditions_count_as_numpys_do(text: str):
    of: Any = lambda x, m: eval(text, {"np": np, "x": x, "m": m})
    x, m = np.array([[1.0, -2.0, 3.5], [0.5, -1.0, 0.0]]), np.array([True, False, True])
    want = np.asarray(of(x, m))
    f = fn([Vec[2, 3], Vec[3, Bool]], array_type(want.shape, Bool if want.dtype == bool else Real))(of)
    assert np.allclose(np.asarray(f(x, m), float), want, rtol=1e-14, equal_nan=True)


def test_a_condition_is_a_constant_to_a_derivative_and_a_number_beside_it_is_not():
    f = fn([Vec[3]], Real)(lambda x: rose.sum(np.exp(x > 1.0) * x**2 + (x > 1.0) @ x))
    x = np.array([0.5, 2.0, 3.0])
    want = np.exp(1.0 * (x > 1.0)) * 2.0 * x + 3.0 * (x > 1.0)
    assert rose.grad(f)(x).tolist() == pytest.approx(want.tolist(), rel=1e-15)
    assert np.diag(rose.hessian(f)(x)).tolist() == pytest.approx((2.0 * np.exp(1.0 * (x > 1.0))).tolist(), rel=1e-15)


@pytest.mark.parametrize("f", [lambda c: c - c, lambda c: c @ c, lambda c: np.outer(c, c), lambda c: np.exp(c[0])])
def test_what_numpy_makes_no_number_of_is_an_error(f: Any):
    with pytest.raises(TypeMismatch, match="Bool"):
        _ = fn([Vec[2, Bool]], Real)(f).func


def test_a_vector_of_structs_has_no_arithmetic():
    with pytest.raises(TypeMismatch, match="its elements are structs or tuples"):
        _ = fn([Vec[2, tuple[Real, Real]]], Real)(lambda v: (v + v)[0]).func


def test_tangents_are_elements_of_a_derivative_rule():
    square = fn([Vec[3]], Vec[3])(lambda x: x * x)
    square.jvp(lambda x: rose.Dual(x.re * x.re, 3.0 * x.re * x.du))
    f = fn([Vec[3]], Real)(lambda x: rose.sum(square(x)))
    assert list(rose.grad(f)([1.0, 2.0, 3.0])) == [3.0, 6.0, 9.0]

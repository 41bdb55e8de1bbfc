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


def test_a_vector_of_structs_has_no_arithmetic():
    with pytest.raises(TypeMismatch, match="its elements are structs or tuples"):
        _ = fn([Vec[2, tuple[Real, Real]]], Real)(lambda v: (v + v)[0]).func


def test_tangents_are_elements_of_a_derivative_rule():
    square = fn([Vec[3]], Vec[3])(lambda x: x * x)
    square.jvp(lambda x: rose.Dual(x.re * x.re, 3.0 * x.re * x.du))
    f = fn([Vec[3]], Real)(lambda x: rose.sum(square(x)))
    assert list(rose.grad(f)([1.0, 2.0, 3.0])) == [3.0, 6.0, 9.0]

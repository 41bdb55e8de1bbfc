"""The methods of NumPy's ufuncs; `test_ufuncs` compares each with NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Fin, Real, TypeMismatch, Vec, fn, grad


def test_they_are_differentiated_twice():
    f = fn([Vec[3]], Real)(lambda x: np.add.reduce(np.multiply.accumulate(x)))
    assert grad(f)([2.0, 3.0, 5.0]).tolist() == [1.0 + 3.0 + 15.0, 2.0 + 10.0, 6.0]
    assert rose.hessian(f)([2.0, 3.0, 5.0]).tolist() == [[0.0, 6.0, 3.0], [6.0, 0.0, 2.0], [3.0, 2.0, 0.0]]


def test_an_outer_difference_of_indices_and_of_nothing():
    f = fn([Vec[2, Fin[3]], Vec[0]], Vec[2, 0])(lambda i, x: np.multiply.outer(i, x))
    assert np.shape(f([0, 2], [])) == (2, 0)


def test_a_method_that_changes_an_array_says_what_makes_a_new_one():
    def body(x: Any) -> Any:
        np.add.at(x, [0, 0], 1.0)
        return x

    with pytest.raises(TypeMismatch, match=r"add\.at does not take a traced") as e:
        _ = fn([Vec[3]], Vec[3])(body).func
    assert e.value.hint == "write x = x.at[i].add(y), or .mul, .min, .max, .set: it makes a new array"

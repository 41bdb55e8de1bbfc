"""Running sums and folds, and differences."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Vec, fn


def test_a_running_sum_and_its_differences_are_each_others_inverse():
    f = fn([Vec[2, 4]], Vec[2, 3])(lambda x: np.diff(np.cumsum(x, axis=1)))
    x = [[1.0, 2.0, 4.0, 8.0], [3.0, 5.0, 7.0, 11.0]]
    assert f(x).tolist() == [row[1:] for row in x]


def test_the_gradient_of_a_running_product_goes_through_zeros():
    f = fn([Vec[3]], rose.Real)(lambda x: rose.cumprod(x)[2])
    assert rose.grad(f)([2.0, 0.0, 3.0]).tolist() == [0.0, 6.0, 0.0]


def test_differences_are_taken_a_whole_number_of_times():
    with pytest.raises(rose.TypeMismatch, match="a number of times, not"):
        _ = fn([Vec[3]], Vec[3])(lambda x: rose.diff(x, n=0.5)).func

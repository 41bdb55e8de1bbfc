"""The order of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, dim, fn


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 9, 64, 100])
def test_a_vector_of_each_length_is_sorted_and_equal_ones_stay(n: int):
    x = np.round(np.random.default_rng(n).normal(size=n) * 4)
    x[3::7] = math.nan
    of: Callable[[Any], Any] = lambda x: rose.argsort(x) * 1.0
    f = fn([Vec[n]], Vec[n])(of)
    assert f(x).tolist() == np.argsort(x, kind="stable").tolist()


@pytest.mark.parametrize("n", [1, 2, 5, 33])
def test_a_size_that_a_call_decides_is_sorted(n: int):
    k = dim("k")
    f = rose.compile(fn([Vec[k]], Vec[k])(rose.sort), dynamic=True)
    x = np.random.default_rng(n).normal(size=n)
    assert f(x).tolist() == np.sort(x).tolist()


def test_the_gradient_of_what_is_sorted_goes_where_it_came_from():
    of: Callable[[Any], Any] = lambda x: rose.dot(rose.sort(x), [1.0, 2.0, 4.0])
    f = fn([Vec[3]], Real)(of)
    assert rose.grad(f)([5.0, -1.0, 3.0]).tolist() == [4.0, 1.0, 2.0]

"""Dynamic sizes that a call determines."""

import numpy as np
import pytest

import rose
from rose import Real, TypeMismatch, Vec

n, m = rose.dim("n"), rose.dim("m")


@rose.fn
def product(a: Vec[n, Vec[m]], v: Vec[m]) -> Real:  # pyright: ignore
    return rose.sum(rose.dot(a[i], v) for i in rose.range(n))


def test_sizes_are_the_lengths_of_lists_and_arrays():
    assert product([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [1.0, 1.0]) == 21.0
    assert product(np.ones((2, 3)), np.ones(3)) == 6.0


def test_one_size_cannot_have_two_values():
    with pytest.raises(TypeMismatch, match="m"):
        product([[1.0, 2.0]], [1.0, 1.0, 1.0])


def test_a_vector_cannot_be_a_number():
    with pytest.raises(TypeMismatch, match="v"):
        product([[1.0, 2.0]], 1.0)

"""Norms along axes."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Vec, fn


def test_the_derivatives_of_norms_of_zeros_are_0():
    f = fn([Vec[2, 3]], Vec[2])(lambda x: np.linalg.norm(x, axis=1))
    assert not np.asarray(rose.jacobian(f)(np.zeros((2, 3)))).any()


@pytest.mark.parametrize("axis", [(0, 1), (1, 0)])
def test_a_matrix_norm_tells_rows_from_columns(axis: tuple[int, int]):
    x = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]])
    f = fn([Vec[2, 3]], rose.Real)(lambda x: np.linalg.norm(x, 1, axis))
    assert f(x) == np.linalg.norm(x, 1, axis)

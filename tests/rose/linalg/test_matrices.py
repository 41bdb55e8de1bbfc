"""Batches: leading axes, which are broadcast; functions of several results."""

from __future__ import annotations

import numpy as np
import pytest
from matrices import close, matrix, random

import rose
from rose import Real, Vec, fn, linalg
from rose.linalg import matrices


@pytest.mark.parametrize(
    ("left", "right"), [((2,), (2,)), ((2,), (1,)), ((1,), (3,)), ((2, 3), (3,)), ((), (2,)), ((0,), ())]
)
def test_leading_axes_are_broadcast(left: tuple[int, ...], right: tuple[int, ...]):
    a, b = random(0, *left, 3, 3), np.random.default_rng(1).normal(size=(*right, 3, 2))
    shape = np.broadcast_shapes(left, right)
    f = fn([matrix(*a.shape), matrix(*b.shape)], matrix(*shape, 3, 2))(linalg.solve)
    close(f(a, b), np.linalg.solve(a, b), 1e-12)


def test_a_matrix_of_entries():
    f = fn([Real], Vec[2, Vec[3]])(lambda x: matrices.filled(2, 3, lambda i, j: x * i + j))
    assert f(10.0).tolist() == [[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]]


def test_lists_and_arrays_of_numpys_are_matrices():
    assert fn([Real], Real)(lambda x: linalg.det([[x, 1.0], [2.0, x]]))(3.0) == 7.0
    assert fn([Real], Real)(lambda x: x * linalg.det(np.diag([1.0, 2.0])))(3.0) == 6.0
    assert rose.fn([Real], Real)(lambda x: linalg.solve(np.diag([1.0, 2.0]), [x, x])[1])(3.0) == 1.5

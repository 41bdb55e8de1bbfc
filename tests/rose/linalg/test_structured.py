"""Matrices made of others: SciPy's values, sizes of 0, batches, derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import derivatives_hold, matrix, random

import rose
from rose import Real, Vec, fn, linalg

N = rose.dim("n")


@pytest.mark.parametrize("shapes", [[(2, 2)], [(2, 3), (1, 1), (3, 2)], [(0, 2), (2, 1)], [(2, 0), (0, 0)]])
def test_block_diagonals_are_scipys(shapes: list[tuple[int, int]]):
    blocks = [np.random.default_rng(k).normal(size=shape) for k, shape in enumerate(shapes)]
    wanted = scipy.linalg.block_diag(*blocks)
    f = fn([matrix(*shape) for shape in shapes], matrix(*wanted.shape))(linalg.block_diag)
    assert np.array_equal(f(*blocks), wanted)


def test_vectors_and_numbers_are_blocks_of_one_row():
    f = fn([Real, Vec[2]], matrix(3, 5))(lambda x, v: linalg.block_diag(x, v, [[1.0, 2.0]]))
    assert np.array_equal(f(3.0, [4.0, 5.0]), scipy.linalg.block_diag(3.0, [4.0, 5.0], [[1.0, 2.0]]))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (3, 3), (2, 4), (4, 2), (3, 0), (0, 2), (1, 3)])
def test_toeplitz_matrices_are_scipys(m: int, n: int):
    c, r = np.arange(1.0, m + 1), -np.arange(1.0, n + 1)
    f = fn([Vec[m], Vec[n]], matrix(m, n))(linalg.toeplitz)
    assert np.array_equal(f(c, r), scipy.linalg.toeplitz(c, r).reshape(m, n))


def test_batches_and_any_size():
    c = random(0, 2, 3)
    f = fn([matrix(2, 3)], matrix(2, 3, 3))(linalg.toeplitz)
    assert np.array_equal(f(c), [scipy.linalg.toeplitz(row) for row in c])
    blocks = fn([matrix(2, 1, 3), matrix(2, 2)], matrix(2, 3, 5))(linalg.block_diag)
    assert np.array_equal(blocks(c[:, None], c[:, :2])[1], scipy.linalg.block_diag(c[1:], c[:, :2]))
    module = rose.compile(fn([Vec[N]], Vec[N, Vec[N]])(linalg.toeplitz), dynamic=True)
    for n in (0, 1, 4):
        assert np.array_equal(module(np.arange(1.0 * n)), scipy.linalg.toeplitz(np.arange(1.0 * n)).reshape(n, n))


BODIES: dict[str, Any] = {
    "block_diag": lambda a: rose.sum(rose.sin(linalg.block_diag(a, a[0], a[0, 0]) * 2.0)),
    "toeplitz": lambda a: rose.sum(rose.sin(linalg.toeplitz(a[0], a[1]) * linalg.toeplitz(a[1]))),
}


@pytest.mark.parametrize("name", BODIES)
def test_derivatives_of_both_modes_to_second_order(name: str):
    derivatives_hold(BODIES[name], random(0, 2, 2))

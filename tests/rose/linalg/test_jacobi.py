"""Jacobi's rotations: rounds that meet each pair once, and rotations that make a product 0."""

from __future__ import annotations

import math

import pytest

from rose import Real, fn
from rose.linalg import jacobi


@pytest.mark.parametrize("n", range(1, 9))
def test_a_sweep_meets_each_pair_once(n: int):
    met: list[frozenset[int]] = []
    for r in range(n):
        partners = [jacobi.partner(r, i, n) for i in range(n)]
        assert [partners[j] for j in partners] == list(range(n))
        met += [frozenset((i, j)) for i, j in enumerate(partners) if i < j]
    assert len(met) == len(set(met)) == n * (n - 1) // 2


@pytest.mark.parametrize(
    ("first", "second", "both"), [(1.0, 2.0, 0.5), (2.0, 1.0, -0.5), (1.0, 1.0, 1.0), (3.0, 1.0, 0.0)]
)
def test_a_rotation_makes_the_product_of_its_rows_0(first: float, second: float, both: float):
    turn = fn([Real, Real, Real], tuple[Real, Real])(lambda x, y, z: jacobi.turn(0, 1, x, y, z))
    back = fn([Real, Real, Real], tuple[Real, Real])(lambda x, y, z: jacobi.turn(1, 0, x, y, z))
    (c, s), (d, t) = turn(first, second, both), back(second, first, both)
    assert c * d * both + c * t * first + s * d * second + s * t * both == pytest.approx(0.0, abs=1e-15)
    assert math.hypot(c, s) == pytest.approx(1.0) and abs(s) <= c * (1 + 1e-15)

"""Equations with few or constant diagonals: against SciPy, derivatives against those with all elements, degenerate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from costs import cost
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import Real, Vec, fn, linalg
from rose.optimise.pipeline import optimised

WIDTHS = [(1, 1, 5), (2, 1, 6), (0, 2, 4), (1, 0, 4), (0, 0, 3), (3, 2, 2), (1, 1, 1), (2, 3, 9)]


def banded(l: int, u: int, ab: Any) -> Any:
    """All elements of a matrix, by its diagonals."""
    n = ab.shape[1]
    return np.array([[ab[u + i - j, j] if -u <= i - j <= l else 0.0 for j in range(n)] for i in range(n)])


def solver(l: int, u: int, n: int, *more: int) -> Any:
    types: Any = [matrix(l + u + 1, n), matrix(n, *more)]
    return fn(types, matrix(n, *more))(lambda ab, b: linalg.solve_banded((l, u), ab, b))


@pytest.mark.parametrize(("l", "u", "n"), WIDTHS)
def test_few_diagonals_as_with_all_elements(l: int, u: int, n: int):
    ab, b = np.random.default_rng(n).normal(size=(l + u + 1, n)), random(1, n, 2)
    wanted = np.linalg.solve(banded(l, u, ab), b)
    close(solver(l, u, n, 2)(ab, b), wanted, 1e-12)
    close(solver(l, u, n)(ab, b[:, 0]), wanted[:, 0], 1e-12)


def test_rows_are_exchanged_as_in_lapack():
    ab = np.array([[0.0, 0.0, 1.0, 2.0], [0.0, 3.0, 4.0, 1.0], [1e-20, 1.0, 0.0, 5.0], [2.0, 1.0, 7.0, 0.0]])
    b = np.array([1.0, 2.0, 3.0, 4.0])
    close(solver(1, 2, 4)(ab, b), scipy.linalg.solve_banded((1, 2), ab, b), 1e-14)


@pytest.mark.parametrize(("l", "u", "n"), [(1, 1, 3), (2, 0, 3), (0, 1, 3)])
def test_derivatives_by_the_diagonals_and_the_right_side_together(l: int, u: int, n: int):
    count = (l + u + 1) * n
    z = np.random.default_rng(1).normal(size=count + n) + 2.0 * (np.arange(count + n) // n == u)

    def body(z: Any) -> Any:
        return rose.sum(rose.sin(linalg.solve_banded((l, u), z[:count].reshape((l + u + 1, n)), z[count:])))

    derivatives_hold(body, z)


def test_three_diagonals():
    a, b, c, y = random(0, 1, 3)[0], random(1, 1, 4)[0], random(2, 1, 3)[0], random(3, 4, 2)
    f = fn([Vec[3], Vec[4], Vec[3], Vec[4, 2]], Vec[4, 2])(linalg.solve_tridiagonal)
    close(f(a, b, c, y), np.linalg.solve(np.diag(a, -1) + np.diag(b) + np.diag(c, 1), y), 1e-13)
    derivatives_hold(lambda b: rose.sum(rose.sin(linalg.solve_tridiagonal(a, b, c, b))), b)


def test_constant_diagonals_as_in_scipy():
    c, r, y = np.array([4.0, 1.0, -0.5, 0.3]), np.array([9.0, -2.0, 0.7, 0.1]), random(0, 4, 2)
    f = fn([Vec[4], Vec[4], Vec[4, 2]], Vec[4, 2])(lambda c, r, y: linalg.solve_toeplitz((c, r), y))
    close(f(c, r, y), scipy.linalg.solve_toeplitz((c, r), y), 1e-14)
    close(
        fn([Vec[4], Vec[4]], Vec[4])(linalg.solve_toeplitz)(c, y[:, 0]), scipy.linalg.solve_toeplitz(c, y[:, 0]), 1e-14
    )
    derivatives_hold(lambda c: rose.sum(rose.sin(linalg.solve_toeplitz((c, r), y))), c)
    derivatives_hold(lambda r: rose.sum(rose.sin(linalg.solve_toeplitz((c, r), r * r))), r)


def test_batches_any_size_and_none():
    n = rose.dim("n")
    f = fn([Vec[3, Vec[n]], Vec[n]], Vec[n])(lambda ab, b: linalg.solve_banded((1, 1), ab, b))
    g = fn([Vec[n], Vec[n]], Vec[n])(linalg.solve_toeplitz)
    module = rose.compile({"f": f, "g": g}, dynamic=True)
    for size in (0, 1, 6):
        ab, b = np.random.default_rng(size).normal(size=(3, size)), np.ones(size)
        ab[1] += 3.0
        close(module.f(ab, b), np.linalg.solve(banded(1, 1, ab), b) if size else [], 1e-13)
        c = 0.3 ** np.arange(size)
        close(module.g(c, b), scipy.linalg.solve_toeplitz(c, b) if size else [], 1e-13)
    ab, b = np.random.default_rng(0).normal(size=(2, 3, 4)), random(1, 1, 4)[0]
    batch = fn([Vec[2, 3, 4], Vec[4]], Vec[2, 4])(lambda ab, b: linalg.solve_banded((1, 1), ab, b))
    close(batch(ab, b), [np.linalg.solve(banded(1, 1, x), b) for x in ab], 1e-12)


def test_a_singular_matrix_gives_no_number():
    assert not np.isfinite(solver(1, 1, 2)([[0.0, 2.0], [1.0, 4.0], [2.0, 0.0]], [1.0, 0.0])).any()
    assert not np.isfinite(fn([Vec[2]], Vec[2])(lambda c: linalg.solve_toeplitz(c, [1.0, 0.0]))([1.0, 1.0])).any()


def test_the_time_of_few_diagonals_and_of_their_gradient_is_linear():
    costs: list[float] = []
    for n in (20, 40):
        f = fn([matrix(3, n)], Real)(lambda ab: rose.sum(linalg.solve_banded((1, 1), ab, ab[0])))
        made = optimised({"g": rose.grad(f).func})
        costs.append(cost(made["g"], (np.random.default_rng(0).normal(size=(3, n)) + 2.0).tolist()))
    assert costs[1] < 2.2 * costs[0]

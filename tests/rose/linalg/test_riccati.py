"""Riccati's equations: SciPy's values, what they leave, derivatives, what has no solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import close, derivatives_hold, matrix, positive

import rose
from rose import fn, linalg

NAMES = ["solve_continuous_are", "solve_discrete_are"]


def problem(n: int, m: int, seed: int = 0) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, n)), rng.normal(size=(n, m)), positive(seed, n), positive(seed + 1, m)


def solver(name: str, n: int, m: int) -> Any:
    return fn([matrix(n, n), matrix(n, m), matrix(n, n), matrix(m, m)], matrix(n, n))(getattr(linalg, name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (3, 2), (4, 4), (6, 3)])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 3.0])
def test_solutions_are_scipys(name: str, n: int, m: int, scale: float):
    a, b, q, r = problem(n, m, n)
    wanted = getattr(scipy.linalg, name)(scale * a, b, q, r)
    close(solver(name, n, m)(scale * a, b, q, r) / np.abs(wanted).max(), wanted / np.abs(wanted).max(), 1e-9)


def test_a_mass_that_is_pushed():
    """The double integrator: its solution is known."""
    a, b = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    root = np.sqrt(3.0)
    close(solver(NAMES[0], 2, 1)(a, b, np.eye(2), np.eye(1)), [[root, 1.0], [1.0, root]], 1e-14)


def test_of_no_rows():
    for name in NAMES:
        assert solver(name, 0, 1)(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((0, 0)), [[1.0]]).size == 0


@pytest.mark.parametrize("name", NAMES)
def test_without_a_stabilising_solution_it_is_nan(name: str):
    a = np.diag([2.0, 0.5])
    got = solver(name, 2, 1)(a, np.zeros((2, 1)), np.eye(2), np.eye(1))
    assert np.isnan(got).all()


A, B, COSTS, R = problem(2, 1)
BODIES: dict[str, Any] = {
    "the plant": (lambda solve: lambda x: rose.sum(rose.sin(solve(x, B, COSTS, R))), A),
    "the input": (lambda solve: lambda x: rose.sum(rose.sin(solve(A, x, COSTS, R))), B),
    "the costs": (lambda solve: lambda x: rose.sum(rose.sin(solve(A, B, x, R))), COSTS),
    "the costs of control": (lambda solve: lambda x: rose.sum(rose.sin(solve(A, B, COSTS, x))), R),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("of", BODIES)
def test_derivatives_of_both_modes_to_second_order(name: str, of: str):
    body, at = BODIES[of]
    derivatives_hold(body(getattr(linalg, name)), at)


@pytest.mark.parametrize("name", NAMES)
def test_batches(name: str):
    a, b, q, r = problem(2, 1)
    f = fn([matrix(3, 2, 2), matrix(2, 1), matrix(2, 2), matrix(1, 1)], matrix(3, 2, 2))(getattr(linalg, name))
    wanted = [getattr(scipy.linalg, name)(k * a, b, q, r) for k in (0.5, 1.0, 2.0)]
    close(f([0.5 * a, a, 2.0 * a], b, q, r), wanted, 1e-10)

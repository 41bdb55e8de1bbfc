"""Equations of Sylvester and Lyapunov: SciPy's values, derivatives, what has no solution, sizes and batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import close, derivatives_hold, matrix, positive, random

import rose
from rose import Vec, fn, linalg
from rose.linalg import lyapunov


@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 3), (4, 2), (5, 5), (0, 2)])
def test_sylvesters_equation_is_scipys(m: int, n: int):
    a, b, q = random(m, m, m), random(n, n, n), np.random.default_rng(0).normal(size=(m, n))
    f = fn([matrix(m, m), matrix(n, n), matrix(m, n)], matrix(m, n))(linalg.solve_sylvester)
    close(f(a, b, q), scipy.linalg.solve_sylvester(a, b, q) if m else q, 1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("name", ["solve_lyapunov", "solve_continuous_lyapunov", "solve_discrete_lyapunov"])
def test_lyapunovs_equations_are_scipys(name: str, n: int):
    a, q = 0.3 * random(n, n, n), random(n + 1, n, n)
    f = fn([matrix(n, n), matrix(n, n)], matrix(n, n))(getattr(linalg, name))
    close(f(a, q), getattr(scipy.linalg, name)(a, q) if n else q, 1e-12)


Q, TURN = random(7, 2, 2), np.array([[0.1, -1.0], [1.0, -0.1]])
BODIES: dict[str, Any] = {
    "sylvester": lambda a: rose.sum(rose.sin(linalg.solve_sylvester(a, a * a, a[::-1]))),
    "lyapunov": lambda a: rose.sum(rose.sin(linalg.solve_lyapunov(a, Q))),
    "discrete": lambda a: rose.sum(rose.sin(linalg.solve_discrete_lyapunov(0.2 * a, a))),
}


@pytest.mark.parametrize("name", BODIES)
def test_derivatives_of_both_modes_to_second_order(name: str):
    derivatives_hold(BODIES[name], random(0, 2, 2))


def test_what_has_no_solution():
    f = fn([matrix(2, 2), matrix(2, 2)], matrix(2, 2))(linalg.solve_lyapunov)
    assert not np.isfinite(f(np.diag([1.0, -1.0]), np.ones((2, 2)))).all()
    g = fn([matrix(1, 1), matrix(1, 1)], matrix(1, 1))(linalg.solve_discrete_lyapunov)
    assert not np.isfinite(g([[1.0]], [[1.0]])).any()


def test_batches_are_broadcast():
    a, q = random(0, 3, 2, 2), random(1, 2, 2)
    f = fn([matrix(3, 2, 2), matrix(2, 2)], matrix(3, 2, 2))(linalg.solve_lyapunov)
    close(f(a, q), [scipy.linalg.solve_lyapunov(x, q) for x in a], 1e-12)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_iterations_solve_what_elimination_does(scale: float):
    a, b, c = scale * positive(0, 4), positive(1, 3) + np.triu(random(2, 3, 3)), random(3, 4, 3)
    of = [matrix(4, 4), matrix(3, 3), matrix(4, 3)]
    close(fn(of, matrix(4, 3))(lyapunov.stable)(a, b, c), scipy.linalg.solve_sylvester(a, b, c), 1e-12)
    within, q = a / (1.01 * np.abs(np.linalg.eigvals(a)).max()), random(4, 4, 4)
    wanted = scipy.linalg.solve_discrete_lyapunov(within, q)
    got = fn([of[0], of[0]], of[0])(lyapunov.contracting)(within, q)
    close(got / np.abs(wanted).max(), wanted / np.abs(wanted).max(), 1e-12)


def test_where_the_iterations_do_not_converge_they_give_nan():
    of = matrix(2, 2)
    for f, a in ((lambda a: lyapunov.stable(a, a, a), TURN), (lambda a: lyapunov.contracting(a, a), np.eye(2))):
        assert np.isnan(fn([of], of)(f)(a)).all()


def test_any_size():
    n = rose.dim("n")
    f = fn([Vec[n, Vec[n]], Vec[n, Vec[n]]], Vec[n, Vec[n]])(linalg.solve_lyapunov)
    for size in (0, 1, 3):
        a, q = random(size, size, size), random(1, size, size)
        close(f(a, q), scipy.linalg.solve_lyapunov(a, q) if size else q, 1e-12)

"""Conjugate gradients and GMRES: values against SciPy's, what has not converged, starts and preconditioners."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as scipy
from matrices import close, matrix, positive, random

import rose
from rose import Real, Vec, fn, linalg


def solving(name: str, n: int, **options: Any) -> Any:
    """`x` and `info`, as a function of the matrix and the right side."""
    method = getattr(linalg, name)
    return fn([matrix(n, n), Vec[n]], tuple[Vec[n], Real])(lambda a, b: tuple(method(a, b, **options)))


def right(n: int) -> Any:
    return np.cos(np.arange(1.0, n + 1.0))


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("name", ["cg", "gmres"])
def test_solutions_are_those_of_numpy(name: str, n: int):
    a, b = positive(n, n), right(n)
    x, info = solving(name, n, rtol=1e-13)(a, b)
    close(x, np.linalg.solve(a, b), 1e-9)
    assert info == 0.0


@pytest.mark.parametrize("name", ["cg", "gmres"])
def test_without_options_the_residual_is_as_short_as_scipys(name: str):
    a, b = positive(3, 30), right(30)
    x, _ = solving(name, 30)(a, b)
    scipys, _ = getattr(scipy, name)(a, b)
    assert np.linalg.norm(a @ x - b) <= 1.1e-5 * np.linalg.norm(b)
    close(x, scipys, 1e-3)


@pytest.mark.parametrize("steps", [1, 3, 8])
def test_steps_that_did_not_converge_are_those_of_scipy(steps: int):
    a, b = positive(3, 30), right(30)
    x, info = solving("cg", 30, maxiter=steps, rtol=1e-12)(a, b)
    scipys, count = scipy.cg(a, b, maxiter=steps, rtol=1e-12)
    close(x, scipys, 1e-12)
    assert info == count == steps


@pytest.mark.parametrize("cycles", [1, 3])
def test_cycles_that_did_not_converge_are_those_of_scipy(cycles: int):
    a, b = random(3, 30, 30) + 8.0 * np.eye(30), right(30)
    x, info = solving("gmres", 30, maxiter=cycles, restart=3, rtol=1e-14)(a, b)
    close(x, scipy.gmres(a, b, maxiter=cycles, restart=3, rtol=1e-14)[0], 1e-12)
    assert info == 3.0 * cycles


def test_cycles_that_help_no_more_are_the_last():
    """A permutation: the residual gets no shorter before the last step of all."""
    a, b = np.roll(np.eye(6), 1, axis=0), np.eye(6)[0]
    x, info = solving("gmres", 6, restart=3)(a, b)
    assert not x.any() and info == 3.0
    assert np.array_equal(solving("gmres", 6)(a, b)[0], np.linalg.solve(a, b))


@pytest.mark.parametrize("a", [np.ones((3, 3)), np.zeros((3, 3)), np.full((3, 3), np.nan)], ids=["ones", "0", "nan"])
@pytest.mark.parametrize("name", ["cg", "gmres"])
def test_a_singular_matrix_does_not_converge(name: str, a: Any):
    assert solving(name, 3)(a, right(3))[1] >= 1.0


@pytest.mark.parametrize("name", ["cg", "gmres"])
def test_of_nothing_the_solution_is_nothing(name: str):
    method = getattr(linalg, name)
    f = fn([Vec[3], Vec[3]], tuple[Vec[3], Real])(lambda b, x0: tuple(method(np.eye(3).tolist(), b, x0)))
    x, info = f([0.0, 0.0, 0.0], [1.0, 2.0, 3.0])
    assert not x.any() and info == 0.0
    assert solving(name, 0)(np.zeros((0, 0)), []) == (pytest.approx([]), 0.0)


@pytest.mark.parametrize("name", ["cg", "gmres"])
def test_from_the_solution_there_is_no_step(name: str):
    a, b, method = positive(1, 5), right(5), getattr(linalg, name)
    f = fn([Vec[5]], Vec[5])(lambda x0: method(a.tolist(), b.tolist(), x0=x0, rtol=1e-9).x)
    there = np.linalg.solve(a, b)
    close(f(there), there, 1e-14)
    assert not np.any(rose.jacfwd(f)(there))  # the start has no derivative


@pytest.mark.parametrize("name", ["cg", "gmres"])
def test_with_its_inverse_a_matrix_takes_one_step(name: str):
    a, b, method = positive(1, 9), right(9), getattr(linalg, name)
    f = fn([matrix(9, 9), Vec[9]], tuple[Vec[9], Real])(
        lambda a, b: tuple(method(a, b, M=linalg.inv(a), rtol=1e-10, maxiter=1))
    )
    x, info = f(a, b)
    close(x, np.linalg.solve(a, b), 1e-9)
    assert info == 0.0


@pytest.mark.parametrize("name", ["cg", "gmres"])
def test_the_derivatives_are_those_without_a_preconditioner(name: str):
    """Which may be a function of what is found around it."""
    a, b, method = positive(1, 5), right(5), getattr(linalg, name)

    def body(a: Any, b: Any) -> Any:
        jacobi = fn([Vec[5]], Vec[5])(lambda r: rose.vec(r[i] / a[i][i] for i in rose.range(5)))
        product = fn([Vec[5]], Vec[5])(lambda x: a @ x)
        return method(product, b, M=jacobi, rtol=1e-13).x

    f = fn([matrix(5, 5), Vec[5]], Vec[5])(body)
    exact = fn([matrix(5, 5), Vec[5]], Vec[5])(lambda a, b: linalg.solve(a, b))
    for k in (0, 1):
        close(rose.jacrev(f, k)(a, b), rose.jacrev(exact, k)(a, b), 1e-11)
        close(rose.jacfwd(f, k)(a, b), rose.jacrev(exact, k)(a, b), 1e-11)


def test_a_matrix_of_any_size():
    n = rose.dim("n")
    f = fn([Vec[n, n], Vec[n]], Real)(lambda a, b: rose.sum(linalg.gmres(a, b, rtol=1e-13).x))
    for m in (0, 3, 30):
        a, b = positive(m, m) if m else np.zeros((0, 0)), right(m)
        assert f(a, b) == pytest.approx(np.linalg.solve(a, b).sum() if m else 0.0)
        close(rose.grad(f, 1)(a, b), np.linalg.solve(a.T, np.ones(m)) if m else [], 1e-10)


def test_a_function_of_any_size():
    n = rose.dim("n")
    twice = fn([Vec[n]], Vec[n])(lambda x: 2.0 * x)
    f = fn([Vec[3]], Vec[3])(lambda b: linalg.cg(twice, b).x)
    assert f([2.0, 4.0, 6.0]).tolist() == [1.0, 2.0, 3.0]


def test_equal_matrices_share_one_solver():
    def wasm(count: int) -> int:
        body = lambda a, b: sum([linalg.cg(a, b * (k + 1.0)).x for k in range(count)])
        return len(rose.compile(fn([matrix(5, 5), Vec[5]], Vec[5])(body)).wasm)

    assert wasm(3) < wasm(1) + 600


def test_in_single_precision_it_converges():
    x, info = rose.compile(solving("cg", 9), dtype="f32")(np.float32(positive(1, 9)), np.float32(right(9)))
    close(x, np.linalg.solve(positive(1, 9), right(9)), 1e-4)
    assert info == 0.0

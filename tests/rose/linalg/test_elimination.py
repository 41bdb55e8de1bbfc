"""Equations, inverses and determinants: values against NumPy's, derivatives to second order, degenerate cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from costs import cost
from matrices import close, derivatives_hold, differences, matrix, random

import rose
from rose import Real, Vec, fn, linalg
from rose.optimise.pipeline import optimised

SIZES = [1, 2, 3, 4, 5, 9]


@pytest.mark.parametrize("n", SIZES)
def test_values_are_those_of_numpy(n: int):
    a, b = random(n, n, n), random(n + 1, n, 3)
    m, right = matrix(n, n), matrix(n, 3)
    close(fn([m, right], right)(linalg.solve)(a, b), np.linalg.solve(a, b), 1e-12)
    close(fn([m, Vec[n]], Vec[n])(linalg.solve)(a, b[:, 0]), np.linalg.solve(a, b[:, 0]), 1e-12)
    close(fn([m], m)(linalg.inv)(a), np.linalg.inv(a), 1e-12)
    close(fn([m], Real)(linalg.det)(a), np.linalg.det(a), 1e-12)
    close(fn([m], tuple[Real, Real])(lambda a: tuple(linalg.slogdet(a)))(a), np.linalg.slogdet(a), 1e-12)
    parts = fn([m], tuple[m, m, m])(lambda a: tuple(linalg.lu(a)))(a)
    for got, wanted in zip(parts, scipy.linalg.lu(a), strict=True):
        close(got, wanted, 1e-12)


BODIES: dict[str, Any] = {
    "solve": lambda a: rose.sum(rose.sin(linalg.solve(a, [1.0 + k for k in range(len(a))]))),
    "matrix": lambda a: rose.sum(rose.sin(linalg.solve(a, a * a))),
    "inv": lambda a: rose.sum(rose.sin(linalg.inv(a))),
    "det": lambda a: rose.sin(linalg.det(a)),
    "slogdet": lambda a: linalg.slogdet(a).logabsdet * linalg.slogdet(a).sign,
    "factors": lambda a: rose.sum(rose.sin(linalg.lu(a).L) * linalg.lu(a).U),
}


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("name", BODIES)
def test_derivatives_of_both_modes_to_second_order(name: str, n: int):
    derivatives_hold(BODIES[name], random(n, n, n))


@pytest.mark.parametrize(("typ", "part"), [("n", np.array), ("u", np.triu), ("l", np.tril)])
@pytest.mark.parametrize("trans", [False, True])
def test_equations_of_owls_types(typ: str, part: Any, trans: bool):
    a, b = random(0, 4, 4), random(1, 4, 2)
    f = fn([matrix(4, 4), matrix(4, 2)], matrix(4, 2))(lambda a, b: linalg.linsolve(a, b, trans=trans, typ=typ))
    m = part(a).T if trans else part(a)
    close(f(a, b), np.linalg.solve(m, b), 1e-12)
    weights = np.linalg.solve(m.T, np.ones((4, 2)))
    moved = -part(weights @ np.linalg.solve(m, b).T if not trans else np.linalg.solve(m, b) @ weights.T)
    close(rose.grad(fn([matrix(4, 4), matrix(4, 2)], Real)(lambda a, b: rose.sum(f(a, b))))(a, b), moved, 1e-12)


def test_the_third_derivative_of_a_solution():
    f = fn([Real], Real)(lambda t: linalg.solve([[t, 1.0], [2.0, t * t]], [1.0, t])[0])
    exact = fn([Real], Real)(lambda t: (t * t - t) / (t * t * t - 2.0))
    of = lambda f: rose.grad(rose.grad(rose.grad(f)))
    assert of(f)(0.7) == pytest.approx(of(exact)(0.7), rel=1e-11)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_a_determinant_has_its_derivatives_at_singular_matrices(n: int):
    a = np.random.default_rng(n).integers(-2, 3, size=(n, n)).astype(float)
    a[-1] = a[0]
    f = fn([matrix(n, n)], Real)(linalg.det)
    without = lambda i, j: np.delete(np.delete(a, i, 0), j, 1)
    cofactors = [[(-1) ** (i + j) * np.linalg.det(without(i, j)) for j in range(n)] for i in range(n)]
    assert f(a) == 0.0
    close(rose.grad(f)(a), cofactors, 1e-12)
    close(rose.hessian(f)(a).reshape(n * n, n * n), differences(rose.grad(f), a, 1e-3))


def test_all_derivatives_of_a_determinant_of_zeros():
    f = fn([matrix(5, 5)], Real)(linalg.det)
    zero = np.zeros((5, 5))
    assert f(zero) == 0.0 and not rose.grad(f)(zero).any() and not rose.hessian(f)(zero).any()


def test_what_is_singular():
    a = np.array([[1.0, 2.0], [2.0, 4.0]])
    m = matrix(2, 2)
    assert not np.isfinite(fn([m, Vec[2]], Vec[2])(linalg.solve)(a, [1.0, 0.0])).any()
    assert fn([m], tuple[Real, Real])(lambda a: tuple(linalg.slogdet(a)))(a) == (0.0, -np.inf)
    assert fn([m], Real)(linalg.logdet)(a) == -np.inf
    assert np.isnan(fn([m], Real)(linalg.logdet)(np.diag([1.0, -1.0])))


def test_batches_and_right_sides_for_all():
    a, b = random(0, 2, 3, 4, 4), random(1, 3, 4, 2)
    f = fn([matrix(2, 3, 4, 4), matrix(3, 4, 2)], matrix(2, 3, 4, 2))(linalg.solve)
    close(f(a, b), np.linalg.solve(a, b), 1e-12)
    close(fn([matrix(2, 3, 4, 4)], matrix(2, 3))(linalg.det)(a), np.linalg.det(a), 1e-12)


def test_any_size_and_none():
    n = rose.dim("n")
    f = fn([Vec[n, Vec[n]], Vec[n]], Vec[n])(linalg.solve)
    module = rose.compile(f, rose.grad(fn([Vec[n, Vec[n]]], Real)(linalg.det)), dynamic=True)
    for size in (0, 1, 6):
        a, b = random(size, size, size), np.arange(1.0, size + 1)
        close(module(a, b), np.linalg.solve(a, b) if size else [], 1e-12)
    assert fn([matrix(0, 0)], Real)(linalg.det)([]) == 1.0


def test_numpys_own_functions_are_ours():
    @fn
    def f(a: Vec[3, Vec[3]], b: Vec[3]) -> Real:
        return (
            np.sum(np.linalg.solve(a, b)) + np.linalg.det(a) + np.linalg.slogdet(a).logabsdet + np.linalg.inv(a)[0, 1]
        )

    a, b = random(0, 3, 3), np.ones(3)
    wanted = np.linalg.solve(a, b).sum() + np.linalg.det(a) + np.linalg.slogdet(a)[1] + np.linalg.inv(a)[0, 1]
    assert f(a, b) == pytest.approx(wanted, rel=1e-12)


def test_one_factorisation_serves_all():
    """A gradient of many things of one matrix costs a constant times its value, at any size."""

    def body(a: Any) -> Any:
        return rose.sum(linalg.solve(a, a[0])) + linalg.logdet(a) + linalg.solve(a, a[1])[0]

    ratios: list[float] = []
    for n in (8, 24):
        a, f = random(n, n, n), fn([matrix(n, n)], Real)(body)
        made = optimised({"f": f.func, "g": rose.grad(f).func})
        ratios.append(cost(made["g"], a.tolist()) / cost(made["f"], a.tolist()))
    assert max(ratios) < 5.0 and ratios[1] < 1.3 * ratios[0]

"""Derivatives of what is found by iteration: those of the solution, of any order, in all modes, wherever it stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, positive, random

import rose
from rose import Real, Vec, fn, linalg

N = 4
REGULAR, DEFINITE, RIGHT = random(1, N, N), positive(2, N), np.array([1.0, -2.0, 0.5, 3.0])


def exactly(name: str, a: Any, b: Any) -> Any:
    return getattr(linalg, name)(a, b, rtol=1e-14).x


def of(name: str) -> Any:
    """The solution by a method, as a function of the matrix and the right side."""
    return fn([matrix(N, N), Vec[N]], Vec[N])(lambda a, b: exactly(name, a, b))


BOTH = pytest.mark.parametrize(("name", "a"), [("cg", DEFINITE), ("gmres", REGULAR), ("gmres", DEFINITE)])
SOLVE = fn([matrix(N, N), Vec[N]], Vec[N])(lambda a, b: linalg.solve(a, b))


@BOTH
@pytest.mark.parametrize("k", [0, 1])
def test_derivatives_are_those_of_elimination(name: str, a: Any, k: int):
    """By a symmetric matrix too in directions in which it is not one."""
    f = of(name)
    for jacobian in (rose.jacfwd, rose.jacrev):
        close(jacobian(f, k)(a, RIGHT), jacobian(SOLVE, k)(a, RIGHT), 1e-11)
    g, exact = [fn([matrix(N, N), Vec[N]], Real)(lambda a, b, f=f: rose.sum(f(a, b) ** 3)) for f in (f, SOLVE)]
    close(rose.hessian(g, k)(a, RIGHT), rose.hessian(exact, k)(a, RIGHT), 1e-10)
    close(rose.jacrev(rose.grad(g, k), k)(a, RIGHT), rose.hessian(exact, k)(a, RIGHT), 1e-10)


def test_derivatives_by_what_a_function_finds_around_it_hold():
    def loss(k: Any) -> Any:
        @fn
        def apply(x: Vec[N]) -> Vec[N]:
            y = rose.accum([0.0] * N)
            for i in rose.range(N):
                y[i] += (3.0 + k[0] * k[0]) * x[i]
            for i in rose.range(N - 1):
                y[i] -= k[1] * x[i + 1]
                y[i + 1] += x[i]
            return y.value

        return rose.norm(exactly("gmres", apply, RIGHT + k[0])) ** 2

    derivatives_hold(loss, np.array([0.3, 1.5]))


@BOTH
def test_the_third_derivative_is_that_of_taylor_mode(name: str, a: Any):
    f = fn([Real], Real)(lambda t: rose.sum(exactly(name, rose.constant(Vec[N, N], a) * (1.0 + t * t), RIGHT * t)))
    once = np.linalg.solve(a, RIGHT).sum()  # times t / (1 + t ** 2)
    close(rose.jet(f, 3)([0.0, 1.0, 0.0, 0.0]), [0.0, once, 0.0, -6.0 * once], 1e-10)
    assert rose.grad(rose.grad(rose.grad(f)))(0.0) == pytest.approx(-6.0 * once)


@BOTH
def test_a_solution_in_loops_has_derivatives(name: str, a: Any):
    inverse, f = np.linalg.inv(a), of(name)
    power = inverse @ inverse @ inverse
    scan = fn([Vec[N], matrix(N, N)], Vec[N])(lambda b, a: rose.scan(lambda i, x: f(a, x), b, 3))
    turns = fn([Vec[N], matrix(N, N)], Vec[N])(
        lambda b, a: rose.while_loop(lambda s: s[1] < 3.0, lambda s: (f(a, s[0]), s[1] + 1.0), (b, 0.0))[0]
    )
    for g in (scan, turns):
        close(rose.jacrev(g)(RIGHT, a), power, 1e-11)
        close(rose.jacfwd(g)(RIGHT, a), power, 1e-11)


@BOTH
def test_batches_have_derivatives(name: str, a: Any):
    f = of(name)
    g = fn([matrix(3, N, N), matrix(3, N)], Real)(lambda a, b: rose.sum(rose.vmap(f)(a, b)))
    many, ones = np.stack([a, 2.0 * a, a.T]), np.ones(N)
    close(rose.grad(g, 1)(many, np.stack([RIGHT] * 3)), [np.linalg.solve(m.T, ones) for m in many], 1e-11)


def test_a_solution_that_is_not_taken_contributes_nothing():
    def body(c: Any, a: Any, b: Any) -> Any:
        x = exactly("cg", a, b)
        return rose.sum(rose.vec(rose.select(c > 0.0, x[i] * b[i], c) for i in rose.range(N)))

    f = fn([Real, matrix(N, N), Vec[N]], Real)(body)
    slope = rose.grad(f, argnums=(0, 1, 2))
    for untaken in (DEFINITE, np.full((N, N), np.nan), np.full((N, N), np.inf)):
        by_c, by_a, by_b = slope(-1.0, untaken, RIGHT)
        assert by_c == N and not np.any(by_a) and not np.any(by_b)
    close(slope(1.0, DEFINITE, RIGHT)[2], 2.0 * np.linalg.solve(DEFINITE, RIGHT), 1e-12)
    close(rose.hessian(f, argnums=2)(1.0, DEFINITE, RIGHT), 2.0 * np.linalg.inv(DEFINITE), 1e-12)


def test_one_element_that_is_taken_takes_the_whole_solution():
    f = fn([Vec[N], Real], Real)(lambda b, c: rose.select(c > 0.0, exactly("gmres", REGULAR.tolist(), b)[1] / c, 7.0))
    close(rose.grad(f)(RIGHT, 1.0), np.linalg.inv(REGULAR)[1], 1e-12)
    assert not np.any(rose.grad(f)(RIGHT, 0.0))


@BOTH
def test_compiled_derivatives_have_the_same_bits(name: str, a: Any):
    f = of(name)
    g = fn([matrix(N, N), Vec[N]], Real)(lambda a, b: rose.sum(f(a, b) ** 2))
    for d in (rose.grad(g), rose.hvp(g, 1), rose.jacfwd(rose.grad(g, 1), 1)):
        given = (a, RIGHT, RIGHT)[: len(d.types)]
        assert np.array_equal(rose.compile(d)(*given), d(*given))


def test_derivatives_where_the_search_has_not_converged_are_not_numbers():
    f = fn([matrix(N, N), Vec[N]], Vec[N])(lambda a, b: linalg.cg(a, b, maxiter=1).x)
    assert np.isfinite(f(DEFINITE, RIGHT)).all()
    for k in (0, 1):
        assert np.isnan(rose.jacfwd(f, k)(DEFINITE, RIGHT)).all()
        assert np.isnan(rose.jacrev(f, k)(DEFINITE, RIGHT)).all()


def test_an_absolute_tolerance_is_none_of_derivatives():
    """The right side of a tangent may be short where that of the solution is not."""
    f = fn([Vec[N]], Vec[N])(lambda b: linalg.cg(DEFINITE.tolist(), b * 1e-9, rtol=0.0, atol=1e-12).x)
    assert np.abs(f(RIGHT) * 1e9 - np.linalg.solve(DEFINITE, RIGHT)).max() < 1e-2
    close(rose.jacrev(f)(RIGHT) * 1e9, np.linalg.inv(DEFINITE), 1e-4)


def test_each_number_depends_on_each_of_the_right_side():
    assert rose.sparsity(fn([Vec[N]], Vec[N])(lambda b: exactly("gmres", REGULAR.tolist(), b))).nnz == N * N


@pytest.mark.parametrize("scale", [1e-250, 1e250])
def test_a_right_side_may_be_as_long_as_numbers_are(scale: float):
    f = fn([Vec[N]], tuple[Vec[N], Real])(lambda b: tuple(linalg.gmres(REGULAR.tolist(), b, rtol=1e-12)))
    x, info = f(RIGHT * scale)
    close(x / scale, np.linalg.solve(REGULAR, RIGHT), 1e-11)
    assert info == 0.0


@BOTH
def test_a_derivative_in_forward_mode_is_a_module_of_its_own(name: str, a: Any):
    """Whose parameters and result are tangents, too."""
    f = fn([Vec[N]], Vec[N])(lambda b: exactly(name, rose.constant(Vec[N, N], a), b))
    along = [rose.Dual(x, 2.0 * x) for x in RIGHT]
    found = rose.compile(rose.jvp(f))(along)
    close([d.du for d in found], 2.0 * np.linalg.solve(a, RIGHT), 1e-11)
    close([d.re for d in found], np.linalg.solve(a, RIGHT), 1e-11)

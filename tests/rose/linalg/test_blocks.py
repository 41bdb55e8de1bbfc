"""Matrices in blocks: values, derivatives of both modes, what is singular, and rows that no block is full of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from matrices import close, matrix, random

import rose
from rose import Real, Vec, fn, lib, linalg
from rose.linalg.blocks import LEAST, SIDE, pay

SIZES = [LEAST - 1, LEAST, LEAST + 1, LEAST + SIDE + 3]


def test_blocks_are_for_matrices_of_many_rows():
    assert [pay(n) for n in (0, LEAST - 1, LEAST)] == [False, False, True]
    assert not pay(rose.dim("n"))


@pytest.mark.parametrize("n", SIZES)
def test_values_are_those_of_scipy(n: int):
    a, b = np.random.default_rng(n).normal(size=(n, n)), random(n + 1, n, 3)
    m = matrix(n, n)
    functions: dict[str, Any] = {
        "lu": fn([m], tuple[m, m, m])(lambda a: tuple(linalg.lu(a))),
        "solve": fn([m, matrix(n, 3)], matrix(n, 3))(linalg.solve),
        "vector": fn([m, Vec[n]], Vec[n])(linalg.solve),
        "none": fn([m, matrix(n, 0)], matrix(n, 0))(linalg.solve),
        "slogdet": fn([m], tuple[Real, Real])(lambda a: tuple(linalg.slogdet(a))),
    }
    module = rose.compile(functions)
    for got, wanted in zip(module(a), scipy.linalg.lu(a), strict=True):
        close(got, wanted, 1e-11)
    close(module.solve(a, b), np.linalg.solve(a, b), 1e-11)
    close(module.vector(a, b[:, 0]), np.linalg.solve(a, b[:, 0]), 1e-11)
    assert np.shape(module.none(a, np.zeros((n, 0)))) == (n, 0)
    close(module.slogdet(a), np.linalg.slogdet(a), 1e-12)


@pytest.mark.parametrize("n", SIZES[1:])
@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("lower", [False, True])
def test_triangles(n: int, lower: bool, trans: bool):
    a, b = np.eye(n) + random(n, n, n) / n, random(n + 1, n, 2)
    for unit in (False, True):
        kinds = {"trans": trans, "lower": lower, "unit_diagonal": unit}
        f = fn([matrix(n, n), matrix(n, 2)], matrix(n, 2))(lambda a, b, k=kinds: linalg.solve_triangular(a, b, **k))
        close(rose.compile(f)(a, b), scipy.linalg.solve_triangular(a, b, **kinds), 1e-11)
        g = fn([matrix(n, n), Vec[n]], Vec[n])(lambda a, b, k=kinds: linalg.solve_triangular(a, b, **k))
        close(rose.compile(g, simd=True)(a, b[:, 0]), scipy.linalg.solve_triangular(a, b[:, 0], **kinds), 1e-11)


BODIES: dict[str, Any] = {
    "solve": lambda a: rose.sum(rose.sin(linalg.solve(a, a[1]))),
    "matrix": lambda a: rose.sum(rose.sin(linalg.solve(a, a[:, 1:4]))),
    "inv": lambda a: rose.sum(rose.sin(linalg.inv(a))),
    "slogdet": lambda a: linalg.slogdet(a).logabsdet * linalg.slogdet(a).sign,
    "factors": lambda a: rose.sum(rose.sin(linalg.lu(a).L) * linalg.lu(a).U),
    "triangle": lambda a: rose.sum(rose.sin(linalg.solve_triangular(a, a[:, :2], lower=True))),
    "cholesky": lambda a: rose.sum(rose.sin(linalg.cholesky(a + 8.0 * rose.array(np.eye(len(a)).tolist())))),
    "definite": lambda a: rose.sum(rose.sin(lib.cholesky_solve(a + 8.0 * rose.array(np.eye(len(a)).tolist()), a[1]))),
}


@pytest.mark.parametrize("n", SIZES[1:3])
@pytest.mark.parametrize("name", BODIES)
def test_derivatives_of_both_modes_to_second_order(name: str, n: int):
    """Along a direction, against differences of what is compiled; the Hessian times it by both modes over reverse."""
    a, u, h = 2.0 * np.eye(n) + random(n, n, n) / n, random(1, n, n) / n, 1e-5
    f = fn([matrix(n, n)], Real)(BODIES[name])
    slope = rose.grad(f)
    by_reverse = rose.grad(fn([matrix(n, n)], Real)(lambda a: rose.sum(slope(a) * u)))
    line = fn([Real], Real)(lambda t: BODIES[name](a + t * rose.array(u.tolist())))
    module = rose.compile({"f": f, "slope": slope, "hvp": rose.hvp(f), "again": by_reverse, "line": rose.jvp(line)})
    first = (module.f(a + h * u) - module.f(a - h * u)) / (2.0 * h)
    close(np.vdot(module.slope(a), u), first)
    close(module.line(rose.Dual(0.0, 1.0)).du, first)
    second = (module.slope(a + h * u) - module.slope(a - h * u)) / (2.0 * h)
    close(module.hvp(a, u), second)
    close(module.again(a), module.hvp(a, u), 1e-9)


def test_the_interpreter_and_the_module_have_one_result():
    n = LEAST + 1
    a = random(0, n, n)
    f = rose.value_and_grad(fn([matrix(n, n)], Real)(lambda a: linalg.slogdet(a).logabsdet + linalg.solve(a, a[0])[1]))
    module, wide = rose.compile(f), rose.compile(f, simd=True)
    for got, fast, wanted in zip(module(a), wide(a), f(a), strict=True):
        assert np.array_equal(got, wanted) and np.array_equal(fast, wanted)


@pytest.mark.parametrize("n", SIZES)
def test_values_have_the_bits_of_a_module_for_every_size(n: int):
    def functions(n: Any) -> Any:
        m = Vec[n, Vec[n]]
        parts = fn([m], tuple[m, m, m])(lambda a: tuple(linalg.lu(a)))
        return {"lu": parts, "inv": fn([m], m)(linalg.inv), "solve": fn([m, Vec[n]], Vec[n])(linalg.solve)}

    b = np.random.default_rng(n).normal(size=(n, n))
    b = b @ b.T + np.eye(n)
    b[3, 5] = b[7, 4] = -0.0
    factor = lambda n: fn([matrix(n, n)], matrix(n, n))(linalg.cholesky)
    one, every = (
        [rose.compile(factor(n), simd=simd) for simd in (False, True)],
        rose.compile(factor(rose.dim("n")), dynamic=True),
    )
    assert [module(b).tobytes() == every(b).tobytes() for module in one] == [True, True]

    a = np.random.default_rng(0).normal(size=(n, n))
    a[3], a[:, 5] = -0.0, -0.0
    a[3, 7] = a[4, 5] = 1.0
    every, one = rose.compile(functions(rose.dim("n")), dynamic=True), rose.compile(functions(n), simd=True)
    for got, wanted in zip(one.lu(a), every.lu(a), strict=True):
        assert got.tobytes() == wanted.tobytes()
    assert one.inv(a).tobytes() == every.inv(a).tobytes()
    assert one.solve(a, a[0]).tobytes() == every.solve(a, a[0]).tobytes()


def test_what_is_singular_and_what_is_nan():
    n = LEAST + 2
    m = matrix(n, n)
    f = rose.compile(fn([m], tuple[Real, Real])(lambda a: tuple(linalg.slogdet(a))))
    equal = random(0, n, n)
    equal[:, n - 1] = 0.0
    assert f(equal) == (0.0, -np.inf)
    assert not np.isfinite(rose.compile(fn([m], m)(linalg.inv))(equal)).all()
    assert f(np.zeros((n, n))) == (0.0, -np.inf)
    assert np.isnan(f(np.full((n, n), np.nan))[1])
    order = rose.compile(fn([m], m)(lambda a: linalg.lu(a).P))(np.full((n, n), np.nan))
    assert np.array_equal(order, np.eye(n))  # no row of those that fill the last block
    shifted = np.roll(np.eye(n), 1, 0)
    assert f(shifted) == tuple(np.linalg.slogdet(shifted))


@pytest.mark.parametrize("place", [0, 3, 5, LEAST - 1, LEAST, LEAST + 1])
def test_what_is_not_positive_definite(place: int):
    n = LEAST + 2
    f = rose.compile(fn([matrix(n, n)], matrix(n, n))(linalg.cholesky))
    a = 2.0 * np.eye(n) + 0.01 * random(0, n, n)
    close(f((a + a.T) / 2.0), np.linalg.cholesky((a + a.T) / 2.0), 1e-13)
    for x in (-1.0, 0.0, np.nan, np.inf):
        a[place, place] = x
        assert np.isnan(f(a)).all()


def test_batches():
    n = LEAST + 1
    a, b = random(0, 2, n, n), random(1, n, 2)
    f = fn([matrix(2, n, n), matrix(n, 2)], matrix(2, n, 2))(linalg.solve)
    close(rose.compile(f)(a, b), np.linalg.solve(a, b), 1e-12)

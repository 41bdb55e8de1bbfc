"""Least squares: the problems of NIST, and what is particular about them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from harness import compiled, same

import rose
from rose import Real, Vec, fn, lib
from rose.host.interpreter import run

# NIST, Statistical Reference Datasets, nonlinear regression (itl.nist.gov/div898/strd/nls/nls_main.shtml): the model,
# the data, both starts, the certified parameters, and the certified sum of squares
MISRA1A: Any = (
    lambda b, x: b[0] * (1 - rose.exp(-b[1] * x)),
    [77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0],
    [10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78],
    [[500, 0.0001], [250, 0.0005]],
    [2.3894212918e02, 5.5015643181e-04],
    1.2455138894e-01,
)
MGH09: Any = (
    lambda b, x: b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]),
    [4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625],
    [0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246],
    [[25, 39, 41.5, 39], [0.25, 0.39, 0.415, 0.39]],
    [1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01],
    3.0750560385e-04,
)


def residuals(curve: Any, xs: list[float], ys: list[float], n: int) -> Any:
    m = len(xs)

    @fn
    def away(b: Vec[n], x: Vec[m], y: Vec[m]) -> Vec[m]:
        return rose.vec(y[i] - curve(b, x[i]) for i in rose.range(m))

    return away


@pytest.mark.parametrize("damping", [1e-3, 0])
@pytest.mark.parametrize("problem", [MISRA1A, MGH09], ids=["Misra1a", "MGH09"])
def test_it_finds_what_nist_certifies(problem: Any, damping: float):
    curve, xs, ys, starts, parameters, squares = problem
    fit = lib.gauss_newton(residuals(curve, xs, ys, len(parameters)), damping=damping, max_steps=200)
    for start in starts:
        found = fit(start, xs, ys)
        assert found.converged
        assert found.x == pytest.approx(parameters, rel=1e-7)
        assert found.value == pytest.approx(squares, rel=1e-10)


@pytest.mark.parametrize("search", [lib.lbfgs, lib.newton])
def test_the_other_searches_find_it_too(search: Any):
    curve, xs, ys, starts, parameters, squares = MISRA1A
    f = residuals(curve, xs, ys, 2)
    m = len(xs)

    @fn
    def loss(b: Vec[2], x: Vec[m], y: Vec[m]) -> Real:
        away = f(b, x, y)
        return rose.dot(away, away)

    found = search(loss)(starts[1], xs, ys)
    assert found.x == pytest.approx(parameters, rel=1e-7)
    assert found.value == pytest.approx(squares, rel=1e-10)


def test_a_line_takes_one_step_of_gauss_and_newton():
    line = fn([Vec[2], Vec[3]], Vec[3])(lambda b, y: rose.vec(b[0] + b[1] * i - y[i] for i in rose.range(3)))
    found = lib.gauss_newton(line, damping=0)([0, 0], [1, 2, 4])
    assert found.x == pytest.approx([5 / 6, 1.5])
    assert found.value == pytest.approx(1 / 6)
    assert found.steps <= 2


def test_it_is_a_search_for_the_least_sum_of_squares_of_any_type():
    away = fn([Real], {"u": Real, "v": Vec[2]})(lambda x: {"u": x - 1, "v": [x - 3, 0.1 * x]})
    found = lib.gauss_newton(away)(7)
    assert found.x == pytest.approx(4 / 2.01)
    assert found.value == pytest.approx((found.x - 1) ** 2 + (found.x - 3) ** 2 + 0.01 * found.x**2)
    assert found.converged


def test_it_works_with_nothing():
    f = lib.gauss_newton(fn([Vec[0]], Vec[2])(lambda _: [1.0, 2.0]))
    assert (f([]).value, f([]).steps, f([]).converged) == (5, 0, True)
    g = lib.gauss_newton(fn([Vec[2]], Vec[0])(lambda _: []))
    assert (g([1, 2]).x.tolist(), g([1, 2]).value, g([1, 2]).converged) == ([1, 2], 0, True)


def test_what_the_residuals_do_not_depend_on_stays():
    found = lib.gauss_newton(fn([Vec[2]], Vec[1])(lambda x: [x[0] - 3]))([1, 7])
    assert found.x == pytest.approx([3, 7])
    assert found.converged


def test_a_fit_to_the_bit_ends():
    found = lib.gauss_newton(fn([Vec[2]], Vec[2])(lambda x: [1e6 * (x[0] - 1 / 3), x[1] ** 2 - 2]))([9, 9])
    assert found.converged
    assert found.x == pytest.approx([1 / 3, math.sqrt(2)], rel=1e-15)


def test_a_module_has_the_bits_of_the_interpreter():
    curve, xs, ys, starts, *_ = MISRA1A
    f = lib.gauss_newton(residuals(curve, xs, ys, 2)).func
    given = tuple(starts[1]), tuple(xs), tuple(ys)
    assert same(compiled(f)(*given), run(f, *given))


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 100])
def test_the_derivative_is_that_of_the_steps(steps: int):
    @fn
    def away(x: Vec[2], k: Real) -> Vec[4]:
        return [rose.exp(x[0] - k) - 2, rose.exp(k * k - x[0]) - 1, x[1] - x[0] * k, 0.1 * x[1] ** 2]

    at = fn([Real], Real)(lambda k: lib.gauss_newton(away, max_steps=steps)([0, 1], k).x[1])
    forward = fn([Real], Real)(lambda k: rose.jvp(at)(rose.Dual(k, 1)).du)
    h = 1e-4
    slope = rose.grad(at)(1.5)
    assert slope == pytest.approx(forward(1.5), rel=1e-12)
    assert slope == pytest.approx((at(1.5 + h) - at(1.5 - h)) / (2 * h), rel=1e-5)


def test_a_step_to_where_it_is_nan_is_not_in_derivatives():
    f = fn([Vec[2], Real], Vec[3])(lambda x, k: [rose.log(x[0]) - k, rose.sqrt(x[0]) - x[1], 0.01 * x[1]])
    at = fn([Real], Real)(lambda k: lib.gauss_newton(f)([30, 31], k).x[1])  # where the first step goes below 0
    assert rose.grad(at)(1.0) == pytest.approx((at(1 + 1e-4) - at(1 - 1e-4)) / 2e-4, rel=1e-6)

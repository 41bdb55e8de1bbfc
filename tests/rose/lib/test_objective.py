"""The searches of `rose.lib`, on functions of which the least values are known."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from harness import compiled, same
from rosenbrock_functions import chained, paired

import rose
from rose import Dual, Real, Vec, fn, lib
from rose.host.interpreter import run

SEARCHES: dict[str, Callable[..., Any]] = {
    "gradient descent": lib.gradient_descent,
    "gradient descent at a rate": partial(lib.gradient_descent, rate=0.05),
    "adam": partial(lib.adam, rate=0.05),
    "lbfgs": lib.lbfgs,
    "newton": lib.newton,
}
each = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)


@fn
def bowl(x: Vec[2], k: Real) -> Real:
    """It is least where x0 is (k + k ** 2) / 2, and x1 is x0 * k."""
    return rose.exp(x[0] - k) + rose.exp(k * k - x[0]) + (x[1] - x[0] * k) ** 2


# what is found


@each
def test_the_least_value_is_found(search: Any):
    found = search(bowl)([0, 1], 1.5)
    assert found.x == pytest.approx([1.875, 2.8125], abs=1e-7)
    assert found.converged
    assert found.value == pytest.approx(bowl(found.x, 1.5), rel=1e-15)
    assert found.gradient_norm == pytest.approx(math.hypot(*rose.grad(bowl)(found.x, 1.5)), rel=1e-6, abs=1e-15)


def test_rosenbrocks_valley_takes_newton_and_lbfgs_few_steps():
    for f, start in ((chained(2), [-1.2, 1]), (paired(10), [-1.2, 1] * 5)):
        for search in (lib.lbfgs, lib.newton):
            found = search(f)(start)
            assert found.converged
            assert found.x == pytest.approx([1] * len(start), abs=1e-8)
            assert found.steps <= 40


def test_rosenbrocks_chain_has_another_least_value_near_by():
    found = lib.newton(chained(10))([-1.2, 1] * 5)
    assert found.converged
    assert found.value == pytest.approx(3.98657911, rel=1e-8)


# of any type


@rose.struct
class Plane:
    height: Real
    slope: Vec[2]
    corners: Vec[2, Vec[2]]


@fn
def bent(p: Plane, k: Real) -> Real:
    """It is least where the height is k, the slope is (2, k * height), and corner i has i + 2 * j."""
    slope = (p.slope[0] - 2) ** 2 + 3 * (p.slope[1] - k * p.height) ** 2
    corners = rose.sum(rose.sum((p.corners[i][j] - i - 2 * j) ** 2 for j in rose.range(2)) for i in rose.range(2))
    return (p.height - k) ** 2 + slope + corners


@each
def test_structs_are_searched_through(search: Any):
    found = search(bent)(Plane(0, [0, 0], [[0, 0], [0, 0]]), 1.5)
    assert isinstance(found.x, Plane)
    assert found.x.height == pytest.approx(1.5, abs=1e-6)
    assert found.x.slope == pytest.approx([2, 2.25], abs=1e-6)
    assert found.x.corners.tolist() == [pytest.approx([i, i + 2], abs=1e-6) for i in range(2)]


@each
def test_one_number_is_searched_through(search: Any):
    found = search(fn([Real], Real)(lambda x: rose.cosh(x - 2)))(0)
    assert found.x == pytest.approx(2, abs=1e-7)


@each
def test_where_nothing_can_be_searched_through_the_start_is_best(search: Any):
    found = search(fn([Vec[0]], Real)(lambda _: 3.0))([])
    assert (found.x.tolist(), found.value, found.steps, found.converged) == ([], 3, 0, True)


@each
def test_a_search_has_any_size(search: Any):
    n = rose.dim("n")

    @fn
    def away(x: Vec[n], y: Vec[n]) -> Real:
        return rose.sum((x[i] - y[i]) ** 2 * (i + 1) for i in rose.range(n))

    module = rose.compile(search(away), dynamic=True)
    for k in (1, 3):
        y = [float(i) for i in range(k)]
        assert module([0] * k, y).x == pytest.approx(y, abs=1e-7)
        assert module([0] * k, y).x.tolist() == search(away)([0] * k, y).x.tolist()


def test_a_minimum_is_a_type_and_travels():
    @fn
    def better(x: lib.Minimum[Vec[2]], y: lib.Minimum[Vec[2]]) -> lib.Minimum[Vec[2]]:
        return rose.cond(x.value < y.value, lambda: x, lambda: y)

    near, far = (lib.newton(bowl, max_steps=k)([0, 1], 1.5) for k in (9, 1))
    assert better(far, near).value == near.value < far.value
    module = pickle.loads(pickle.dumps(rose.compile(better)))
    assert module(far, near).x.tolist() == near.x.tolist()


# the same everywhere, and differentiable


@each
def test_modules_have_the_bits_of_the_interpreter(search: Any):
    f = search(bowl).func
    assert same(compiled(f)((0.0, 1.0), 1.5), run(f, (0.0, 1.0), 1.5))


@each
def test_an_eager_search_finds_the_same(search: Any):
    found = search(bowl)([0, 1], 1.5)
    with rose.eager():
        assert search(bowl)([0, 1], 1.5).x == pytest.approx(found.x.tolist(), rel=0, abs=0)


@each
def test_the_derivative_is_that_of_the_steps(search: Any):
    at = fn([Real], Real)(lambda k: search(bowl)([0, 1], k).x[1])
    forward = fn([Real], Real)(lambda k: rose.jvp(at)(Dual(k, 1)).du)
    slope, h = rose.grad(at)(1.5), 1e-4
    assert slope == pytest.approx(forward(1.5), rel=1e-12)
    assert slope == pytest.approx((at(1.5 + h) - at(1.5 - h)) / (2 * h), rel=1e-4)
    assert slope == pytest.approx(4.875, rel=1e-4)  # that of (k ** 2 + k ** 3) / 2


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@each
def test_a_search_that_was_cut_short_has_its_derivative_too(search: Any, steps: int):
    at = fn([Real], Real)(lambda k: search(bowl, max_steps=steps)([0, 1], k).x[1])
    h = 1e-5
    assert rose.grad(at)(1.4) == pytest.approx((at(1.4 + h) - at(1.4 - h)) / (2 * h), rel=1e-4)


def test_a_search_inside_a_function_sees_what_is_there():
    @fn
    def reached(k: Real) -> Real:
        inner = fn([Vec[2]], Real)(lambda x: (x[0] - k) ** 2 + (x[1] - x[0] * k) ** 2)
        return lib.lbfgs(inner)([0, 0]).x[1]

    assert reached(3) == pytest.approx(9, rel=1e-9)
    assert rose.grad(reached)(3) == pytest.approx(6, rel=1e-8)


# what goes wrong


@each
def test_what_is_not_there_is_no_progress(search: Any):
    f = fn([Vec[1]], Real)(lambda x: rose.log(x[0]) * x[0])  # nan below 0, and least at 1 / e
    assert search(f)([3]).x == pytest.approx([1 / math.e], abs=1e-6)
    assert search(f)([0.01]).x == pytest.approx([1 / math.e], abs=1e-6)
    lost = search(f)([-3])
    assert (lost.x.tolist(), lost.converged) == ([-3], False)
    assert math.isnan(lost.value)


@each
def test_it_never_returns_what_is_worse_than_the_start(search: Any):
    steep = fn([Vec[2]], Real)(lambda x: 1e6 * rose.abs(x[0]) ** 1.5 + x[1] ** 2)
    for start in ([1e-3, 1], [0, 0], [-2, 1e-9]):
        assert search(steep)(start).value <= steep(start)


@each
def test_a_function_without_a_least_value_ends(search: Any):
    found = search(fn([Real], Real)(lambda x: -x * x))(1.0)
    assert found.value < -1
    assert not found.converged


@each
def test_where_the_gradient_is_zero_already_nothing_moves(search: Any):
    found = search(fn([Real], Real)(lambda x: x**4 + 1))(0.0)
    assert (found.x, found.value, found.steps, found.converged) == (0, 1, 0, True)


def test_a_step_that_does_not_help_is_not_in_derivatives():
    @fn
    def near_an_edge(x: Vec[2], k: Real) -> Real:  # nan where x is below 0, as after the first step
        return k * x[0] - rose.sqrt(x[0]) + (x[1] - x[0]) ** 2 - 0.1 * rose.log(x[1])

    at = fn([Real], Real)(lambda k: lib.newton(near_an_edge)([9, 12], k).x[1])
    h = 1e-4
    assert rose.grad(at)(1.5) == pytest.approx((at(1.5 + h) - at(1.5 - h)) / (2 * h), rel=1e-4)
    assert rose.grad(rose.grad(at))(1.5) == pytest.approx(0.374522, rel=1e-5)

"""The rule of all that an equation defines: any type, any mode, any order, captured values, sizes, compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold

import rose
from rose import Bool, Dual, Fin, Real, Vec, fn
from rose.implicit import Solution, fixed_point, linear_solve, root


@rose.struct
class Pair:
    size: Real
    at: Vec[2]


@fn
def square(x: Real, a: Real) -> Real:
    return x * x - a


def moved(x: Any) -> Any:
    """A root in two numbers, which moves with all of `x`; the function captures them."""

    @fn
    def g(u: Vec[2]) -> Vec[2]:
        return [u[0] + 0.2 * rose.sin(u[1]) - x[0] * x[1], u[1] ** 3 + u[1] + u[0] - x[2]]

    return root(g)([0.0, 0.0])


def by_data(x: Any) -> Any:
    g = fn([Vec[2], Vec[3]], Vec[2])(lambda u, x: [u[0] + rose.exp(u[1]) - x[0], u[1] - x[1] * u[0] - x[2]])
    return root(g)([0.0, 0.0], x)


def of_a_root(x: Any) -> Any:
    """A root whose equation has a root in it."""
    inner = fn([Real, Real], Real)(lambda t, a: t**3 + t - a)
    outer = fn([Real, Vec[3]], Real)(lambda u, x: u + 0.1 * root(inner)(0.0, u * x[0]) - x[1] * x[2])
    return x * root(outer)(0.0, x)


def of_a_gradient(x: Any) -> Any:
    f = fn([Vec[2], Vec[3]], Real)(lambda u, x: rose.exp(u[0] * x[0]) + (u[1] - x[1]) ** 2 * (1 + u[0] ** 2) - u[0])
    return root(rose.grad(f))([0.1, 0.0], x)


def of_matrices(x: Any) -> Any:
    """The square root of a matrix."""
    t = Vec[2, 2]
    g = fn([t, t], t)(lambda s, a: s @ s - a)
    return root(g)([[1.0, 0.0], [0.0, 1.0]], [[2.0 + x[0], x[1]], [x[2], 3.0]])


def iterated(x: Any) -> Any:
    return fixed_point(fn([Vec[3], Vec[3]], Vec[3])(lambda u, x: 0.5 * rose.sin(u) + x * u[0] * 0.1 + x))(x, x)


def in_a_loop(x: Any) -> Any:
    return x * rose.scan(lambda i, s: root(square)(1.0, s + x[i] ** 2), 1.0, 3)


def in_a_branch(x: Any) -> Any:
    return x * rose.cond(x[0] > 0.0, lambda: root(square)(1.0, x[0] + 2.0), lambda: x[1] * x[2])


def solved(x: Any) -> Any:
    return linear_solve(fn([Vec[2], Real], Vec[2])(lambda u, k: [3.0 * u[0] + k * u[1], u[1] - k * k * u[0]]))(
        x[1:], x[0]
    )


TWICE = (moved, of_a_root, in_a_branch, solved)
ONCE = (by_data, of_a_gradient, of_matrices, iterated, in_a_loop)


@pytest.mark.parametrize(("body", "orders"), [*[(f, 2) for f in TWICE], *[(f, 1) for f in ONCE]])
def test_derivatives_of_both_modes(body: Any, orders: int):
    derivatives_hold(lambda x: rose.sum(rose.sin(body(x)) * 1.5), np.array([0.4, 0.7, 0.3]), orders)


def test_the_first_four_derivatives_of_a_root():
    f = fn([Real], Real)(lambda a: root(square)(1.0, a))
    for order in range(4):
        assert f(2.0) == pytest.approx(math.prod([0.5 - k for k in range(order)]) * 2.0 ** (0.5 - order), rel=1e-14)
        f = rose.grad(f)


def test_structs_as_unknown_and_data():
    g = fn([Pair, Pair], Pair)(lambda x, a: Pair(x.size + x.at[0] - a.size, [x.at[0] ** 3 - a.at[0], x.at[1] - a.size]))
    found = root(g)(Pair(1.0, [1.0, 1.0]), Pair(4.0, [8.0, 0.0]))
    assert found.size == pytest.approx(2.0) and found.at == pytest.approx([2.0, 4.0])
    slope = rose.jacrev(root(g), 1)(Pair(1.0, [1.0, 1.0]), Pair(4.0, [8.0, 0.0]))
    assert (slope.size.size, slope.size.at[0]) == pytest.approx((1.0, -1.0 / 12.0))


def test_data_that_have_no_derivative():
    g = fn([Real, Fin[2], Bool, Vec[2]], Real)(lambda x, i, p, a: x**3 + rose.select(p, x, 0.0) - a[i])
    assert root(g)(1.0, 1, True, [5.0, 10.0]) == pytest.approx(2.0)
    assert rose.grad(root(g), 3)(1.0, 1, True, [5.0, 10.0]) == pytest.approx([0.0, 1.0 / 13.0])
    alone = root(fn([Real], Real)(lambda x: x * x - 2.0))
    assert rose.grad(alone)(1.0) == 0.0


def test_the_start_has_no_derivative():
    assert rose.grad(root(square))(1.0, 2.0) == 0.0


def test_a_rule_of_the_users_own_is_asked():
    cube = fn([Real], Real)(lambda x: x**3)
    cube.jvp(lambda x: Dual(cube(x.re), x.du * 30.0 * x.re**2))
    f = root(fn([Real, Real], Real)(lambda x, a: x**3 - cube(a)))
    assert rose.grad(f, 1)(1.0, 2.0) == pytest.approx(10.0)


def test_what_has_not_converged_is_nan_and_so_are_its_derivatives():
    assert math.isnan(root(square)(1.0, -2.0)) and math.isnan(rose.grad(root(square), 1)(1.0, -2.0))
    assert math.isnan(rose.jacfwd(root(square), 1)(1.0, -2.0))
    found = root(square, full=True)(1.0, -2.0)
    assert not found.converged and found.residual >= 2.0


def test_a_solution_says_how_it_was_found():
    assert isinstance(root(square, full=True)(1.0, 2.0), Solution)
    found = fn([Real], Solution[Real])(lambda a: root(square, full=True)(1.0, a))(2.0)
    assert (found.x, found.steps, found.converged) == (pytest.approx(2.0**0.5), 6.0, True)


def test_one_module_of_any_size_also_none():
    n = rose.dim("n")
    f = root(fn([Vec[n], Vec[n]], Vec[n])(lambda x, a: x**3 + x - a))
    module = rose.compile(f, rose.grad(fn([Vec[n]], Real)(lambda a: rose.sum(f(a, a)))), dynamic=True)
    for x in ([], [2.0], [2.0, 10.0, 30.0]):
        a = np.array(x) ** 3 + np.array(x)
        close(module(a, a), x, 1e-12)


def test_in_single_precision():
    f = rose.compile(root(square, tolerance=1e-4), dtype="f32")
    assert f(1.0, 2.0) == pytest.approx(2.0**0.5, rel=1e-6)


def test_eager_evaluation():
    with rose.eager():
        assert root(square)(1.0, 2.0) == pytest.approx(2.0**0.5)


def test_a_root_is_a_few_hundred_bytes():
    assert len(rose.compile(rose.grad(root(square), 1)).wasm) < 700

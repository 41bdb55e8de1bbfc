"""Linear functions as matrices: solutions against NumPy's, derivatives, and what is not linear or singular."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, random

import rose
from rose import Real, Vec, fn
from rose.errors import NotLinear
from rose.host.interpreter import run
from rose.implicit import Solution, linear_solve


@rose.struct
class Field:
    inner: Vec[2]
    edge: Real


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_solutions_are_those_of_numpy(n: int):
    a, b = random(n, n, n), np.arange(1.0, n + 1.0)
    f = linear_solve(fn([Vec[n], Vec[n, n]], Vec[n])(lambda x, a: a @ x))
    close(f(b, a), np.linalg.solve(a, b) if n else [], 1e-12)


def test_derivatives_are_those_of_a_solution_with_the_matrix():
    a, b = random(0, 3, 3), np.array([1.0, 2.0, 4.0])
    f = linear_solve(fn([Vec[3], Vec[3, 3]], Vec[3])(lambda x, a: a @ x))
    exact = fn([Vec[3], Vec[3, 3]], Vec[3])(lambda b, a: rose.linalg.solve(a, b))
    for k in (0, 1):
        close(rose.jacrev(f, k)(b, a), rose.jacrev(exact, k)(b, a), 1e-12)
        close(rose.jacfwd(f, k)(b, a), rose.jacrev(exact, k)(b, a), 1e-12)


def test_the_unknown_and_the_right_side_may_be_of_different_types():
    f = linear_solve(fn([Field], Vec[3])(lambda x: [2.0 * x.inner[0], x.inner[1] + x.edge, 4.0 * x.edge]))
    found = f([2.0, 5.0, 8.0])
    assert (*found.inner, found.edge) == pytest.approx((1.0, 3.0, 2.0))


def test_a_number_needs_no_matrix():
    f = linear_solve(fn([Real, Real], Real)(lambda x, k: k * x))
    assert f(6.0, 2.0) == 3.0 and rose.grad(f, 1)(6.0, 2.0) == -1.5
    assert len(rose.compile(f).wasm) < 200


METHODS = pytest.mark.parametrize("method", ["lu", "cg", "gmres"])


@METHODS
def test_what_is_singular_is_not_a_number(method: str):
    f = linear_solve(fn([Vec[2]], Vec[2])(lambda x: [x[0] + x[1], x[0] + x[1]]), method=method)
    assert not np.isfinite(f([1.0, 2.0])).all()


@METHODS
def test_what_is_not_linear_is_refused(method: str):
    f = linear_solve(fn([Vec[1]], Vec[1])(lambda x: x * x), method=method)
    with pytest.raises(NotLinear):
        f([1.0])


@METHODS
def test_each_method_finds_the_solution_and_its_derivatives(method: str):
    """Of a struct, by the right side, by data, and by what is captured."""

    def solved(k: Any, b: Any, how: str) -> Any:
        stiff = fn([Field, Real], Field)(
            lambda x, c: Field([c * x.inner[0] - x.edge, k * x.inner[1]], 3.0 * x.edge - x.inner[0])
        )
        found = linear_solve(stiff, method=how, rtol=1e-14)(Field([b, 2.0], b * b), 2.0 + k)
        return found.inner[0] * found.edge + found.inner[1]

    f, exact = [fn([Real, Real], Real)(lambda k, b, how=how: solved(k, b, how)) for how in (method, "lu")]
    inverse = np.linalg.inv([[3.5, -1.0], [-1.0, 3.0]])
    x, y = inverse @ [0.7, 0.49]
    assert f(1.5, 0.7) == pytest.approx(x * y + 2.0 / 1.5)
    for mode in (rose.grad, rose.hessian, rose.jacfwd):
        close(mode(f, (0, 1))(1.5, 0.7), mode(exact, (0, 1))(1.5, 0.7), 1e-11)
    gradient = rose.grad(f, (0, 1))
    assert rose.compile(gradient)(1.5, 0.7) == gradient(1.5, 0.7)


@METHODS
def test_a_full_result_says_how_it_went(method: str):
    f = linear_solve(fn([Vec[3], Real], Vec[3])(lambda x, k: k * x), method=method, full=True)
    found = f([1.0, 2.0, 4.0], 2.0)
    assert isinstance(found, Solution) and found.x.tolist() == [0.5, 1.0, 2.0]
    assert found.converged and found.residual == 0.0 and found.steps == 1.0
    assert not f([1.0, 2.0, 4.0], 0.0).converged


@pytest.mark.parametrize("method", ["cg", "gmres"])
def test_what_has_not_converged_is_not_a_number(method: str):
    a = random(0, 5, 5)
    f = linear_solve(fn([Vec[5]], Vec[5])(lambda x: rose.constant(Vec[5, 5], a @ a.T) @ x), method=method, max_steps=2)
    assert np.isnan(f(np.ones(5))).all() and np.isnan(rose.jacrev(f)(np.ones(5))).all()


@METHODS
@pytest.mark.parametrize("n", [0, 1, 3, 40])
def test_a_solution_is_linear_in_the_right_side(method: str, n: int):
    a, y = random(0, n, n), np.arange(1.0, n + 1.0)
    a = a @ a.T + np.eye(n) + np.triu(a) * (method != "cg")
    f = linear_solve(fn([Vec[n]], Vec[n])(lambda x: rose.constant(Vec[n, n], a) @ x), method=method, rtol=1e-14)
    across = rose.linear_transpose(f)
    close(across(y), np.linalg.solve(a.T, y) if n else [], 1e-10)
    close(rose.linear_transpose(across)(y), f(y), 1e-10)
    assert rose.compile(across)(y).tolist() == list(run(across.func, y.tolist()))


@METHODS
def test_the_transpose_has_derivatives_by_data_and_by_what_is_captured(method: str):
    """Of a struct, and of stacks of right sides."""

    @fn
    def stiff(x: Field, k: Real) -> Field:
        return Field([3.0 * x.inner[0] + x.edge, k * x.inner[1]], x.inner[0] + k * k * x.edge)

    def across(k: Any, *, capture: bool) -> Any:
        of = fn([Field], Field)(lambda x: stiff(x, k)) if capture else stiff
        solved = linear_solve(of, method=method, rtol=1e-14)
        one = fn([Field], Field)(lambda b: solved(b) if capture else solved(b, k))
        stack = fn([Vec[2, Field]], Vec[2, Field])(lambda bs: rose.vec(one(bs[i]) for i in rose.range(2)))
        found = rose.linear_transpose(stack)([Field([1.0, 2.0], 4.0), Field([0.0, 1.0], 3.0)])
        return found[0].inner[0] * found[1].edge + found[0].inner[1]

    @fn
    def by_hand(k: Real) -> Real:
        det = 3.0 * k * k - 1.0
        return (k * k - 4.0) / det * (9.0 / det) + 2.0 / k

    for capture in (False, True):
        f = fn([Real], Real)(lambda k, capture=capture: across(k, capture=capture))
        assert f(1.5) == pytest.approx(by_hand(1.5), rel=1e-12)
        for mode in (rose.grad, rose.jacfwd, rose.hessian):
            assert mode(f)(1.5) == pytest.approx(mode(by_hand)(1.5), rel=1e-11)


@METHODS
def test_of_no_unknowns_there_is_a_solution(method: str):
    f = linear_solve(fn([Vec[0]], Vec[0])(lambda x: x), method=method)
    assert f([]).tolist() == [] and rose.jacrev(f)([]).size == 0


@METHODS
def test_the_number_of_unknowns_may_be_any(method: str):
    n = rose.dim("n")
    f = linear_solve(fn([Vec[n], Vec[n]], Vec[n])(lambda x, d: d * x), method=method)
    across = rose.linear_transpose(linear_solve(fn([Vec[n]], Vec[n])(lambda x: 4.0 * x), method=method))
    for m in (0, 1, 4):
        close(f(np.ones(m), np.arange(1.0, m + 1.0)), 1.0 / np.arange(1.0, m + 1.0), 1e-9)
        close(across(np.ones(m)), np.full(m, 0.25), 1e-12)

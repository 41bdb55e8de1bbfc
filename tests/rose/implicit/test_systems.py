"""Linear functions as matrices: solutions against NumPy's, derivatives, and what is not linear or singular."""

from __future__ import annotations

import numpy as np
import pytest
from matrices import close, random

import rose
from rose import Real, Vec, fn
from rose.errors import NotLinear
from rose.implicit import linear_solve


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


def test_what_is_singular_is_not_a_number():
    f = linear_solve(fn([Vec[2]], Vec[2])(lambda x: [x[0] + x[1], x[0] + x[1]]))
    assert not np.isfinite(f([1.0, 2.0])).all()


def test_what_is_not_linear_is_refused():
    f = linear_solve(fn([Real], Real)(lambda x: x * x))
    with pytest.raises(NotLinear):
        f(1.0)

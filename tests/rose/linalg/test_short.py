"""Matrices of two to four rows: the bits of a module for every size, ties and nan, adjoints, and what code is left."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from matrices import bits_hold, close, derivatives_hold, matrix, positive, random

import rose
from rose import Real, Vec, fn, linalg
from rose.frontend.arrays.shapes import leaf_of
from rose.ir import AT, INDEX, is_index
from rose.ir.affine import affine_of
from rose.ir.callgraph import instructions, reachable
from rose.ir.types import Bool as truth
from rose.ir.types import Real as real
from rose.linalg.elimination import factors
from rose.linalg.short import ROWS, is_short
from rose.optimise.pipeline import optimised


def test_two_to_four_rows_are_written_out():
    assert [n for n in range(9) if is_short(n)] == [2, 3, 4]
    assert not is_short(rose.dim("n"))


def functions(n: Any) -> dict[str, Any]:
    m, v = Vec[n, Vec[n]], Vec[n]
    return {
        "lu": fn([m], tuple[m, m, m])(lambda a: tuple(linalg.lu(a))),
        "solve": fn([m, v], v)(linalg.solve),
        "matrix": fn([m, m], m)(linalg.solve),
        "slogdet": fn([m], tuple[Real, Real])(lambda a: tuple(linalg.slogdet(a))),
        "cholesky": fn([m], m)(linalg.cholesky),
        "definite": fn([m, v], v)(linalg.cholesky_solve),
        "inv": fn([m], m)(linalg.inv),
    }


EVERY = rose.compile(functions(rose.dim("n")), dynamic=True)
SHORT = {n: rose.compile(functions(n)) for n in ROWS}


def same(x: Any, y: Any) -> bool:
    """The same bits, but for the sign of a 0 and what is in a nan."""
    return all([np.array_equal(a, b, equal_nan=True) for a, b in zip(np.atleast_1d(x), np.atleast_1d(y), strict=True)])


def agree(n: int, a: Any, b: Any) -> None:
    one, given = SHORT[n], {"solve": (b[0],), "matrix": (b,), "definite": (b[0],)}
    for name in ("lu", "solve", "matrix", "slogdet", "cholesky", "definite"):
        args = (a, *given.get(name, ()))
        assert same(getattr(one, name)(*args), getattr(EVERY, name)(*args)), name


@pytest.mark.parametrize("n", ROWS)
def test_values_have_the_bits_of_a_module_for_every_size(n: int):
    b = random(9, n, n)
    for seed in range(20):
        agree(n, np.random.default_rng(seed).normal(size=(n, n)), b)
        agree(n, positive(seed, n), b)


@pytest.mark.parametrize("n", ROWS)
def test_pivots_of_any_order_and_equal_ones(n: int):
    b, grid = random(9, n, n), np.random.default_rng(n)
    for order in permutations(range(n)):
        agree(n, 3.0 * np.eye(n)[list(order)] + grid.normal(size=(n, n)), b)
    for _ in range(40):
        agree(n, grid.integers(-1, 2, size=(n, n)).astype(float), b)


@pytest.mark.parametrize("x", [np.nan, np.inf, -np.inf, 0.0, 1e-310, 1e308])
@pytest.mark.parametrize("n", ROWS)
def test_what_is_not_a_number_and_what_is_extreme_are_where_they_are_by_loops(n: int, x: float):
    b = random(9, n, n)
    for i in range(n):
        for j in range(n):
            a = random(n, n, n)
            a[i, j] = x
            agree(n, a, b)
    agree(n, np.full((n, n), x), b)


@pytest.mark.parametrize("n", ROWS)
def test_an_inverse_is_that_of_every_size_but_for_rounding(n: int):
    for seed in range(20):
        a = np.random.default_rng(seed).normal(size=(n, n))
        got, wanted = SHORT[n].inv(a), EVERY.inv(a)
        assert np.abs(got - wanted).max() <= 4.0 * np.spacing(np.abs(wanted).max()) * np.linalg.cond(a)
        close(got, np.linalg.inv(a), 1e-15 * np.linalg.cond(a) ** 1.5)
    for order in permutations(range(n)):
        a = np.diag(2.0 ** np.arange(n))[list(order)]
        assert np.array_equal(SHORT[n].inv(a), np.linalg.inv(a))
    assert not np.isfinite(SHORT[n].inv(np.ones((n, n)))).any()


BODIES: dict[str, Callable[[Any], Any]] = {
    "solve": lambda a: rose.sum(rose.sin(linalg.solve(a, a[0] * a[1]))),
    "matrix": lambda a: rose.sum(rose.sin(linalg.solve(a, a[:, :1] * a))),
    "inv": lambda a: rose.sum(rose.sin(linalg.inv(a))),
    "slogdet": lambda a: linalg.slogdet(a).logabsdet * linalg.slogdet(a).sign,
    "factors": lambda a: rose.sum(rose.sin(linalg.lu(a).L) * linalg.lu(a).U),
    "cholesky": lambda a: rose.sum(rose.sin(linalg.cholesky(a @ a.T))),
    "definite": lambda a: rose.sum(rose.sin(linalg.cholesky_solve(a @ a.T, a[0]))),
    "stack": lambda a: rose.sum(rose.sin(linalg.inv(np.stack([a, 2.0 * a, a.T])))),
}


@pytest.mark.parametrize("n", ROWS)
@pytest.mark.parametrize("name", BODIES)
def test_derivatives_of_both_modes_to_second_order(name: str, n: int):
    a = random(n, n, n)
    derivatives_hold(BODIES[name], a[::-1] if name == "solve" else a)


def test_the_third_derivative_of_a_solution_where_rows_change_places():
    f = fn([Real], Real)(lambda t: linalg.solve([[t, 1.0, 0.0], [2.0, t * t, 0.0], [0.0, 1.0, 4.0]], [1.0, t, 1.0])[0])
    exact = fn([Real], Real)(lambda t: (t * t - t) / (t * t * t - 2.0))
    of = lambda f: rose.grad(rose.grad(rose.grad(f)))
    assert of(f)(0.7) == pytest.approx(of(exact)(0.7), rel=1e-11)


# programs of different fields


def filtered(p: Any) -> Any:
    """A Kalman filter of a position and a velocity."""

    def step(_: Any, s: Any) -> Any:
        x, cov, total = s
        move = rose.array([[1.0, 0.1], [0.0, 1.0]])
        x, cov = move @ x, move @ cov @ move.T + p[0] * np.eye(2)
        spread = cov + p[1] * np.eye(2)
        y = p[2:4] - x
        gain = cov @ np.linalg.inv(spread)
        return x + gain @ y, cov - gain @ cov, total + y @ np.linalg.inv(spread) @ y + np.log(np.linalg.det(spread))

    return rose.scan(step, (rose.array([0.0, 1.0]), rose.array(np.eye(2).tolist()), 0.0), 5)[2]


def mapped(p: Any) -> Any:
    """The affine map of one triangle to another."""
    corners = rose.array([[p[0], p[1], 1.0], [p[2], p[3], 1.0], [p[4], p[5], 1.0]])
    return rose.sum(np.linalg.solve(corners, rose.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])) ** 2)


def projected(p: Any) -> Any:
    """What takes four points to the corners of a square."""
    rows = rose.array([[p[k], p[k + 4], p[k] * p[k + 4], 1.0] for k in range(4)])
    return rose.sum(np.linalg.solve(rows, rose.array([0.0, 1.0, 1.0, 0.0])) ** 2)


def density(p: Any) -> Any:
    """A normal distribution of three variables at some points."""
    cov = rose.array([[p[0], p[1], p[2]], [p[1], p[3], p[4]], [p[2], p[4], p[5]]]) + 9.0 * np.eye(3)
    inverse, d = np.linalg.inv(cov), p[5:8] - 0.5
    return d @ inverse @ d + np.linalg.slogdet(cov)[1]


def newton(p: Any) -> Any:
    """Where two curves meet."""

    def step(_: Any, x: Any) -> Any:
        slope = rose.array([[2.0 * x[0], p[0]], [p[1], 2.0 * x[1]]])
        left = rose.array([x[0] ** 2 + p[0] * x[1] - 3.0, x[1] ** 2 + p[1] * x[0] - 5.0])
        return x - np.linalg.solve(slope, left)

    x = rose.scan(step, rose.array([1.0, 2.0]), 6)
    return x[0] * x[1]


def strained(p: Any) -> Any:
    """The energy of tetrahedra, by how they differ from their rest: a stack of matrices."""
    rest = rose.array([[[p[k], 0.2, 0.1], [0.3, p[k + 1], 0.1], [0.2, 0.4, p[k + 2]]] for k in range(4)])
    f = np.linalg.inv(rest)
    return rose.sum(f * f) - rose.sum(np.log(np.linalg.det(f) ** 2))


def whitened(p: Any) -> Any:
    """Numbers that a covariance of four variables makes independent."""
    cov = rose.array([[p[abs(i - j)] for j in range(4)] for i in range(4)]) + 9.0 * np.eye(4)
    return rose.sum(np.linalg.cholesky(cov) ** 3) + rose.sum(linalg.cholesky_solve(cov, p[4:8]) ** 2)


PROGRAMS = {f.__name__: f for f in (filtered, mapped, projected, density, newton, strained, whitened)}
POINT = np.array([1.3, 0.4, 2.2, 1.7, 0.9, 3.1, 0.6, 1.1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_the_same_bits_compiled_as_interpreted(name: str):
    bits_hold(PROGRAMS[name], POINT)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_have_right_derivatives(name: str):
    derivatives_hold(PROGRAMS[name], POINT)


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_row_is_looked_up(name: str):
    """Every place is known but for the indices of loops; and no adjoint asks whether a number was reached."""
    made = optimised({"g": rose.grad(fn([Vec[8]], Real)(PROGRAMS[name])).func})["g"]
    code = [v for f in reachable(made) if f.has_body for v in instructions(f.body)]
    places = [v.args[1] for v in code if v.op in (AT, INDEX) and len(v.args) == 2]
    assert [i for i in places if not all(map(is_index, affine_of(i).terms))] == []
    assert [v for v in code if v.op.name == "reached"] == []


def test_the_pattern_of_a_factor_is_a_triangle():
    rows = rose.sparsity(fn([matrix(3, 3)], matrix(3, 3))(linalg.cholesky)).by_row()
    assert rows[0] == [0] and rows[3] == [0, 3] and rows[4] == [0, 3, 4] and rows[1] == rows[2] == []


@pytest.mark.parametrize("n", ROWS)
def test_a_tape_has_no_rows(n: int):
    """What an elimination hands on is numbers and truth values."""
    kinds: list[Any] = []

    def body(a: Any) -> Any:
        kinds.extend([leaf_of(x.type) for x in factors(a)])
        return 0.0

    _ = fn([matrix(n, n)], Real)(body).func
    assert set(kinds) == {real, truth}

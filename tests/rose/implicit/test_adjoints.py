"""Adjoint equations: derivatives of the solution, in both modes, by everything; or nan, where the way back is lost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matrices import close

import rose
from rose import Fin, Real, Vec, fn
from rose.differentiation.linear_map import LinearMap
from rose.implicit import ode

METHODS = pytest.mark.parametrize("method", ["dormand-prince", "rosenbrock"])


@rose.struct
class Body:
    at: Vec[2]
    speed: Vec[2]


@rose.struct
class Medium:
    mass: Real
    drag: Vec[2]


@fn
def decay(t: Real, y: Real, k: Real) -> Real:
    return -k * y


@METHODS
def test_derivatives_by_all_that_a_solution_depends_on(method: str):
    def body(a: Any, b: Any, y: Any, k: Any) -> Any:
        driven = fn([Real, Real], Real)(lambda t, y: -k * y + rose.sin(k * t))
        return ode(driven, a, b, y, adjoint=True, method=method, rtol=1e-10, atol=1e-10)

    f, x = fn([Real, Real, Real, Real], Real)(body), (0.2, 1.5, 2.0, 0.7)
    exact = fn([Real, Real, Real, Real], Real)(
        lambda a, b, y, k: (y - wave(a, k)) * rose.exp(-k * (b - a)) + wave(b, k)
    )
    wave = lambda t, k: (rose.sin(k * t) - rose.cos(k * t)) / (2.0 * k)
    assert f(*x) == pytest.approx(exact(*x), rel=1e-9)
    every = (0, 1, 2, 3)
    close(rose.grad(f, every)(*x), rose.grad(exact, every)(*x), 1e-8)
    close(rose.jacfwd(f, every)(*x), rose.grad(exact, every)(*x), 1e-8)
    close(rose.hessian(f, every)(*x), rose.hessian(exact, every)(*x), 1e-7)
    assert rose.compile(rose.grad(f, every))(*x) == rose.grad(f, every)(*x)


def path(adjoint: bool) -> Any:
    """A number of a path through structs at several times, with data in structs and around it."""

    def body(m: Any, b: Any, ts: Any, q: Any) -> Any:
        orbit = fn([Real, Body, Medium], Body)(
            lambda t, b, m: Body(b.speed, -m.mass * b.at / rose.norm(b.at) ** 3 - q * m.drag * b.speed)
        )
        p = ode(orbit, 0.0, ts, b, m, adjoint=adjoint, rtol=1e-11, atol=1e-11)
        return p[0].at[0] * p[1].speed[1] + p[2].at[1] ** 2 + p[1].at[0]

    return fn([Medium, Body, Vec[3], Real], Real)(body)


@pytest.mark.parametrize("ts", [[0.5, 1.3, 2.0], [1.0, 0.4, 0.4], [-0.5, -1.0, 0.0]])
def test_of_states_at_times_in_any_order_they_are_those_of_the_steps(ts: Any):
    at = (Medium(1.1, [0.1, 0.2]), Body([1.0, 0.1], [0.2, 1.1]), ts, 0.3)
    by_steps = rose.grad(path(False), (0, 1, 2, 3))(*at)
    for derivative in (rose.grad, rose.jacfwd):
        m, b, times, q = derivative(path(True), (0, 1, 2, 3))(*at)
        close([m.mass, *m.drag, *b.at, *b.speed, *times, q], numbers(by_steps), 1e-8)
    assert rose.hessian(path(True), 3)(*at) == pytest.approx(rose.hessian(path(False), 3)(*at), abs=1e-6)


def numbers(found: Any) -> list[float]:
    m, b, times, q = found
    return [m.mass, *m.drag, *b.at, *b.speed, *times, q]


def test_reverse_mode_keeps_no_steps():
    tapes = [LinearMap(path(adjoint)).tape_type() for adjoint in (False, True)]
    assert [t.stacked for t in tapes] == [True, False]


@METHODS
def test_where_the_way_back_is_lost_gradients_are_not_numbers(method: str):
    f = fn([Real, Real], Real)(lambda y, k: ode(decay, 0.0, 1.0, y, k, adjoint=True, method=method))
    assert all(map(math.isnan, rose.grad(f, (0, 1))(2.0, 30.0)))
    close(rose.jacfwd(f, (0, 1))(2.0, 30.0), [math.exp(-30.0), -2.0 * math.exp(-30.0)], 1e-8)
    close(rose.grad(f, (0, 1))(2.0, 3.0), [math.exp(-3.0), -2.0 * math.exp(-3.0)], 1e-7)


def test_with_states_between_there_is_a_way_back():
    ts = list(np.linspace(0.1, 1.0, 10))
    f = fn([Real, Real], Real)(lambda y, k: ode(decay, 0.0, ts, y, k, adjoint=True)[3])
    close(rose.grad(f, (0, 1))(2.0, 20.0), [math.exp(-8.0), -0.8 * math.exp(-8.0)], 1e-6)


def test_what_has_no_solution_has_no_derivative():
    square = fn([Real, Real], Real)(lambda t, y: y * y)
    for full in (False, True):
        end = (
            (lambda y, t: ode(square, 0.0, t, y, adjoint=True, full=True).y)
            if full
            else (lambda y, t: ode(square, 0.0, t, y, adjoint=True))
        )
        f = fn([Real, Real], Real)(end)
        assert math.isnan(rose.grad(f)(1.0, 2.0)) and math.isnan(rose.jacfwd(f)(1.0, 2.0))
        close(rose.grad(f, (0, 1))(1.0, 0.5), [4.0, 4.0], 1e-7)


def test_the_time_that_was_reached_moves_with_the_last_one():
    f = fn([Real, Vec[2]], Real)(lambda y, ts: ode(decay, 0.0, ts, y, 1.0, adjoint=True, full=True).t)
    assert rose.grad(f, (0, 1))(1.0, [0.5, 0.7])[1].tolist() == [0.0, 1.0]
    one = fn([Real, Real], Real)(lambda y, t: ode(decay, 0.0, t, y, 1.0, adjoint=True, full=True).t)
    assert rose.grad(one, 1)(1.0, 0.5) == 1.0


def test_data_that_have_no_derivative_stay():
    table = fn([Real, Vec[2], tuple[Fin[2], Real]], Vec[2])(lambda t, y, p: [y[p[0]] * p[1], -y[0]])
    exact, f = [
        fn([Vec[2], tuple[Fin[2], Real]], Real)(lambda y, p, how=how: rose.sum(ode(table, 1.0, 0.2, y, p, adjoint=how)))
        for how in (False, True)
    ]
    for (y, p), (wanted, q) in [(rose.grad(g, (0, 1))([1.0, 2.0], (1, 0.5)) for g in (f, exact))]:
        close([*y, p[1]], [*wanted, q[1]], 1e-7)
        assert p[0] == q[0] == 1


def test_times_and_states_may_be_none():
    n = rose.dim("n")
    still = fn([Real, Vec[0]], Vec[0])(lambda t, y: y)
    assert rose.jacrev(fn([Real], Vec[0])(lambda t: ode(still, 0.0, t, [], adjoint=True)))(1.0).size == 0
    f = fn([Vec[n], Real], Vec[n])(lambda ts, k: ode(decay, 0.0, ts, 2.0, k, adjoint=True))
    for ts in ([], [1.0], [1.0, 0.5]):
        close(rose.jacrev(f, 1)(ts, 0.7), -2.0 * np.array(ts) * np.exp(-0.7 * np.array(ts)), 1e-7)


def test_small_cotangents_have_as_many_digits():
    f = fn([Real], Real)(lambda k: 1e-20 * ode(decay, 0.0, 1.0, 2.0, k, adjoint=True))
    assert rose.grad(f)(1.0) == pytest.approx(-2e-20 * math.exp(-1.0), rel=1e-7)


def test_in_loops_branches_batches_and_taylor_mode():
    f = fn([Real], Real)(lambda k: ode(decay, 0.0, 1.0, 2.0, k, adjoint=True))
    wanted = 2.0 * math.exp(-1.0)
    close(rose.jet(f, 3)([1.0, 1.0, 0.0, 0.0]), [wanted, -wanted, wanted, -wanted], 1e-7)
    many = fn([Vec[2]], Real)(lambda ks: rose.sum(rose.vmap(f)(ks)))
    close(rose.hessian(many)([1.0, 0.0]), [[wanted, 0.0], [0.0, 2.0]], 1e-7)
    either = fn([Real, Real], Real)(lambda k, y: rose.select(k > 0.0, ode(decay, 0.0, 1.0, y, k, adjoint=True), k))
    assert rose.grad(either, (0, 1))(-1.0, math.nan) == (1.0, 0.0)
    chain = fn([Real], Real)(lambda y: rose.scan(lambda i, y: ode(decay, 0.0, 1.0, y, 0.5, adjoint=True), y, 3))
    assert rose.grad(chain)(2.0) == pytest.approx(math.exp(-1.5), rel=1e-7)

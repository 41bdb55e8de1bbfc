"""Solutions of differential equations: against closed forms and SciPy's; where they end; derivatives, twice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold
from scipy.integrate import solve_ivp

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.implicit import Trajectory, ode

METHODS = ("dormand-prince", "rosenbrock")
of_both = pytest.mark.parametrize("method", METHODS)


@rose.struct
class Body:
    at: Vec[2]
    speed: Vec[2]


@fn
def decay(t: Real, y: Real, k: Real) -> Real:
    return -k * y


@fn
def orbit(t: Real, b: Body) -> Body:
    return Body(b.speed, -b.at / rose.norm(b.at) ** 3)


@fn
def square(t: Real, y: Real) -> Real:
    return y * y


NUMBERS: dict[str, tuple[Any, float, float, float, float]] = {
    "growth": (lambda t, y: y, 0.0, 1.0, 2.0, 2.0 * math.e),
    "backwards": (lambda t, y: y, 1.0, 0.0, 2.0, 2.0 / math.e),
    "by time alone": (lambda t, y: rose.cos(t), 0.0, 2.0, 0.0, math.sin(2.0)),
    "nothing": (lambda t, y: 0.0 * y, 0.0, 1.0, 3.0, 3.0),
    "no range": (lambda t, y: y, 2.0, 2.0, 3.0, 3.0),
    "logistic": (lambda t, y: y * (1.0 - y), 0.0, 5.0, 0.01, 0.01 * math.exp(5.0) / (0.99 + 0.01 * math.exp(5.0))),
    "to a pole": (lambda t, y: y * y, 0.0, 0.9, 1.0, 10.0),
    "late": (lambda t, y: y, 1e6, 1e6 + 1.0, 1.0, math.e),
    "to the edge of what is defined": (lambda t, y: -rose.sqrt(1.0 - t), 0.0, 1.0, 1.0, 1.0 / 3.0),
}


@of_both
@pytest.mark.parametrize("name", NUMBERS)
def test_solutions_are_those_of_closed_forms(name: str, method: str):
    body, t0, t1, y0, wanted = NUMBERS[name]
    found = ode(fn([Real, Real], Real)(body), t0, t1, y0, method=method, full=True)
    assert found.converged and found.y == pytest.approx(wanted, rel=2e-7)


def test_stiff_oscillations_as_scipy_finds_them():
    f = fn([Real, Vec[2], Real], Vec[2])(lambda t, y, k: [y[1], k * (1.0 - y[0] ** 2) * y[1] - y[0]])
    g = lambda t, y: [y[1], 1000.0 * (1.0 - y[0] ** 2) * y[1] - y[0]]  # of van der Pol
    wanted = solve_ivp(g, (0.0, 1000.0), [2.0, 0.0], method="Radau", rtol=1e-10, atol=1e-10).y[:, -1]
    stiff, plain = [ode(f, 0.0, 1000.0, [2.0, 0.0], 1000.0, method=m, max_steps=3000, full=True) for m in METHODS[::-1]]
    close(stiff.y, wanted)
    assert stiff.converged and stiff.steps < 2000 and not plain.converged


def test_three_reactions_of_very_different_speed():
    speeds = lambda y: [-0.04 * y[0] + 1e4 * y[1] * y[2], 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] ** 2]
    f = fn([Real, Vec[3]], Vec[3])(lambda t, y: [*speeds(y), 3e7 * y[1] ** 2])  # of Robertson
    y = ode(f, 0.0, 40.0, [1.0, 0.0, 0.0], method="rosenbrock", atol=1e-12)
    assert y == pytest.approx([0.7158270688, 9.185534765e-6, 0.2841637457], rel=1e-6)


def test_an_orbit_closes():
    end = ode(orbit, 0.0, 2.0 * math.pi, Body([1.0, 0.0], [0.0, 1.0]), rtol=1e-12, atol=1e-12)
    assert end.at == pytest.approx([1.0, 0.0], abs=1e-10) and end.speed == pytest.approx([0.0, 1.0], abs=1e-10)


@of_both
def test_a_tolerance_is_kept(method: str):
    for tolerance in (1e-4, 1e-7, 1e-10):
        y = ode(decay, 0.0, 3.0, 1.0, 1.0, rtol=tolerance, atol=tolerance, method=method)
        assert abs(y - math.exp(-3.0)) < 5.0 * tolerance


@of_both
def test_states_at_times_in_any_order(method: str):
    times = [0.5, 0.5, 2.0, -1.0, 0.0]
    assert ode(decay, 0.0, times, 2.0, 1.0, method=method) == pytest.approx(2.0 * np.exp(-np.array(times)), rel=1e-6)
    found = ode(orbit, 0.0, [1.0, 2.0], Body([1.0, 0.0], [0.0, 1.0]), method=method, full=True)
    assert found.t == 2.0 and [b.at[0] for b in found.y] == pytest.approx([math.cos(1.0), math.cos(2.0)], rel=1e-6)


def test_many_times_cost_a_step_each():
    found = ode(decay, 0.0, np.linspace(0.01, 1.0, 100), 1.0, 1.0, full=True)
    assert 100 <= found.steps < 110


def test_what_has_no_solution_is_nan():
    f = fn([Real], Real)(lambda y: ode(square, 0.0, 2.0, y))
    assert math.isnan(f(1.0)) and math.isnan(rose.grad(f)(1.0)) and math.isnan(rose.jacfwd(f)(1.0))
    found = ode(square, 0.0, 2.0, 1.0, full=True)
    assert not found.converged and found.t == pytest.approx(1.0) and found.y > 1e6


def test_times_before_a_pole_have_their_states():
    got = ode(square, 0.0, [0.5, 2.0, 0.1], 1.0)
    assert got[0] == pytest.approx(2.0) and np.isnan(got[1:]).all()


@pytest.mark.parametrize("most", [1, 3])
def test_max_steps_end_a_search(most: int):
    found = ode(square, 0.0, 0.9, 1.0, max_steps=most, full=True)
    assert (found.steps + found.rejected, found.converged) == (most, False) and 0.0 <= found.t < 0.9


@pytest.mark.parametrize(("t1", "y0"), [(math.nan, 1.0), (1.0, math.nan), (1.0, math.inf), (math.inf, 1.0)])
def test_numbers_that_are_none_end_a_search(t1: float, y0: float):
    assert math.isnan(ode(decay, 0.0, t1, y0, 1.0))


@of_both
def test_derivatives_by_all_that_a_solution_depends_on(method: str):
    f = fn([Real, Real, Real, Real], Real)(lambda a, b, y, k: ode(decay, a, b, y, k, method=method))
    wanted = np.array([6.0, -6.0, 1.0, -2.0]) * math.exp(-3.0)
    assert rose.grad(f, (0, 1, 2, 3))(0.0, 1.0, 2.0, 3.0) == pytest.approx(wanted, rel=2e-7)
    assert rose.grad(f, (0, 1, 2, 3))(1.0, 1.0, 2.0, 3.0) == pytest.approx((6.0, -6.0, 1.0, 0.0), abs=1e-13)


def driven(x: Any, method: str, rtol: float = 1e-10) -> Any:
    """A pendulum that is pushed: times, start and data move with `x`."""
    f = fn([Real, Vec[2], Vec[3]], Vec[2])(lambda t, y, x: [y[1] * x[0], rose.cos(t) - rose.sin(y[0]) * x[1]])
    y = ode(f, x[0], 1.0 + x[1], x[1:], x, rtol=rtol, atol=1e-2 * rtol, method=method)
    return y[0] * 1.5 + y[1]


def at_times(x: Any, method: str) -> Any:
    """A number, at times that move with `x`, which the rate captures."""
    f = fn([Real, Real], Real)(lambda t, y: rose.sin(t * x[0]) * y + x[2])
    return rose.sum(ode(f, 0.0, [0.5, x[1], x[1] * 2.0], x[0] * x[1], rtol=1e-10, atol=1e-12, method=method) ** 2)


def of_structs(x: Any, method: str) -> Any:
    f = fn([Real, Body], Body)(lambda t, b: Body(b.speed * x[0], -b.at * x[1]))
    return ode(f, 0.0, 1.0, Body(x[:2], [x[2], 1.0]), rtol=1e-10, atol=1e-12, method=method).at[1]


def within_another(x: Any, method: str) -> Any:
    inner = fn([Real, Real], Real)(lambda t, y: -y * x[0])
    outer = fn([Real, Real], Real)(lambda t, y: ode(inner, 0.0, t, x[1], method=method) - x[2] * y)
    return ode(outer, 0.0, 1.0, 1.0, rtol=1e-9, atol=1e-9, method=method)


@pytest.mark.parametrize(
    ("body", "method", "orders"),
    [
        (driven, "dormand-prince", 2),
        (driven, "rosenbrock", 1),
        (at_times, "dormand-prince", 1),
        (at_times, "rosenbrock", 2),
        (of_structs, "dormand-prince", 1),
        (within_another, "dormand-prince", 1),
    ],
)
def test_derivatives_of_both_modes(body: Any, method: str, orders: int):
    derivatives_hold(lambda x: body(x, method), np.array([0.4, 0.7, 0.3]), orders)


def test_the_derivatives_are_those_of_the_steps():
    """Of a state that is linear in its start, they are those of the numbers: to the last bits, and not to 1e-3."""
    f = fn([Real], Real)(lambda y: ode(decay, 0.0, 1.0, y, 1.0, rtol=1e-3, atol=0.0))
    assert rose.grad(f)(2.0) == pytest.approx(f(2.0) / 2.0, rel=1e-14)


def test_reverse_over_reverse():
    f = fn([Real], Real)(lambda k: ode(decay, 0.0, 1.0, 2.0, k))
    assert rose.grad(rose.grad(f))(3.0) == pytest.approx(2.0 * math.exp(-3.0), rel=1e-6)


@of_both
def test_the_interpreter_and_a_module_agree_to_the_bit(method: str):
    f = fn([Vec[3]], Real)(lambda x: driven(x, method, 1e-3))
    x = [0.4, 0.7, 0.3]
    assert rose.compile(f)(x) == run(f.func, x)
    assert np.array_equal(rose.compile(rose.grad(f))(x), np.array(run(rose.grad(f).func, x)))


def test_one_module_of_any_size_also_none():
    n = rose.dim("n")
    rate = fn([Real, Vec[n]], Vec[n])(lambda t, y: -y)
    f = fn([Vec[n]], Real)(lambda y: rose.sum(ode(rate, 0.0, 1.0, y)))
    module = rose.compile(f, rose.grad(f), dynamic=True)
    for size in (0, 1, 5):
        close(module(np.ones(size)), size * math.exp(-1.0))


@of_both
def test_states_and_times_of_no_length(method: str):
    rate = fn([Real, Vec[0]], Vec[0])(lambda t, y: y)
    assert ode(rate, 0.0, 1.0, [], method=method).shape == (0,)
    assert ode(decay, 0.0, [], 1.0, 1.0, method=method).shape == (0,)


def test_in_single_precision():
    f = fn([Real], Real)(lambda y: ode(decay, 0.0, 1.0, y, 1.0, rtol=1e-4, atol=1e-5))
    assert rose.compile(f, dtype="f32")(1.0) == pytest.approx(math.exp(-1.0), rel=1e-4)


def test_with_two_lanes_the_bits_are_the_same():
    n = 7
    rate = fn([Real, Vec[n]], Vec[n])(lambda t, y: -y * y)
    f = fn([Vec[n]], Vec[n])(lambda y: ode(rate, 0.0, 1.0, y))
    y = np.linspace(0.1, 1.0, n)
    assert np.array_equal(rose.compile(f, simd=True)(y), f(y))


def test_a_trajectory_says_how_it_was_found():
    found = fn([Real], Trajectory[Real])(lambda k: ode(decay, 0.0, 1.0, 1.0, k, full=True))(1.0)
    assert isinstance(found, Trajectory) and (found.t, found.converged) == (1.0, True) and found.steps > 3.0


def test_eager_evaluation():
    with rose.eager():
        assert ode(square, 0.0, 0.5, 1.0) == pytest.approx(2.0)


def test_a_solution_of_one_number_is_about_a_kilobyte():
    assert len(rose.compile(fn([Real], Real)(lambda k: ode(decay, 0.0, 1.0, 1.0, k))).wasm) < 1300

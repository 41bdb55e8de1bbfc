"""The time at which a trajectory meets a surface: against closed forms; which crossing counts; derivatives, twice."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold

import rose
from rose import Real, Vec, fn
from rose.host.interpreter import run
from rose.implicit import Event, event

METHODS = ("dormand-prince", "rosenbrock")


@rose.struct
class Ball:
    height: Real
    speed: Real


@fn
def fall(t: Real, b: Ball, g: Real) -> Ball:
    return Ball(b.speed, -g)


@fn
def height(t: Real, b: Ball, g: Real) -> Real:
    return b.height


@fn
def turn(t: Real, y: Vec[2]) -> Vec[2]:
    return [y[1], -y[0]]


@fn
def first(t: Real, y: Vec[2]) -> Real:
    return y[0]


@pytest.mark.parametrize("method", METHODS)
def test_a_fall_ends_when_it_should(method: str):
    met = event(fall, height, 0.0, 5.0, Ball(10.0, 0.0), 9.81, method=method)
    assert met.converged and met.t == pytest.approx(math.sqrt(20.0 / 9.81), rel=1e-12)
    assert abs(met.y.height) < 1e-13 and met.y.speed == pytest.approx(-math.sqrt(20.0 * 9.81), rel=1e-12)


@pytest.mark.parametrize(
    ("start", "direction", "wanted"),
    [
        ([0.0, 1.0], -1, math.pi),
        ([0.0, 1.0], 1, 2.0 * math.pi),
        ([0.0, 1.0], 0, math.pi),
        ([1.0, 0.0], -1, 0.5 * math.pi),
        ([1.0, 0.0], 1, 1.5 * math.pi),
        ([-1e-17, 1.0], -1, math.pi),
        ([0.0, -1.0], 1, math.pi),
    ],
)
def test_crossings_count_by_their_direction(start: list[float], direction: int, wanted: float):
    assert event(turn, first, 0.0, 10.0, start, direction=direction).t == pytest.approx(wanted, rel=1e-7)


def test_backwards_in_time():
    assert event(turn, first, 0.0, -10.0, [1.0, 0.0]).t == pytest.approx(-0.5 * math.pi, rel=1e-7)


@pytest.mark.parametrize("t1", [1.0, 0.0, math.nan, math.inf])
def test_a_surface_that_is_not_met_is_nan(t1: float):
    met = event(fall, height, 0.0, t1, Ball(10.0, 0.0), 9.81)
    assert not met.converged and math.isnan(met.t) and math.isnan(met.y.height)
    t = fn([Real], Real)(lambda h: event(fall, height, 0.0, t1, Ball(h, 0.0), 9.81).t)
    assert math.isnan(rose.grad(t)(10.0)) and math.isnan(rose.jacfwd(t)(10.0))


def test_surfaces_of_time_alone_and_steep_ones():
    clock = fn([Real, Vec[2]], Real)(lambda t, y: t - 0.3)
    assert event(turn, clock, 0.0, 1.0, [1.0, 0.0]).t == pytest.approx(0.3, rel=1e-15)
    steep = fn([Real, Vec[2]], Real)(lambda t, y: rose.tanh(50.0 * y[0]))
    assert event(turn, steep, 0.0, 3.0, [1.0, 0.0]).t == pytest.approx(0.5 * math.pi, rel=1e-7)


def test_the_derivatives_are_those_of_the_closed_form():
    t = fn([Real, Real], Real)(lambda h, g: event(fall, height, 0.0, 5.0, Ball(h, 0.0), g).t)
    wanted = math.sqrt(20.0 / 9.81)
    assert rose.grad(t, (0, 1))(10.0, 9.81) == pytest.approx((wanted / 20.0, -wanted / 19.62), rel=1e-12)
    assert rose.grad(rose.grad(t))(10.0, 9.81) == pytest.approx(-wanted / 400.0, rel=1e-11)
    assert rose.jacfwd(rose.jacfwd(t))(10.0, 9.81) == pytest.approx(-wanted / 400.0, rel=1e-11)


def test_the_start_moves_the_time_and_the_range_does_not():
    t = fn([Real, Real], Real)(lambda a, b: event(fall, height, a, b, Ball(10.0, 0.0), 9.81).t)
    assert rose.grad(t, (0, 1))(1.0, 5.0) == pytest.approx((1.0, 0.0), abs=1e-12)


def to_a_moving_wall(x: Any, method: str) -> Any:
    rate = fn([Real, Vec[2], Vec[3]], Vec[2])(lambda t, y, x: [y[1], -x[0] * y[0] - 0.1 * y[1] + rose.sin(t)])
    wall = fn([Real, Vec[2], Vec[3]], Real)(lambda t, y, x: y[0] - x[1] - 0.1 * t)
    met = event(rate, wall, x[2], 10.0, [2.0, x[0]], x, direction=-1, method=method, rtol=1e-11, atol=1e-12)
    return met.t + 2.0 * met.y[1]


def captured(x: Any, method: str) -> Any:
    rate = fn([Real, Real], Real)(lambda t, y: -x[0] * y)
    level = fn([Real, Real], Real)(lambda t, y: y - x[1] * x[2])
    return event(rate, level, 0.0, 20.0, 2.0 + x[2], method=method, rtol=1e-11, atol=1e-12).t


@pytest.mark.parametrize(
    ("body", "method", "orders"),
    [(to_a_moving_wall, "dormand-prince", 1), (captured, "dormand-prince", 2), (captured, "rosenbrock", 1)],
)
def test_derivatives_of_both_modes(body: Any, method: str, orders: int):
    derivatives_hold(lambda x: body(x, method), np.array([0.4, 0.7, 0.3]), orders)


def test_impacts_one_after_another():
    """A ball that keeps a part of its speed: times and their derivatives are those of a geometric series."""

    def bounce(_: Any, s: Any) -> Any:
        t, b = s
        met = event(fall, height, t, t + 5.0, b, 9.81, direction=-1)
        return met.t, Ball(0.0, -0.8 * met.y.speed)

    t = fn([Real], Real)(lambda v: rose.scan(bounce, (0.0, Ball(0.0, v)), 10)[0])
    each = sum([0.8**k for k in range(10)]) * 2.0 / 9.81
    assert t(3.0) == pytest.approx(3.0 * each, rel=1e-12) and rose.grad(t)(3.0) == pytest.approx(each, rel=1e-12)


def test_the_interpreter_and_a_module_agree_to_the_bit():
    f = fn([Vec[3]], Real)(lambda x: captured(x, "dormand-prince"))
    x = [0.4, 0.7, 0.3]
    assert rose.compile(f)(x) == run(f.func, x)


def test_any_size():
    n = rose.dim("n")
    rate = fn([Real, Vec[n]], Vec[n])(lambda t, y: -y)
    level = fn([Real, Vec[n]], Real)(lambda t, y: rose.sum(y) - 1.0)
    for size in (2, 3):
        close(event(rate, level, 0.0, 5.0, np.ones(size)).t, math.log(size))
    assert not event(rate, level, 0.0, 5.0, []).converged


def test_in_single_precision():
    f = fn([Real], Real)(lambda h: event(fall, height, 0.0, 5.0, Ball(h, 0.0), 9.81, rtol=1e-4, atol=1e-4).t)
    assert rose.compile(f, dtype="f32")(10.0) == pytest.approx(math.sqrt(20.0 / 9.81), rel=1e-5)


def test_an_event_says_how_it_was_found():
    met = fn([Real], Event[Ball])(lambda h: event(fall, height, 0.0, 5.0, Ball(h, 0.0), 9.81))(10.0)
    assert isinstance(met, Event) and isinstance(met.y, Ball) and met.steps > 3.0

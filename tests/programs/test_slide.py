"""The fastest slide: times and derivatives against what is known of the cycloid, and against differences."""

import math
from typing import Any

import numpy as np
import pytest
import slide as example
from slide import GRAVITY, WAVES, Cycloid, Descent

import rose
from rose import Real, Vec, fn
from rose import functional as F

MODULE = rose.compile({f: getattr(example, f) for f in ("seconds", "descend", "pull", "look", "cycloid")})
STRAIGHT = np.zeros((WAVES, 2))
FINE = F.Grid.gauss_legendre(0.0, 1.0, 200)
ENDS = [
    (1.0, -1.0), (8.0, -3.4), (8.0, -2.0), (2.0, -5.0), (math.pi, -2.0), (9.2, -6.0), (5.0, -1.0), (1.0, -6.0)
]  # fmt: skip


def made(*heights: float, aside: tuple[float, ...] = ()) -> Any:
    """A slide with waves of these heights, and of these widths."""
    slide = STRAIGHT.copy()
    slide[: len(heights), 1], slide[: len(aside), 0] = heights, aside
    return slide


SLIDES = [
    STRAIGHT, made(-0.1), made(0.1, -0.2, 0.05), made(-0.1, -0.04, 0.12, -0.08), made(0, 0, 0, 0, -0.1),
    made(-0.1, aside=(0.2, -0.1)), made(-0.3, 0.1, aside=(0.1,)), made(*[-0.1 / k for k in range(1, WAVES + 1)]),
]  # fmt: skip


def rolled(end: tuple[float, float]) -> Any:
    """The cycloid to an end, as a function of s."""
    wheel: Cycloid = MODULE.cycloid(end)
    r, turn = wheel.radius, wheel.angle

    @fn
    def curve(s: Real) -> Vec[2]:
        return [r * (turn * s - rose.sin(turn * s)), r * (rose.cos(turn * s) - 1)]

    return curve


def test_the_cycloid_is_that_of_the_brachistochrone():
    wheel = MODULE.cycloid([1, -1])
    assert (wheel.angle, wheel.radius) == pytest.approx((2.41201114391352534, 0.572917037531750384), rel=1e-14)
    assert wheel.seconds * math.sqrt(2 * GRAVITY) == pytest.approx(2.581904512827772, rel=1e-14)
    half = MODULE.cycloid([math.pi, -2])  # a wheel of radius 1, which makes half of a circle
    assert (half.angle, half.radius) == pytest.approx((math.pi, 1), rel=1e-14)


@fn
def least(end: Vec[2]) -> Real:
    return example.cycloid(end).seconds


@pytest.mark.parametrize("end", ENDS)
def test_the_cycloid_goes_through_its_end_and_has_a_derivative(end: tuple[float, float]):
    assert rolled(end)(1) == pytest.approx(end, rel=1e-13)
    slope, h = rose.grad(least)(end), 1e-5
    for k in range(2):
        up, down = ([x + s * h * (j == k) for j, x in enumerate(end)] for s in (1, -1))
        apart = MODULE.cycloid(up).seconds - MODULE.cycloid(down).seconds
        assert slope[k] == pytest.approx(apart / (2 * h), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("end", ENDS)
def test_the_time_of_a_straight_line_and_of_a_cycloid(end: tuple[float, float]):
    x, y = end
    assert MODULE.seconds(end, STRAIGHT) == pytest.approx(math.sqrt(2 * (x * x + y * y) / (-y * GRAVITY)), rel=1e-12)
    assert example.time(rolled(end)) == pytest.approx(MODULE.cycloid(end).seconds, rel=1e-12)


@pytest.mark.parametrize("end", ENDS)
def test_on_the_cycloid_the_derivative_is_zero_and_beside_it_not(end: tuple[float, float]):
    slope = rose.grad(example.time)(rolled(end))
    assert np.abs([slope(s) for s in (0.05, 0.3, 0.6, 0.99)]).max() < 1e-8
    places = MODULE.look(end, SLIDES[3])
    assert max([np.abs(p.slope).max() for p in places[1:]]) > 0.1


@fn
def along(end: Vec[2], slide: example.Slide, direction: example.Slide) -> Real:
    """The derivative of the time times a direction, integrated finely."""
    slope = rose.grad(example.time)(example.curve(end, slide))
    way = rose.fn([Real], Vec[2])(lambda s: example.waves(s) @ direction)
    return F.integrate(F.pointwise(rose.dot, slope, way), FINE)


@pytest.mark.parametrize("slide", SLIDES[1:])
@pytest.mark.parametrize("direction", [made(1), made(0, 0, 1), made(0, aside=(1, 0, -1, 0.5))], ids=["1", "2", "3"])
def test_the_derivative_is_that_of_differences(slide: Any, direction: Any):
    end, h = (3.0, -2.0), 1e-5
    apart = MODULE.seconds(end, slide + h * direction) - MODULE.seconds(end, slide - h * direction)
    assert along(end, slide, direction) == pytest.approx(apart / (2 * h), rel=1e-6, abs=1e-8)


def test_the_second_derivative_is_symmetric_and_positive_across_the_cycloid():
    ways = [rose.fn([Real], Vec[2])(lambda s, k=k: [0.0, s * rose.sin(k * math.pi * s)]) for k in (1.0, 2.0, 5.0)]
    seconds = [rose.hvp(example.time)(rolled((3.0, -2.0)), way) for way in ways]
    table = [[F.integrate(F.pointwise(rose.dot, h, way), FINE) for way in ways] for h in seconds]
    np.testing.assert_allclose(table, np.transpose(table), rtol=1e-8)
    assert np.linalg.eigvalsh(table).min() > 0


@pytest.mark.parametrize("slide", SLIDES[1:])
def test_the_derivative_stands_across_the_slide(slide: Any):
    """To push a slide along itself changes nothing."""
    end = (3.0, -2.0)
    nabla = F.nabla(example.curve(np.array(end), slide))
    for k, place in enumerate(MODULE.look(end, slide)[1:], 1):
        way = nabla(k / (example.PLACES - 1))
        assert abs(np.dot(place.slope, way)) < 1e-9 * np.linalg.norm(place.slope) * np.linalg.norm(way)


@pytest.mark.parametrize("end", ENDS)
def test_a_descent_comes_to_a_thousandth_of_the_cycloid(end: tuple[float, float]):
    for slide in SLIDES:
        now = Descent(slide * min(end[0], -end[1]), math.inf, 0.0)
        now = Descent(now.slide, MODULE.seconds(end, now.slide), 10.0)
        assert math.isfinite(now.seconds)
        before = now.seconds
        for _ in range(150):
            now = MODULE.descend(end, now)
            assert now.seconds <= before
            before = now.seconds
        fastest = MODULE.cycloid(end).seconds
        assert fastest * (1 - 1e-9) < now.seconds < 1.001 * fastest


@pytest.mark.parametrize("slide", SLIDES)
def test_a_slide_is_pulled_where_it_is_held_and_keeps_its_ends(slide: Any):
    end, places = (3.0, -2.0), MODULE.look((3.0, -2.0), slide)
    after = MODULE.look(end, MODULE.pull(slide, 0.25, [0.1, -0.2]))
    assert after[20].at - places[20].at == pytest.approx([0.1, -0.2])
    assert [after[0].at.tolist(), after[-1].at] == [[0, 0], pytest.approx(end)]


@pytest.mark.parametrize("slide", SLIDES)
def test_the_bead_is_at_the_end_after_the_time_of_the_slide(slide: Any):
    seconds = [p.seconds for p in MODULE.look((3.0, -2.0), slide)]
    assert seconds == sorted(seconds)
    assert seconds[-1] == pytest.approx(MODULE.seconds((3.0, -2.0), slide), rel=2e-3)


def test_on_a_slide_above_its_start_no_bead_arrives():
    assert math.isnan(MODULE.seconds((3.0, -2.0), made(3)))
    here = Descent(made(-0.1), MODULE.seconds((3.0, -2.0), made(-0.1)), 1e9)
    there = MODULE.descend((3.0, -2.0), here)  # much too far, so that it is taken back
    assert (there.seconds, there.rate, there.slide.tolist()) == (here.seconds, 5e8, here.slide.tolist())

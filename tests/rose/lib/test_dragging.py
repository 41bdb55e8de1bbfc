"""The drag solver: where points come to lie, and what of the parameters it moves on the way."""

from __future__ import annotations

import math
from typing import Any

import drag as pictures
import numpy as np
import pytest
from harness import Module, same

import rose
from rose import Fin, Real, Vec, fn, lib
from rose.host.interpreter import run

WIDE = [-100.0] * 3, [100.0] * 3


@fn
def arm(angles: Vec[3]) -> Vec[4, Vec[2]]:
    """The ends of three bars of length 1, each turned against the one before, and the middle of two of them."""
    x, y, angle, ends = 0.0, 0.0, 0.0, []
    for k in range(3):
        angle = angle + angles[k]
        x, y = x + rose.cos(angle), y + rose.sin(angle)
        ends.append([x, y])
    return [*ends, [(ends[0][0] + ends[2][0]) / 2, (ends[0][1] + ends[2][1]) / 2]]


@fn
def flat(p: Vec[5]) -> Vec[1, Vec[2]]:
    """A picture that is linear."""
    return [[sum(a * p[i] for i, a in enumerate(row)) for row in FLAT]]


FLAT = np.array([[1.0, -2.0, 0.5, 0.0, 3.0], [0.5, 1.0, 0.0, 2.0, -1.0]])

ARM = rose.compile({"points": arm, "drag": lib.dragger(arm)})
START = [0.3, 0.4, 0.5]


def dragged(
    *, handle: int = 2, target: Any, p: Any = START, weights: Any = (1, 1, 1), low: Any = None, high: Any = None
):
    given = weights, WIDE[0] if low is None else low, WIDE[1] if high is None else high
    return ARM.drag(p, handle, target, *given)


def off(p: Any, handle: int, target: Any) -> float:
    return math.dist(ARM.points(p)[handle], target)


@pytest.mark.parametrize("handle", range(4))
def test_a_point_comes_to_lie_where_it_is_dragged(handle: int):
    """Also the middle of two points, which is computed from computed ones."""
    x, y = ARM.points(START)[handle]
    there = (math.cos(0.5), math.sin(0.5)) if handle == 0 else (x - 0.1, y + 0.2)
    assert off(dragged(handle=handle, target=there), handle, there) < 1e-12


def test_two_bars_have_the_angle_that_the_law_of_cosines_says():
    p = dragged(handle=1, target=[1.2, 0.9])
    assert math.cos(p[1]) == pytest.approx((1.2**2 + 0.9**2 - 2) / 2, abs=1e-12)
    assert p[2] == START[2]


def test_of_all_ways_to_a_point_it_takes_the_least():
    """In a linear picture, that is the pseudoinverse; with weights, that of the weighted parameters."""
    drag = rose.compile(lib.dragger(flat))
    p, target = np.array([1.0, 2.0, -1.0, 0.5, 0.0]), np.array([0.3, 2.0])
    for weights in (np.full(5, 9.0), np.array([9.0, 1.0, 4.0, 0.0, 2.0])):
        found = drag(p, 0, target, weights, np.full(5, -99.0), np.full(5, 99.0))
        least = weights * (np.linalg.pinv(FLAT * weights) @ (target - FLAT @ p))
        assert found == pytest.approx(p + least, abs=1e-10)
        assert FLAT @ found == pytest.approx(target, abs=1e-12)


def test_a_locked_parameter_stays_even_outside_of_its_bounds():
    p = dragged(target=[1.0, 2.0], weights=[1, 0, 1], high=[100.0, 0.1, 100.0])
    assert p[1] == START[1]
    assert off(p, 2, [1.0, 2.0]) < 1e-12


def test_with_all_locked_nothing_moves():
    assert dragged(target=[1.0, 2.0], weights=[0, 0, 0]).tolist() == START


def test_what_would_leave_its_bounds_goes_just_to_them():
    assert dragged(handle=0, target=[math.cos(1), math.sin(1)], high=[0.8, 9, 9])[0] == 0.8
    p = dragged(target=[1.0, 2.0], high=[100.0, 0.45, 100.0])
    assert p[1] <= 0.45 < dragged(target=[1.0, 2.0])[1]
    assert off(p, 2, [1.0, 2.0]) < 1e-12


def test_in_bounds_it_comes_as_near_as_they_allow():
    """Beside the least of many points within the bounds."""
    low, high = [0.2, 0.3, 0.4], [0.4, 0.5, 0.6]
    p: Any = START
    for _ in range(5):
        p = dragged(target=[1.0, 2.5], p=p, low=low, high=high)
    grid = np.stack(np.meshgrid(*[np.linspace(a, b, 21) for a, b in zip(low, high, strict=True)]), -1).reshape(-1, 3)
    turned = np.cumsum(grid, axis=1)
    ends = np.stack([np.cos(turned).sum(1), np.sin(turned).sum(1)], 1)
    assert off(p, 2, [1.0, 2.5]) <= np.hypot(*(ends - [1.0, 2.5]).T).min() + 1e-9
    assert (np.array(low) <= p).all()
    assert (p <= high).all()


def test_from_outside_of_its_bounds_a_parameter_comes_back():
    p = dragged(target=[1.0, 2.0], high=[100.0, 0.2, 100.0])
    assert p[1] <= 0.2
    assert off(p, 2, [1.0, 2.0]) < 1e-12


def test_what_is_out_of_reach_is_pointed_at():
    """The nearest point of the circle around the shoulder; and there it rests."""
    p, target = START, [5.0, 2.0]
    for _ in range(40):
        p = dragged(target=target, p=p)
    far = math.hypot(*target)
    assert ARM.points(p)[2] == pytest.approx([3 * x / far for x in target], abs=1e-4)
    again = dragged(target=target, p=p)
    assert np.abs(again - p).max() < 1e-4


def test_no_step_is_longer_than_the_weights_say():
    p = rose.compile(lib.dragger(arm, turns=1))(START, 2, [-2.0, -2.0], [0.1, 0.1, 0.1], *WIDE)
    assert 0 < math.dist(p, START) < 0.1 + 1e-12


def test_it_never_goes_where_a_coordinate_is_no_number():
    @fn
    def edge(p: Vec[1]) -> Vec[2, Vec[2]]:
        return [[p[0], 0.0], [rose.sqrt(1.0 - p[0]), rose.log(p[0])]]

    module = rose.compile({"points": edge, "drag": lib.dragger(edge)})
    for target in ([3.0, 0.0], [-3.0, 0.0]):
        p = [0.5]
        for _ in range(20):
            p = module.drag(p, 0, target, [1.0], [-1e9], [1e9])
        assert np.isfinite(module.points(p)).all()
        assert p[0] > 0.99 if target[0] > 0 else p[0] < 0.01
    assert module.drag([0.5], 0, [1e300, 0.0], [1.0], [-1e9], [1e9]) == [0.5]


@pytest.mark.parametrize("x", [math.inf, -math.inf, math.nan, 1e200, 5e-324])
def test_whatever_it_is_given_it_makes_no_nan(x: float):
    for given in ({"target": [x, 0.0]}, {"weights": [x, 1, 1]}, {"low": [x, -1, -1]}, {"high": [x, 1, 1]}):
        assert np.isfinite(dragged(**{"target": [1.0, 2.0], **given})).all() or not math.isfinite(x)


# constraints


@fn
def one(p: Vec[4]) -> Vec[2, Vec[2]]:
    return [[p[0], p[1]], [p[2], p[3]]]


@fn
def kept(p: Vec[4], length: Real) -> Vec[1]:
    return [rose.hypot(p[0] - p[2], p[1] - p[3]) - length]


def test_constraints_hold_after_each_call():
    drag = rose.compile(lib.dragger(one, kept))
    p = np.array([0.0, 0.0, 2.0, 0.0])
    for k in range(50):
        p = drag(p, 0, [math.sin(0.3 * k), math.cos(0.2 * k)], [1.0] * 4, [-1.0] * 4, [1.5] * 4, 2.0)
        assert math.dist(p[:2], p[2:]) == pytest.approx(2, abs=1e-9)
        assert p.max() <= 1.5


def test_against_a_constraint_a_point_comes_as_near_as_it_can():
    """A point on a circle of radius 2 around one that is locked."""
    drag = rose.compile(lib.dragger(one, kept))
    p = [0.0, 0.0, 2.0, 0.0]
    for _ in range(5):
        p = drag(p, 1, [3.0, 4.0], [0, 0, 1, 1], [-9.0] * 4, [9.0] * 4, 2.0)
    assert p == pytest.approx([0, 0, 1.2, 1.6], abs=1e-3)
    assert math.hypot(p[2], p[3]) == pytest.approx(2, abs=1e-9)


# parameters of other types


@rose.struct
class Disc:
    centre: Vec[2]
    radius: Real


@fn
def rims(discs: Vec[2, Disc]) -> Vec[2, Vec[2]]:
    return [[d.centre[0] + d.radius, d.centre[1]] for d in (discs[0], discs[1])]


def test_parameters_may_be_structs_with_vectors_in_vectors():
    drag = rose.compile(lib.dragger(rims))
    given, one = [Disc([0.0, 0.0], 1.0), Disc([5.0, 5.0], 2.0)], [Disc([1.0, 1.0], 0.0), Disc([1.0, 1.0], 1.0)]
    low, high = [Disc([-9.0, -9.0], 0.0)] * 2, [Disc([9.0, 9.0], 9.0)] * 2
    first = drag(given, 0, [3.0, 1.0], one, low, high)
    assert (first[0].centre.tolist(), first[0].radius) == ([pytest.approx(2), pytest.approx(1)], 1.0)
    assert (first[1].centre.tolist(), first[1].radius) == ([5.0, 5.0], 2.0)
    second = drag(given, 1, [9.0, 5.0], one, low, high)
    assert (second[1].centre[0], second[1].radius) == (pytest.approx(6), pytest.approx(3))


def test_a_point_may_have_three_coordinates():
    @fn
    def ray(p: Vec[3]) -> Vec[1, Vec[3]]:
        return [[p[0], p[0] * p[1], p[2]]]

    p = lib.dragger(ray)([1.0, 1.0, 1.0], 0, [2.0, 3.0, 4.0], [9.0] * 3, [-9.0] * 3, [9.0] * 3)
    assert p == pytest.approx([2, 1.5, 4])


def test_a_picture_may_be_of_any_size():
    n = rose.dim("n")

    @fn
    def chain(p: Vec[n]) -> Vec[n, Vec[2]]:
        return rose.vec([p[i], 2 * p[i]] for i in rose.range(n))

    drag = lib.dragger(chain)
    for size in (1, 3):
        p = drag([1.0] * size, size - 1, [3.0, 3.0], [9.0] * size, [-9.0] * size, [9.0] * size)
        assert p == pytest.approx([*[1.0] * (size - 1), 1.8])


def test_names_that_are_taken_get_others():
    @fn
    def picture(low: Vec[2]) -> Vec[1, Vec[2]]:
        return [low]

    @fn
    def rule(low: Vec[2], target: Real) -> Vec[1]:
        return [low[0] - target]

    assert lib.dragger(picture, rule).names == ("low", "handle", "target", "weights", "low_", "high", "target_")


# as any other function


def test_the_module_has_the_bits_of_the_interpreter():
    drag, kept_ = lib.dragger(arm), lib.dragger(one, kept)
    module = Module({"drag": drag.func, "kept": kept_.func})
    given = (0.3, 0.4, 0.5), 3, (1.0, 1.5), (1.0, 0.5, 1.0), (-1.0, -1.0, 0.0), (1.0, 0.6, 2.0)
    assert same(module["drag"](*given), run(drag.func, *given))
    given = (0.0, 0.0, 2.0, 0.0), 1, (2.0, 2.0), (1.0, 1.0, 1.0, 0.0), (-1.0,) * 4, (3.0,) * 4, 2.0
    assert same(module["kept"](*given), run(kept_.func, *given))


def test_it_is_called_by_other_functions():
    drag = lib.dragger(arm)

    @fn
    def twice(p: Vec[3], k: Fin[4]) -> Vec[3]:
        one, low, high = [1.0] * 3, *WIDE
        return drag(drag(p, k, [1.0, 1.0], one, low, high), k, [1.5, 1.5], one, low, high)

    assert twice(START, 2) == pytest.approx(dragged(target=[1.5, 1.5], p=dragged(target=[1.0, 1.0])), rel=1e-15)


# the pictures of the demo site

LEG = rose.compile({"points": pictures.leg, "drag": pictures.drag_leg, "walks": pictures.walks})
JANSEN = pictures.JANSEN


def leg(turn: float, place: float, bars: float) -> pictures.Leg:
    """One number for each kind of parameter of a leg."""
    return pictures.Leg([turn] * 2, [place] * 2, [place] * 2, [bars] * 11)


LOW, HIGH = leg(-10.0, -200.0, 1.0), leg(10.0, 200.0, 200.0)


def test_the_foot_of_a_leg_goes_all_along_its_path_and_only_the_crank_turns():
    p, path = JANSEN, LEG.points(JANSEN)[8:]
    for k in range(1, 37):
        p = LEG.drag(p, 7, path[k % 36], leg(0.25, 0.0, 0.0), LOW, HIGH)
        assert LEG.points(p)[7] == pytest.approx(path[k % 36], abs=1e-6)
        turned = math.atan2(p.turn[1], p.turn[0]) - math.tau * k / 36
        assert math.remainder(turned, math.tau) == pytest.approx(0, abs=1e-3)  # of rounded directions
    assert p.bars.tolist() == JANSEN.bars


@pytest.mark.parametrize("handle", range(44))
def test_every_point_of_a_leg_can_be_dragged_and_the_leg_stays_in_one_piece(handle: int):
    p = JANSEN
    x, y = LEG.points(p)[handle]
    for k in range(1, 6):
        p = LEG.drag(p, handle, [x + 0.4 * k, y + 0.3 * k], leg(0.0, 5.0, 5.0), LOW, HIGH)
    assert LEG.points(p)[handle] == pytest.approx([x + 2, y + 1.5], abs=1e-6)
    assert LEG.walks(p) == pytest.approx(0, abs=1e-9)


TRIANGLE = rose.compile({"points": pictures.triangle, "drag": pictures.drag_triangle})
CORNERS = np.array([0.0, 0.0, 10.0, 0.0, 3.0, 8.0])


@pytest.mark.parametrize("handle", range(16))
@pytest.mark.parametrize(("what", "size"), [((0, 0, 0, 0), 0.0), ((0, 0, 1, 0), 10.0), ((0, 0, 0, 1), 40.0)])
def test_every_point_of_a_triangle_can_be_dragged(handle: int, what: tuple[int, ...], size: float):
    to = TRIANGLE.points(CORNERS)[handle] + [0.4, -0.3]
    room = np.full(6, 2.0), np.full(6, -30.0), np.full(6, 30.0)
    found = TRIANGLE.drag(CORNERS, handle, to, *room, what, size)
    a, b, c = found.reshape(3, 2)
    assert TRIANGLE.points(found)[handle] == pytest.approx(to, abs=1e-6)
    assert not what[2] or math.dist(a, b) == pytest.approx(10, abs=1e-9)
    assert not what[3] or np.linalg.det([b - a, c - a]) / 2 == pytest.approx(40, abs=1e-9)


def test_a_triangle_has_nine_points_on_a_circle():
    points = TRIANGLE.points(CORNERS)
    height, nine, radius = points[14], points[15], math.dist(points[13], points[0]) / 2
    for p in points[3:12]:
        assert math.dist(p, nine) == pytest.approx(radius, rel=1e-12)
    a, b, c = points[:3]
    assert [np.dot(height - a, c - b), np.dot(height - b, a - c)] == pytest.approx([0, 0], abs=1e-12)

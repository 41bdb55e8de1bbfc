"""Points and directions of any type."""

from __future__ import annotations

import random

from rose.frontend.annotations import dual
from rose.ir.types import Bool, Fin, Real, Vec, tuple_of
from rose.testing import points

TYPE = tuple_of(Real, Vec(2, tuple_of(Real, Bool, Fin(3))), Vec(0, Real))
POINT = (1.0, ((2.0, True, 1), (3.0, False, 2)), ())


def test_a_value_of_any_type_is_drawn_and_what_is_no_number_is_that_of_another():
    x = points.draw(TYPE, random.Random(0), points.direction, like=POINT)
    assert [y[1:] for y in x[1]] == [(True, 1), (False, 2)]
    assert all([0.25 <= abs(y) <= 1.0 for y in points.reals(x, TYPE)])


def test_numbers_are_read_moved_and_joined_in_order():
    assert list(points.reals(POINT, TYPE)) == [1.0, 2.0, 3.0]
    assert points.moved(POINT, POINT, 0.5, TYPE) == (1.5, ((3.0, True, 1), (4.5, False, 2)), ())
    both = points.joined(POINT, POINT, TYPE)
    assert list(points.duals_of(both, TYPE)) == [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]


def test_bits_tell_zeros_apart_and_no_nan_from_another():
    assert points.bits((0.0,)) != points.bits((-0.0,))
    assert points.bits(float("nan")) == points.bits(-float("nan"))


def test_the_first_part_that_differs_is_found_with_its_path():
    other = (1.0, ((2.0, True, 1), (-3.0, False, 2)), ())
    assert points.apart(POINT, other, TYPE) == ([1, 1, 0], 3.0, -3.0, Real)
    assert points.apart((0.0, 1.0), (-0.0, 2.0), dual(Real)) == (["re"], 0.0, -0.0, Real)
    assert points.apart(1, 2, Fin(3)) == ([], 1, 2, Fin(3))

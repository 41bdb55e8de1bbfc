"""Functions of numbers: one for the same thing, of any type, and pickled."""

import pickle
from typing import Any

import pytest

from rose import Fin, Real, Vec, fn
from rose.functional import functions_of_numbers as of
from rose.ir.types import tuple_of

MIXED = tuple_of(Real, Vec[2], Fin[3])


def test_a_function_is_one_for_the_same_types_and_pickled_as_such():
    f = of.known(of.opposite, (MIXED,), MIXED, "minus")
    assert of.known(of.opposite, (MIXED,), MIXED, "minus") is f and pickle.loads(pickle.dumps(f)) is f
    assert of.nothing(MIXED) is of.nothing(MIXED) and of.nothing(MIXED)()[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("f", "want"), [(of.opposite, (-0.5, [-1.0, -2.0], 1))])
def test_each_number_is_changed_and_nothing_else(f: Any, want: Any):
    y = fn([MIXED], MIXED)(f)((0.5, [1.0, 2.0], 1))
    assert (y[0], y[1].tolist(), y[2]) == want
    scaled = fn([Vec[2, 0], Real], Vec[2, 0])(lambda x, by: of.product(x, by))
    assert scaled([[], []], 2.0).shape == (2, 0)

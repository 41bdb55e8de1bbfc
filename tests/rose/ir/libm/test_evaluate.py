"""musl's functions, evaluated by Python."""

import math

import pytest

from rose.ir.libm import function, nearest


@pytest.mark.parametrize(("name", "x"), [("sin", 1.0), ("exp", -0.5), ("log", 3.0), ("atan", 0.25), ("cosh", 2.0)])
def test_a_function_is_as_near_as_pythons(name: str, x: float):
    assert math.isclose(function(name)(x), getattr(math, name)(x), rel_tol=1e-15)


def test_special_arguments_have_the_answers_of_ieee_754():
    assert math.isnan(function("log")(-1.0)) and function("exp")(1000.0) == math.inf
    assert math.copysign(1.0, function("sin")(-0.0)) == -1.0


def test_numbers_are_rounded_to_32_bits():
    assert nearest(1.0 + 2.0**-25) == 1.0 and nearest(0.5) == 0.5
    assert nearest(1e39) == math.inf and nearest(-1e39) == -math.inf

"""`argnums`: which parameters to differentiate in."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Bool, Real, Vec
from rose.differentiation.arguments import positions, real_result


@rose.fn
def f(x: Real, on: Bool, v: Vec[2]) -> Real:
    return rose.select(on, x * v[0], v[1])


@pytest.mark.parametrize(("argnums", "wanted"), [(0, (0,)), (-1, (2,)), ([2, 0], (2, 0)), ((), ())])
def test_positions_count_from_either_end(argnums: Any, wanted: tuple[int, ...]):
    assert positions(f, argnums, "grad") == wanted


@pytest.mark.parametrize("argnums", [3, -4, "x", [0, 7], 1.0])
def test_a_parameter_that_is_not_there_is_an_error_that_names_those_that_are(argnums: Any):
    with pytest.raises(rose.RoseError, match="no parameter number") as e:
        positions(f, argnums, "grad")
    assert e.value.hint == "its parameters are x, on, v"


def test_a_parameter_without_a_derivative_is_an_error():
    with pytest.raises(rose.RoseError, match="on is a Bool, which has no derivative"):
        positions(f, 1, "grad")


def test_a_result_without_reals_is_an_error():
    assert real_result(f, "jacobian") is Real
    with pytest.raises(rose.RoseError, match="gives a Bool"):
        real_result(rose.fn([Real], Bool)(lambda x: x > 0.0), "jacobian")

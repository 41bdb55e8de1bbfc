"""Options of searches: what is one is taken, and what is none is named."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rose.errors import OutOfRange, TypeMismatch
from rose.frontend import options


@pytest.mark.parametrize("x", [0, 0.0, 1e-300, 3, 1e300])
def test_a_tolerance_is_a_number_that_is_not_negative(x: float):
    options.tolerance(x, "rtol")


@pytest.mark.parametrize("x", [-1, -1e-300, math.nan, math.inf])
def test_other_numbers_are_none(x: float):
    with pytest.raises(OutOfRange, match="rtol is a number that is not negative, not"):
        options.tolerance(x, "rtol")


@pytest.mark.parametrize("x", [None, "1e-3", True, [1.0]])
def test_a_tolerance_is_of_the_host(x: Any):
    with pytest.raises(TypeMismatch, match="rtol is a number"):
        options.tolerance(x, "rtol")


@pytest.mark.parametrize(
    ("n", "kind"), [(0, OutOfRange), (2.5, OutOfRange), (True, TypeMismatch), (None, TypeMismatch)]
)
def test_how_often_is_an_integer_above_0(n: Any, kind: type[Exception]):
    options.count(1, "restart")
    with pytest.raises(kind, match="restart is an integer above 0, not"):
        options.count(n, "restart")

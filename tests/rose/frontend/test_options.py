"""Options of searches: what is one is taken, and what is none is named."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rose.errors import OutOfRange, TypeMismatch
from rose.frontend import options
from rose.frontend.function import make
from rose.ir.types import Fin, Real, Type, Vec

NUMBERS = [options.number, options.number_or_traced]
COUNTS = [options.count, options.count_or_traced]


@pytest.mark.parametrize("of", NUMBERS)
@pytest.mark.parametrize("x", [0, 0.0, 1e-300, 3, 1e300, np.float64(0.5), np.int32(1), np.array(0.5)])
def test_a_number_is_one_of_python_or_numpy_that_is_not_negative(of: Any, x: Any):
    assert of(x, "rtol") == float(x)
    assert of(x, "rtol").__class__ is float  # which can be hashed


@pytest.mark.parametrize("of", NUMBERS)
@pytest.mark.parametrize("x", [-1, -1e-300, math.nan, math.inf])
def test_other_numbers_are_out_of_range(of: Any, x: float):
    with pytest.raises(OutOfRange, match="rtol is a number that is not negative, not"):
        of(x, "rtol")


def test_a_number_is_below_its_bound():
    assert options.number(0.5, "b1", 1.0) == 0.5
    with pytest.raises(OutOfRange, match="b1 is from 0 to below 1, not 1"):
        options.number_or_traced(1.0, "b1", 1.0)


@pytest.mark.parametrize("of", NUMBERS)
@pytest.mark.parametrize("x", [None, "1e-3", True, [1.0], np.zeros(2), 1j])
def test_what_is_no_number_is_a_mismatch(of: Any, x: Any):
    with pytest.raises(TypeMismatch, match="rtol is a number, not"):
        of(x, "rtol")


@pytest.mark.parametrize("of", COUNTS)
@pytest.mark.parametrize(
    ("n", "kind"), [(0, OutOfRange), (-1, OutOfRange), (2.5, TypeMismatch), (True, TypeMismatch), (None, TypeMismatch)]
)
def test_how_often_is_an_integer_above_0(of: Any, n: Any, kind: type[Exception]):
    assert of(1, "restart") == of(np.int64(1), "restart") == 1
    with pytest.raises(kind, match="restart is an integer above 0, not"):
        of(n, "restart")


def traced(of: Any, t: Type) -> None:
    def body(most: Any) -> Any:
        return of(most, "most")

    assert make(body, [t], t, "traced", ["most"]).func.params


@pytest.mark.parametrize(("of", "what"), [(options.number, "a number"), (options.count, "an integer")])
def test_a_part_of_the_program_is_not_traced(of: Any, what: str):
    with pytest.raises(TypeMismatch, match=f"most is {what} that is known while tracing, not a traced Real"):
        traced(of, Real)


@pytest.mark.parametrize("of", [options.number_or_traced, options.count_or_traced])
def test_others_may_be_traced_numbers(of: Any):
    traced(of, Real)
    traced(of, Fin(3))
    with pytest.raises(TypeMismatch, match=r"most is an? \w+ that is known while tracing, not a traced Vec\[2\]"):
        traced(of, Vec(2, Real))

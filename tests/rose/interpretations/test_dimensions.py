"""Dimensions: as text, and of what an operation gives."""

from __future__ import annotations

import pytest

from rose.interpretations import Refusal
from rose.interpretations.dimensions import ANY, of_result, parsed, spelled
from rose.interpretations.meanings import LENGTH, SCALING
from rose.ir import OPS

NAMED = {**OPS, "norm": LENGTH, "scaling": SCALING}


@pytest.mark.parametrize(
    ("text", "unit"),
    [("m", "m"), ("m/s^2", "m / s^2"), ("kg m^2 / s^2", "kg m^2 / s^2"), ("1", "1"), ("s^-1", "1 / s"), ("m*m", "m^2")],
)
def test_a_unit_is_read_and_written(text: str, unit: str):
    assert spelled(parsed(text)) == unit


@pytest.mark.parametrize(
    ("op", "units", "wanted"),
    [("mul", ["m", "s^-1"], "m / s"), ("div", ["m", "m"], "1"), ("sqrt", ["m^2"], "m"), ("scaling", ["m"], "1 / m"),
     ("norm", ["m"], "m"), ("max", ["s", "s"], "s"), ("lt", ["s", "s"], "1"), ("sign", ["m"], "1")],
)  # fmt: skip
def test_the_unit_of_what_an_operation_gives(op: str, units: list[str], wanted: str):
    assert spelled(of_result(NAMED[op], [parsed(u) for u in units])) == wanted


def test_zero_has_the_unit_that_it_meets():
    assert (
        of_result(NAMED["add"], [ANY, parsed("m")]) == parsed("m")
        and of_result(NAMED["mul"], [ANY, parsed("m")]) == ANY
    )


def test_what_does_not_fit_is_refused():
    with pytest.raises(Refusal, match="exp of m"):
        of_result(NAMED["exp"], [parsed("m")])

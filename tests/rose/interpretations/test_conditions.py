"""Errors to first order, against numbers of 50 digits, and condition numbers that are known."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import pytest
from meaning_programs import PROGRAMS

import rose
from rose import Real, Vec, fn
from rose.interpretations import Errors, Measured

X = 0.7
CONDITIONS: dict[str, tuple[Any, float]] = {  # of f at X: the absolute value of x f'(x) / f(x)
    "a power": (lambda x: x**5, 5.0),
    "an exponential": (lambda x: rose.exp(x), X),
    "a root": (lambda x: rose.sqrt(x), 0.5),
    "a sine": (lambda x: rose.sin(x), X / math.tan(X)),
    "a difference that cancels": (lambda x: x - 0.699, X / 0.001),
    "a flat function": (lambda x: rose.floor(x) + 1.0, 0.0),
    "a branch": (lambda x: rose.cond(x > 0.0, lambda: x * x, lambda: x), 2.0),
    "a loop": (lambda x: rose.prod(x for _ in rose.range(4)), 4.0),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_relative_error_grows_by_the_condition(name: str):
    body, condition = CONDITIONS[name]
    made = rose.interpret(fn([Real], Real)(body), Errors(rounding=0.0))(Measured(X, X * 1e-6))
    assert made.error / abs(made.value) == pytest.approx(condition * 1e-6, rel=1e-9)


@pytest.mark.parametrize("x", [1e-8, 1e-5, 0.3, 2.0])
def test_the_error_of_rounding_is_bounded(x: float):
    f = fn([Real], Real)(lambda x: (rose.exp(x) - 1.0) / x - rose.sin(x) ** 2 / x)
    made = rose.interpret(f, Errors())(Measured(x, 0.0))
    with mpmath.workdps(50):
        exact = (mpmath.exp(x) - 1) / mpmath.mpf(x) - mpmath.sin(x) ** 2 / mpmath.mpf(x)
    assert abs(made.value - exact) <= made.error * 1.01 + 1e-300


@pytest.mark.parametrize("name", ["sums", "matrix", "state", "branches"])
def test_the_values_are_those_of_the_program(name: str):
    f, (x,) = PROGRAMS[name]
    given = [[Measured(e, 0.0) for e in row] if isinstance(row, list) else Measured(row, 0.0) for row in x]
    made = rose.interpret(f, Errors())(given)
    assert made.value == f(x) and 0.0 < made.error < 1e-13


def test_a_vector_of_nothing_has_no_error():
    assert rose.interpret(fn([Vec[0]], Real)(lambda x: rose.sum(x)), Errors())([]).error == 0.0

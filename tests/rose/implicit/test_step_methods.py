"""The order of each method, where time and state meet, and what is stiff."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, Vec, fn
from rose.implicit.step_methods import METHODS

RATE = fn([Real, Vec[2]], Vec[2])(lambda t, y: [y[1] * rose.cos(t), y[0] * y[0] * rose.sin(t) - y[1]])


def after(name: str, length: float, steps: int) -> Any:
    """The state after so many steps of that length, and the last estimate of the error."""
    step = METHODS[name].step(RATE)

    def one(i: Any, s: Any) -> Any:
        t, y, k, _ = s
        y, e, k = step(t, t + length, y, k)
        return t + length, y, k, e

    @fn
    def walk(y: Vec[2]) -> tuple[Vec[2], Vec[2]]:
        _, y, _, e = rose.scan(one, (0.0, y, RATE(0.0, y), y), steps)
        return y, e

    return walk([1.0, 0.5])


@pytest.mark.parametrize(("name", "order"), [("dormand-prince", 5), ("rosenbrock", 4)])
def test_an_error_goes_as_the_order_says(name: str, order: int):
    exact = after("dormand-prince", 0.001, 1000)[0]
    coarse, fine = [np.linalg.norm(after(name, 1.0 / n, n)[0] - exact) for n in (20, 40)]
    assert order - 0.4 < math.log2(coarse / fine) < order + 0.7


@pytest.mark.parametrize(("name", "order"), [("dormand-prince", 5), ("rosenbrock", 4)])
def test_an_estimate_goes_as_the_order_says(name: str, order: int):
    coarse, fine = [np.linalg.norm(after(name, h, 1)[1]) for h in (0.02, 0.01)]
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.3)


def test_a_stiff_component_is_damped():
    rate = fn([Real, Real], Real)(lambda t, y: -1e9 * (y - t))
    one = fn([Real], Real)(lambda y: METHODS["rosenbrock"].step(rate)(0.0, 1.0, y, rate(0.0, y))[0])
    assert one(1.0) == pytest.approx(1.0, abs=1e-6)

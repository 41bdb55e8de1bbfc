"""Negations that meet a sum, a product or a literal: none is left, and the bits stay."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from harness import Module, same

from rose import Real, fn
from rose.host.interpreter import run
from rose.ir.callgraph import instructions
from rose.ir.ops import abs_, mul, neg
from rose.optimise.pipeline import optimise, optimised

POINTS = (0.0, -0.0, 1.0, -1.0, 1.5, -2.5e-308, 5e-324, 1e308, -1e308, float("inf"), float("-inf"), float("nan"), 0.1)

GONE: dict[str, Callable[[Any, Any], Any]] = {
    "x + -y": lambda x, y: x + -y,
    "-x + y": lambda x, y: -x + y,
    "x - -y": lambda x, y: x - -y,
    "-x * -y": lambda x, y: -x * -y,
    "-x / -y": lambda x, y: -x / -y,
    "-x * 3": lambda x, y: -x * 3.0,
    "3 / -x": lambda x, y: 3.0 / -x,
    "-(x * 3)": lambda x, y: -(x * 3.0),
    "-(3 * -x)": lambda x, y: -(3.0 * -x),
    "y + -x * x": lambda x, y: y + -x * x,
    "y - x / -y": lambda x, y: y - x / -y,
    "abs(-x)": lambda x, y: abs(-x),
    "y + x * -1": lambda x, y: y + x * -1.0,
    "-1 * x * 3": lambda x, y: -1.0 * x * 3.0,
    "3 * x and y + -3 * x": lambda x, y: (3.0 * x) * (y + -3.0 * x),
    "y + (-x + -x)": lambda x, y: y + (-x + -x),
}
ONE: dict[str, Callable[[Any, Any], Any]] = {
    "-x + -y": lambda x, y: -x + -y,
    "-x * y": lambda x, y: -x * y,
    "x / -y": lambda x, y: x / -y,
    "-(x - y)": lambda x, y: -(x - y),
    "-x - y": lambda x, y: -x - y,
}


@pytest.mark.parametrize("name", [*GONE, *ONE])
def test_the_bits_stay(name: str):
    f = fn([Real, Real], Real)({**GONE, **ONE}[name])
    optimise([f.func])
    made = optimised({"f": f.func, "line": fn([Real], Real)(lambda x: f(x, x)).func})["line"]
    negations = [v for v in instructions(made.body) if v.op is neg]
    assert len(negations) <= (name in ONE)
    module = Module(optimised({"f": f.func, "once more": fn([Real, Real], Real)(lambda x, y: f(x, y)).func}))
    for x, y in product(POINTS, POINTS):
        assert same(module["once more"](x, y), run(f.func, x, y)), (x, y)


def test_a_product_with_the_opposite_of_a_literal_is_not_made_twice():
    f = fn([Real, Real], Real)(lambda x, y: (3.0 * x) / (y + -3.0 * x))
    made = optimised({"f": fn([Real, Real], Real)(lambda x, y: f(x, y)).func})["f"]
    assert [v.op for v in instructions(made.body)].count(mul) == 1


def test_the_absolute_value_of_a_negation():
    f = fn([Real], Real)(lambda x: abs(-x))
    made = optimised({"f": fn([Real], Real)(lambda x: f(x)).func})["f"]
    assert [v.op for v in instructions(made.body) if v.op in (abs_, neg)] == [abs_]

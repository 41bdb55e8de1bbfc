"""The table of operations, row by row where rows are told apart; `tests/laws` has the laws that hold for each."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from operations import ONE

import rose
from rose.host.interpreter import run
from rose.ir import OPS, building, is_literal
from rose.ir.builder import LIBRARY
from rose.ir.ops import add, div, iadd, mul, neg, select, sin, sqrt
from rose.ir.types import Bool, Fin, Real, Tan


def test_each_row_is_found_under_its_name():
    assert all(OPS[name] is op and op.name == name for name, op in OPS.items())


def test_a_row_of_the_library_costs_more_than_one_of_the_processor():
    assert (sin.library, sin.cost, add.library, add.cost) == ("sin", LIBRARY, None, 1)
    assert iadd.cost < add.cost < div.cost == sqrt.cost < LIBRARY


@pytest.mark.parametrize(("x", "y"), [(1.0, 0.0), (-1.0, 0.0), (1.0, -0.0), (math.inf, math.inf), (0.0, 0.0)])
def test_a_quotient_is_that_of_ieee_754(x: float, y: float):
    assert div.eval is not None
    z = div.eval(x, y)
    assert math.isnan(z) if x in (0.0, math.inf) else z == math.copysign(math.inf, x * math.copysign(1.0, y))


def test_only_linear_operations_accept_a_tangent():
    with building("f") as b:
        t, x = b.param(Tan, "t"), b.param(Real, "x")
        assert (add.type(t, t), mul.type(t, x), neg.type(t)) == (Tan, Tan, Tan)
        assert mul.type(t, t) is None and sin.type(t) is None and add.type(t, x) is None


def test_what_a_literal_decides_is_simplified_and_keeps_every_bit():
    with building("f") as b:
        x, c = b.param(Real, "x"), b.param(Bool, "c")
        assert mul(x, 1.0) is x and select(c, x, x) is x
        once = select(c, x, 1.0)
        assert select(c, once, 1.0) is once and select(c, x, once) is once and select(c, once, 2.0) is not once
        assert mul(x, 0.0) is not b.lift(0.0)
        assert is_literal(add(b.lift(1.0), b.lift(2.0)), 3.0)


POWERS = [2.0, -2.0, 0.5, -1024.0, 2.0**60, 2.0**-100]
ODD = [1.0, -0.0, math.pi, -1e308, 5e-324, -3e-310, math.inf, -math.inf]


@pytest.mark.parametrize("y", POWERS)
def test_a_quotient_by_a_power_of_two_is_a_product_of_the_same_bits(y: float):
    f = rose.fn([Real], Real)(lambda x: x / y)
    assert "mul" in [v.op.name for v in f.func.body.code] and mul.eval is not None and div.eval is not None
    assert all([struct.pack("d", f(x)) == struct.pack("d", div.eval(x, y)) for x in ODD])
    single = rose.compile(f, dtype="f32")
    assert all([single(float(x)) == np.float32(x) / np.float32(y) for x in (1.5, -0.0, 3.25, math.inf, 1e-40)])


@pytest.mark.parametrize("y", [3.0, 0.75, 0.0, math.inf, 2.0**127, 2.0**-127, 5e-324])
def test_a_quotient_by_another_number_stays_one(y: float):
    with building("f") as b:
        assert div(b.param(Real, "x"), y).op is div


def test_the_sum_of_two_indices_is_an_index_of_a_type_that_holds_it():
    with building("f") as b:
        assert iadd(b.param(Fin(3), "i"), b.param(Fin(4), "j")).type is Fin(6)


@pytest.mark.parametrize("name", ONE)
def test_a_derivative_has_twelve_digits(name: str):
    meant, points = ONE[name]
    slope = rose.grad(rose.fn([Real], Real)(OPS[name]))
    for x in points:
        with mpmath.workdps(40):
            exact = float(mpmath.diff(meant, mpmath.mpf(x), h=mpmath.mpf(10) ** -20))
        assert slope(x) == pytest.approx(exact, rel=1e-12, abs=1e-14), x


def test_a_power_of_0_has_a_mixed_derivative():
    by_both = rose.grad(rose.grad(rose.fn([Real, Real], Real)(rose.pow)), argnums=1)
    assert by_both(2.0, 0.0) == pytest.approx(0.5) and by_both(-2.0, 0.0) != by_both(-2.0, 0.0)


def test_a_nan_of_either_sign_counts_as_positive():
    f = rose.fn([Real], Real)(lambda x: rose.copysign(1.0, x))
    g = rose.fn([Real], Real)(lambda x: rose.copysign(1.0, -x))
    for h in (f, g, rose.compile(f), rose.compile(g)):
        assert h(math.nan) == h(-math.nan) == 1.0


NEVER_MINUS_ZERO = {
    "abs": abs, "exp": rose.exp, "exp2": rose.exp2, "hypot": lambda x: rose.hypot(x, x), "cosh": rose.cosh,
    "square": lambda x: x * x, "sum": lambda x: x + x * x, "choice": lambda x: rose.select(x > 0.5, 0.0, abs(x)),
    "a sum of a loop": lambda x: rose.sum(x for _ in rose.range(2)),
}  # fmt: skip


@pytest.mark.parametrize("f", NEVER_MINUS_ZERO.values(), ids=NEVER_MINUS_ZERO)
def test_zero_is_not_added_to_what_is_never_minus_zero(f: Callable[[Any], Any]):
    g = rose.fn([Real], Real)(lambda x: 0.0 + f(x))
    assert not [v for v in g.func.body.code if v.op is add and is_literal(v.args[0], 0.0)]
    for x in (0.0, -0.0, -math.inf, -1e-300, 1e-300, -1.5, math.inf):
        y = run(g.func, x)
        assert y != 0.0 or math.copysign(1.0, y) == 1.0


@pytest.mark.parametrize("f", [lambda x: x, lambda x: x * 1.5, lambda x: rose.select(x > 0.0, x * x, x)])
def test_zero_is_added_to_what_may_be_minus_zero(f: Callable[[Any], Any]):
    g = rose.fn([Real], Real)(lambda x: 0.0 + f(x))
    assert math.copysign(1.0, run(g.func, -0.0)) == 1.0

"""The table of operations, row by row where rows are told apart; `tests/laws` has the laws that hold for each."""

from __future__ import annotations

import math

import pytest

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
        assert mul(x, 0.0) is not b.lift(0.0)
        assert is_literal(add(b.lift(1.0), b.lift(2.0)), 3.0)


def test_the_sum_of_two_indices_is_an_index_of_a_type_that_holds_it():
    with building("f") as b:
        assert iadd(b.param(Fin(3), "i"), b.param(Fin(4), "j")).type is Fin(6)

"""The facts about accumulators on which passes rely when they move or leave out additions."""

from __future__ import annotations

import itertools
import math

import pytest

from rose.ir import Builder, building
from rose.ir.accumulators import aliases, base, begins_at_zero, is_ref, may_alias
from rose.ir.types import Fin, Real, Ref, Tuple, Vec


@pytest.fixture
def b():
    with building("f") as b:
        yield b


def test_the_base_of_a_part_is_the_whole_accumulator(b: Builder):
    whole = b.accum(b.zero(Tuple((Real, Vec(3, Real)), None)))
    i = b.param(Fin(3), "i")
    assert base(b.at(b.at(whole, 1), i)) is whole
    assert base(whole) is whole


def test_two_parameters_may_be_the_same_accumulator_and_one_is_no_other(b: Builder):
    x, y = b.param(Ref(Real), "x"), b.param(Ref(Real), "y")
    assert aliases([x, y]) == {x, y}
    assert aliases([x]) == set()
    assert may_alias({x}, {y})


def test_an_accumulator_that_is_opened_here_is_no_other(b: Builder):
    x, y, z = b.param(Ref(Real), "x"), b.accum(b.lift(0.0)), b.accum(b.lift(0.0))
    assert aliases([x, y, z]) == set()
    assert not may_alias({y}, {x, z})
    assert may_alias({y, z}, {z})


def test_an_accumulator_begins_at_zero_if_it_is_opened_at_one_with_its_sign(b: Builder):
    assert begins_at_zero(b.accum(b.lift(0.0)))
    assert begins_at_zero(b.at(b.accum(b.zero(Vec(3, Real))), b.const(1, Fin(3))))
    assert not begins_at_zero(b.accum(b.lift(-0.0)))
    assert not begins_at_zero(b.accum(b.param(Real, "x")))
    assert not begins_at_zero(b.param(Ref(Real), "ref"))


NUMBERS = (0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 0.1, -0.1, 1e308, math.inf, -math.inf)


def test_a_sum_that_began_at_zero_is_never_minus_zero():
    for xs in itertools.product(NUMBERS, repeat=3):
        total = 0.0
        for x in xs:
            total += x
            assert total != 0.0 or math.copysign(1.0, total) == 1.0


def test_what_goes_through_another_sum_that_began_at_zero_keeps_its_bits():
    for t, x in itertools.product([x for x in NUMBERS if math.copysign(1.0, x) == 1.0 or x], NUMBERS):
        through, directly = t + (0.0 + x), t + x
        assert through.hex() == directly.hex() and (t + 0.0).hex() == t.hex() == (t + -0.0).hex()


def test_only_an_accumulator_is_a_ref(b: Builder):
    assert is_ref(b.accum(b.lift(0.0)))
    assert not is_ref(b.lift(0.0))

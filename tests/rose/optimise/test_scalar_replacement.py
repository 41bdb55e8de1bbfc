"""Scalar replacement of small accumulators."""

from __future__ import annotations

import pytest
from optimising import code, fast

import rose
import rose.ir.ops
from rose import Real, Vec, fn
from rose.ir import ACCUM, ADD_TO

pytestmark = pytest.mark.usefixtures("rolled")


@fn
def stretched(p: Vec[2], q: Vec[2]) -> Real:
    dx, dy = q[0] - p[0], q[1] - p[1]
    return (rose.sqrt(dx * dx + dy * dy) - 0.1) ** 2


@fn
def springs(p: Vec[4, Vec[2]]) -> Real:
    return rose.sum(stretched(p[i], p[i + 1]) for i in rose.range(3))


POINTS = ((0.0, -0.0), (0.5, 0.25), (1.0, -1.0), (1.0, -2.0))


def test_the_cotangents_of_a_few_numbers_are_numbers():
    made = fast(rose.grad(springs).func, (POINTS,))
    assert [v.args[0].type for v in code(made) if v.op is ACCUM] == [springs.types[0]], "the gradient, and no other"
    assert all([v.args[1].type is Real for v in code(made) if v.op is ADD_TO])


def test_a_small_accumulator_keeps_the_sign_of_its_zeros():
    @fn
    def f(x: Vec[2], y: Real) -> Vec[2]:
        total = rose.accum([-0.0, 0.0])
        total[0] += y
        total[1] += y
        total += x
        return total.value

    for x, y in (((-0.0, -0.0), -0.0), ((0.0, -0.0), -0.0), ((-0.0, 1.0), 0.0)):
        fast(f.func, (x, y))


def test_a_small_accumulator_that_a_loop_adds_to_is_one_for_each_number():
    @fn
    def f(x: Vec[5, Vec[2]]) -> Vec[2]:
        total = rose.accum([0.0, 1.0])
        for i in rose.range(5):
            total[0] += x[i][1]
            total += x[i]
        return total.value

    made = fast(f.func, (tuple((0.1 * k, -0.3 * k) for k in range(5)),))
    assert [v.args[0].type for v in code(made) if v.op is ACCUM] == [Real, Real]

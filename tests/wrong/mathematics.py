"""Wrong programs: the functions of rose."""

from __future__ import annotations

import rose
from rose import Real, Vec, fn

# the functions of rose


def sqrt_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return rose.sqrt(v)

    return f


def sqrt_of_a_string():
    @fn
    def f(x: Real) -> Real:
        return x + rose.sqrt("4")

    return f


def sqrt_of_a_string_outside():
    return 1.0 + rose.sqrt("4")


def select_between_two_types():
    @fn
    def f(x: Real, v: Vec[3]) -> Vec[3]:
        return rose.select(x > 0.0, v, 0.0)

    return f


def select_between_lists_of_two_lengths():
    @fn
    def f(x: Real) -> Vec[2]:
        return rose.select(x > 0.0, [1.0, 2.0], [x])

    return f


def a_constant_of_a_wrong_shape():
    @fn
    def f(x: Real) -> Real:
        table = rose.constant(Vec[3], [1.0, 2.0])
        return table[0] * x

    return f


def a_constant_of_no_type():
    @fn
    def f(x: Real) -> Real:
        return x * rose.constant([1.0, 2.0], Real)[0]

    return f


def a_dot_of_two_sizes():
    @fn
    def f(v: Vec[3], w: Vec[2]) -> Real:
        return 2.0 * rose.dot(v, w)

    return f

"""Wrong programs: `rose.vmap`."""

from __future__ import annotations

import rose
from rose import Real, Vec, fn


@fn
def scaled(x: Vec[3], k: Real) -> Vec[3]:
    return k * x


@rose.struct
class Pair:
    a: Real
    b: Real


@fn
def joined(p: Pair) -> Real:
    return p.a + p.b


def a_map_of_a_number():
    return rose.vmap(3)


def a_map_of_a_lambda_outside():
    return rose.vmap(lambda x: 2 * x)([1.0, 2.0])


def a_map_along_a_name():
    return rose.vmap(scaled, "x")


def a_map_along_no_axis():
    return rose.vmap(scaled, None)


def a_map_with_too_few_axes():
    return rose.vmap(scaled, (0,))


def a_map_along_an_axis_too_many():
    return rose.vmap(scaled, (2, None))


def a_map_whose_result_has_no_axis():
    return rose.vmap(scaled, 0, None)([[1.0, 2.0, 3.0]], [1.0])


def a_map_of_arrays_of_two_lengths():
    return rose.vmap(scaled)([[1.0, 2.0, 3.0]] * 2, [1.0] * 3)


def a_map_of_arrays_of_two_lengths_inside():
    @fn
    def f(x: Vec[2], y: Vec[3]) -> Vec[2]:
        return rose.vmap(lambda a, b: a * b)(x, y)

    return f


def a_map_of_a_number_inside():
    @fn
    def f(x: Real) -> Vec[3]:
        return rose.vmap(lambda a: 2 * a)(x)

    return f


def a_map_with_axes_for_the_fields_of_another_struct():
    return rose.vmap(joined, ((0, 0, 0),))


def a_map_with_axes_for_the_fields_of_a_vector():
    return rose.vmap(scaled, ((0, None), 0))

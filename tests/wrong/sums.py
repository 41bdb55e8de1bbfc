"""Wrong programs: accumulators."""

from __future__ import annotations

from typing import Any

import rose
from rose import Bool, Real, Vec, fn

# accumulators


def a_sum_read_inside_its_loop():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        total = rose.accum(0.0)

        def turn(i: Any) -> Any:
            nonlocal total
            total += v[i]
            return total.value

        return rose.vec(turn(i) for i in rose.range(3))

    return f


def a_sum_added_to_after_it_was_read():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total += x
        y = total.value
        total += y
        return total.value

    return f


def a_sum_that_is_assigned():
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(3):
            total = total + v[i]
        return total.value

    return f


def a_sum_that_is_multiplied():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total *= x
        return total.value

    return f


def a_sum_that_is_compared():
    @fn
    def f(x: Real) -> Bool:
        total = rose.accum(0.0)
        total += x
        return total > 0.0

    return f


def a_sum_given_to_a_function():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total += x
        return 1.0 + rose.sqrt(total)

    return f


def the_value_of_a_sum_assigned():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total.value = x
        return total.value

    return f


def an_element_of_a_sum_assigned():
    @fn
    def f(x: Real) -> Vec[2]:
        total = rose.accum([0.0, 0.0])
        total[0] = x
        return total.value

    return f


def an_element_of_a_sum_read():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum([0.0, 0.0])
        total[0] += x
        return total[0].value

    return f


def an_element_past_the_end_of_a_sum():
    @fn
    def f(x: Real) -> Vec[2]:
        total = rose.accum([0.0, 0.0])
        total[2] += x
        return total.value

    return f


def an_element_of_a_sum_of_numbers():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total[0] += x
        return total.value

    return f


def an_index_too_large_for_a_sum():
    @fn
    def f(x: Real) -> Vec[2]:
        total = rose.accum([0.0, 0.0])
        for i in rose.range(3):
            total[i] += x
        return total.value

    return f


def a_field_that_a_sum_does_not_have():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum({"a": 0.0})
        total.b += x
        return total.value["a"]

    return f


def a_sum_of_a_condition():
    @fn
    def f(x: Real) -> Bool:
        total = rose.accum(x > 0.0)
        total += x > 1.0
        return total.value

    return f


def a_sum_of_a_string():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum("0")
        total += x
        return total.value

    return f


def a_vector_added_to_a_number():
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        total += v
        return total.value

    return f


def a_condition_added_to_a_number():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total += x > 0.0
        return total.value

    return f


def an_accumulator_of_the_function_around():
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)

        @fn
        def add(x: Real) -> Real:
            nonlocal total
            total += x
            return x

        add(v[0])
        return total.value

    return f


def an_accumulator_of_a_loop_that_is_over():
    @fn
    def f(v: Vec[3]) -> Real:
        for i in rose.range(3):
            total = rose.accum(0.0)
            total += v[i]
        return total.value

    return f


def a_loop_that_never_ends():
    kept: list[Any] = []

    @fn
    def f(v: Vec[3]) -> Real:
        kept.append(rose.range(3))
        return v[next(kept[0])]

    return f


def a_sum_read_beside_a_loop_that_adds_to_it():
    @fn
    def f(x: Real) -> Real:
        total, other = rose.accum(0.0), rose.accum(0.0)
        for _ in rose.range(3):
            for _ in rose.range(2):
                total += x
            for _ in rose.range(2):
                other += total.value
        return other.value

    return f

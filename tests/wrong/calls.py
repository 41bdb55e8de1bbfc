"""Wrong programs: compiled functions that are called with the wrong arguments; what is too large to compile."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np

import rose
from rose import Bool, Fin, Real, Vec, fn


@rose.struct
class Point:
    x: Real
    y: Real


@fn
def area(width: Real, height: Real) -> Real:
    return width * height


@fn
def norm(v: Vec[3]) -> Real:
    return rose.sum(v[i] * v[i] for i in rose.range(3))


@fn
def trace(a: Vec[2, Vec[2]]) -> Real:
    return a[0][0] + a[1][1]


@fn
def pick(v: Vec[3], i: Fin[3]) -> Real:
    return v[i]


@fn
def gather(v: Vec[3], indices: Vec[2, Fin[3]]) -> Vec[2]:
    return rose.vec(v[indices[k]] for k in rose.range(2))


@fn
def choose(up: Bool, x: Real) -> Real:
    return rose.select(up, x, -x)


@fn
def length(p: Point) -> Real:
    return p.x + p.y


# arguments


def too_few():
    return area(1.0)


def too_many():
    return area(1.0, 2.0, 3.0)


def an_unknown_name():
    return area(1.0, depth=2.0)


def given_twice():
    return area(1.0, width=2.0)


def a_string():
    return area(1.0, "2")


def none():
    return area(1.0, None)


def a_complex_number():
    return area(1.0, 2j)


def a_decimal():
    return area(1.0, decimal.Decimal(2))


def a_truth_value_for_a_number():
    return area(1.0, True)


def a_list_for_a_number():
    return rose.compile(area)(1.0, [2.0])


def an_array_of_one_for_a_number():
    return rose.compile(area)(1.0, np.array([2.0]))


def arrays_that_do_not_fit():
    return area(np.ones(3), np.ones(2))


def a_huge_integer():
    return area(1.0, 10**400)


def a_number_for_a_truth_value():
    return choose(1, 2.0)


def a_fraction_for_an_index():
    return pick([1.0, 2.0, 3.0], 1.0)


def an_index_past_the_end():
    return pick([1.0, 2.0, 3.0], 3)


def a_negative_index():
    return pick([1.0, 2.0, 3.0], -1)


def a_huge_index():
    return pick([1.0, 2.0, 3.0], 2**40)


def an_index_past_the_end_in_a_vector():
    return gather([1.0, 2.0, 3.0], [0, 3])


def an_index_past_the_end_in_an_array():
    return gather([1.0, 2.0, 3.0], np.array([0, 7]))


def a_number_for_a_vector():
    return norm(1.0)


def a_list_that_is_too_short():
    return norm([1.0, 2.0])


def an_array_that_is_too_long():
    return norm(np.zeros(4))


def a_constant_that_is_given():
    @fn
    def power(x: Real, n=3) -> Real:  # pyright: ignore
        return x**n

    return power(2.0, n=4)


def a_derivative_of_a_function_by_differences():
    return rose.diff(norm)


def an_array_of_many_arguments():
    return norm(np.zeros((5, 3)))


def an_array_of_another_shape():
    return trace(np.zeros((2, 3)))


def an_array_of_complex_numbers():
    return norm(np.zeros(3, complex))


def an_array_of_objects():
    return norm(np.array([1.0, "a", None], dtype=object))


def a_list_of_truth_values():
    return norm([True, False, True])


def a_list_with_a_string():
    return norm([1.0, "2", 3.0])


def a_list_with_none():
    return norm([1.0, None, 3.0])


def a_ragged_list():
    return trace([[1.0, 2.0], [3.0]])


def a_generator():
    return norm(x for x in [1.0, 2.0, 3.0])


def a_dict_for_a_vector():
    return norm({0: 1.0, 1: 2.0, 2: 3.0})


def a_string_for_a_vector():
    return norm("abc")


def a_set_for_a_vector():
    return norm({1.0, 2.0, 3.0})


def a_missing_field():
    return length({"x": 1.0})


def an_unknown_field():
    return length({"x": 1.0, "y": 2.0, "z": 3.0})


def a_wrong_field():
    return length(Point(1.0, "2"))


def a_number_for_a_struct():
    return length(1.0)


# compilation


def a_compilation_of_nothing():
    return rose.compile({})


def a_function_that_a_module_does_not_have():
    return rose.compile(area)["volume"]


def a_compilation_of_a_number():
    return rose.compile(3.0)


def a_compilation_of_a_host_function():
    return rose.compile(area, len)


def a_compilation_of_a_wrong_value():
    return rose.compile({"area": area, "length": len})


def a_compilation_with_a_number_for_a_name():
    return rose.compile({"area": area, 1: norm})


def a_compilation_of_a_mapping_and_more():
    return rose.compile({"area": area}, norm)


def a_number_for_the_name_of_a_function():
    return rose.compile(area)[0]


def a_list_for_the_name_of_a_function():
    return rose.compile(area, norm)[[]]


def an_attribute_that_a_module_does_not_have():
    return rose.compile(area, norm).nrom


def a_call_of_a_compiled_function_with_a_string():
    return rose.compile(area)(1.0, "2")


def a_call_of_a_compiled_function_with_too_few():
    return rose.compile(area, norm)["area"](1.0)


def a_result_into_a_list():
    return rose.compile(gather).call([[1.0, 2.0, 3.0], [0, 1]], out=[0.0, 0.0])


def a_number_for_a_list_of_arguments():
    return rose.compile(area).call(3.0)


def a_compiled_function_in_a_trace():
    compiled = rose.compile(area)

    @fn
    def f(x: Real) -> Real:
        return compiled(x, 2.0)

    return f


def a_vector_over_four_gibibytes():
    @fn
    def f(x: Real) -> Real:
        v = rose.vec(rose.vec(rose.sin(x * i + j) for i in rose.range(70_000)) for j in rose.range(70_000))
        return rose.norm(v)

    return rose.compile(f)


def a_parameter_over_four_gibibytes():
    @fn
    def f(x: Real, v: Vec[2**30]) -> Real:
        return v[0]

    return rose.compile(f)


def a_result_over_four_gibibytes():
    @fn
    def f(x: Real) -> Vec[2**20, Vec[2**20]]:
        return rose.vec(rose.vec(x for i in rose.range(2**20)) for j in rose.range(2**20))

    return rose.compile(f)


def a_chain_of_functions_that_is_too_deep():
    @fn
    def f(x: Real) -> Real:
        return x + 1.0

    for _ in range(12_001):
        f = next_of(f)
    return f


def next_of(g: Any) -> Any:
    @fn
    def f(x: Real) -> Real:
        return g(x) * 2.0

    return f

"""Wrong programs: traced values in the places of Python's numbers, and numbers in the wrong places."""

from __future__ import annotations

import decimal
import fractions
import math
from typing import Any

import numpy as np

import rose
from rose import Bool, Real, Unit, Vec, fn

# decisions that Python would have to make


def an_if():
    @fn
    def f(x: Real) -> Real:
        if x < 0.0:
            return -x
        return x

    return f


def a_conditional_expression():
    @fn
    def f(x: Real) -> Real:
        return -x if x < 0.0 else x

    return f


def a_while():
    @fn
    def f(x: Real) -> Real:
        while x > 1.0:
            x = x / 2.0
        return x

    return f


def a_bool_as_a_condition():
    @fn
    def f(x: Real, up: Bool) -> Real:
        return x + 1.0 if up else x

    return f


def and_of_conditions():
    @fn
    def f(x: Real) -> Real:
        return rose.select(x > 0.0 and x < 1.0, x, 0.0)

    return f


def or_of_conditions():
    @fn
    def f(x: Real) -> Real:
        return rose.select(x < 0.0 or x > 1.0, x, 0.0)

    return f


def not_of_a_condition():
    @fn
    def f(x: Real) -> Real:
        return rose.select(not x > 0.0, x, 0.0)

    return f


def a_chained_comparison():
    @fn
    def f(x: Real) -> Real:
        return rose.select(0.0 < x < 1.0, x, 0.0)

    return f


def an_assert():
    @fn
    def f(x: Real) -> Real:
        assert x > 0.0
        return rose.sqrt(x)

    return f


def a_match():
    @fn
    def f(x: Real) -> Real:
        match x:
            case 0.0:
                return x + 1.0
            case _:
                return x

    return f


def the_builtin_min():
    @fn
    def f(x: Real, y: Real) -> Real:
        return 1.0 + min(x, y)

    return f


def the_builtin_max():
    @fn
    def f(x: Real) -> Real:
        return max(0.0, x)

    return f


def the_builtin_any():
    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.select(any([x > 0.0, y > 0.0]), x, y)

    return f


def sorting():
    @fn
    def f(x: Real, y: Real) -> Real:
        return sorted([x, y])[0]

    return f


def a_value_in_a_list():
    @fn
    def f(x: Real, y: Real) -> Real:
        return 1.0 if x in [y, 0.0] else 0.0

    return f


# conversions to Python's numbers


def int_of_a_value():
    @fn
    def f(x: Real) -> Real:
        return x * int(x)

    return f


def float_of_a_value():
    @fn
    def f(x: Real) -> Real:
        return x * float(x)

    return f


def a_function_of_math():
    @fn
    def f(x: Real) -> Real:
        return 1.0 + math.sin(x)

    return f


def floor_of_math():
    @fn
    def f(x: Real) -> Real:
        return math.floor(x) + 1.0

    return f


def python_range_of_a_value():
    @fn
    def f(x: Real) -> Real:
        for _ in range(x):
            x = x * 2.0
        return x

    return f


def a_list_with_a_traced_index():
    table = [1.0, 2.0, 3.0]

    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(table[i] * v[i] for i in rose.range(3))

    return f


# vectors as Python's lists, and NumPy


def iteration():
    @fn
    def f(v: Vec[3]) -> Real:
        total = 0.0
        for x in v:
            total = total + x
        return total

    return f


def unpacking():
    @fn
    def f(v: Vec[2]) -> Real:
        x, y = v
        return x * y

    return f


def the_builtin_sum_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return 2.0 * sum(v)

    return f


def membership():
    @fn
    def f(x: Real, v: Vec[3]) -> Bool:
        return x in v

    return f


def the_length_of_a_number():
    @fn
    def f(x: Real) -> Real:
        return x * len(x)

    return f


def assignment_to_an_element():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        v[0] = 1.0
        return v

    return f


def adding_to_an_element():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        v[0] += 1.0
        return v

    return f


def numpy_dot_of_vectors():
    @fn
    def f(v: Vec[3]) -> Real:
        return np.dot(v, v)

    return f


def a_numpy_array_of_values():
    @fn
    def f(x: Real, y: Real) -> Vec[2]:
        return np.array([x, y])

    return f


def a_numpy_array_times_a_number():
    @fn
    def f(x: Real) -> Vec[3]:
        return np.ones(3) * x

    return f


def an_array_of_objects():
    @fn
    def f(x: Real) -> Real:
        return x + np.array(1.0, dtype=object)

    return f


# indices


def an_index_past_the_end():
    @fn
    def f(v: Vec[3]) -> Real:
        return 2.0 * v[3]

    return f


def an_index_before_the_start():
    @fn
    def f(v: Vec[3]) -> Real:
        return 2.0 * v[-4]

    return f


def an_index_into_nothing():
    @fn
    def f(v: Vec[0]) -> Real:
        return v[0]

    return f


def a_fractional_index():
    @fn
    def f(v: Vec[3]) -> Real:
        return 2.0 * v[1.5]

    return f


def a_real_index():
    @fn
    def f(v: Vec[3], x: Real) -> Real:
        return v[x]

    return f


def a_string_index():
    @fn
    def f(v: Vec[3]) -> Real:
        return v["x"]

    return f


def a_bool_index():
    @fn
    def f(v: Vec[3]) -> Real:
        return v[True]

    return f


def two_indices_at_once():
    @fn
    def f(a: Vec[3, Vec[3]]) -> Real:
        return a[0, 1]

    return f


def an_index_of_a_number():
    @fn
    def f(x: Real) -> Real:
        return x[0]

    return f


def an_index_one_too_large():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i + 1] - v[i] for i in rose.range(3))

    return f


def an_index_minus_one():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i] - v[i - 1] for i in rose.range(3))

    return f


def an_index_that_is_too_large_for_any_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i * 2**31] for i in rose.range(3))

    return f


def an_index_divided_by_zero():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i % 0] for i in rose.range(3))

    return f


def an_index_divided_by_an_index():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i // i] for i in rose.range(3))

    return f


def a_slice_of_no_step():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return v[::0]

    return f


def a_slice_of_halves():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return v[0.5:]

    return f


def a_slice_to_a_traced_index():
    @fn
    def f(v: Vec[3], i: rose.Fin[3]) -> Real:
        return rose.sum(v[:i])

    return f


# operands


def a_string():
    @fn
    def f(x: Real) -> Real:
        return x * 2.0 + "1"

    return f


def none():
    @fn
    def f(x: Real) -> Real:
        return 1.0 + (x + None)

    return f


def a_complex_number():
    @fn
    def f(x: Real) -> Real:
        return x + 1j

    return f


def a_decimal():
    @fn
    def f(x: Real) -> Real:
        return x * decimal.Decimal("0.1")

    return f


def a_fraction():
    @fn
    def f(x: Real) -> Real:
        return fractions.Fraction(1, 3) * x

    return f


def a_list():
    @fn
    def f(x: Real) -> Real:
        return x + [1.0]  # noqa: RUF005

    return f


def a_host_function():
    @fn
    def f(x: Real) -> Real:
        return x + math.sin

    return f


def a_traced_function():
    @fn
    def g(x: Real) -> Real:
        return x

    @fn
    def f(x: Real) -> Real:
        return x + g

    return f


def a_huge_integer():
    @fn
    def f(x: Real) -> Real:
        return x + 10**400

    return f


def an_integer_of_too_many_digits_to_print():
    @fn
    def f(x: Real) -> Real:
        return x + 10**5000

    return f


def an_object_whose_repr_fails():
    class Odd:
        def __repr__(self) -> str:
            raise ValueError("no repr")

    @fn
    def f(x: Real) -> Real:
        return x + Odd()  # type: ignore

    return f


def an_object_whose_repr_is_long():
    @fn
    def f(x: Real) -> Real:
        return x + {k: "a\nb" * k for k in range(100)}  # type: ignore

    return f


def a_truth_value_as_a_number():
    @fn
    def f(x: Real) -> Real:
        return x + True

    return f


def a_comparison_as_a_number():
    @fn
    def f(x: Real) -> Real:
        return x * (x > 0.0)

    return f


def a_number_as_a_condition():
    @fn
    def f(x: Real) -> Real:
        return rose.select(x, 1.0, 2.0)

    return f


def logic_of_numbers():
    @fn
    def f(x: Real) -> Bool:
        return x & (x > 1.0)

    return f


def logic_without_parentheses():
    @fn
    def f(x: Real) -> Bool:
        return x > 0.0 & x < 1.0  # type: ignore

    return f


def a_negated_number():
    @fn
    def f(x: Real) -> Bool:
        return ~x

    return f


def a_sum_of_vectors():
    @fn
    def f(v: Vec[3], w: Vec[3]) -> Vec[3]:
        return v + w

    return f


def a_vector_times_a_number():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return 2.0 * v

    return f


def a_comparison_of_vectors():
    @fn
    def f(v: Vec[3], w: Vec[3]) -> Bool:
        return v == w

    return f


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


# values outside of where they mean something


def a_value_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x * 2.0)
        return x

    _ = f.func
    return kept[0] + 1.0


def a_condition_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x > 0.0)
        return x

    _ = f.func
    return 1.0 if kept[0] else 2.0


def a_value_of_another_function():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x)
        return x

    @fn
    def g(y: Real) -> Real:
        return y + kept[0]

    _ = f.func
    return g


def a_value_of_another_function_returned():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(x)
        return x

    @fn
    def g(y: Real) -> Real:
        return kept[0]

    _ = f.func
    return g


def a_global_assigned_in_a_trace():
    @fn
    def f(x: Real) -> Real:
        global leaked
        leaked = x * 2.0
        return x

    @fn
    def g(x: Real) -> Real:
        return x + leaked

    _ = f.func
    return g


leaked: Any = None


def a_value_of_a_loop_after_it():
    @fn
    def f(v: Vec[3]) -> Real:
        total = 0.0
        for i in rose.range(3):
            total = total + v[i]
        return total

    return f


def a_value_of_a_loop_used_after_it():
    @fn
    def f(v: Vec[3]) -> Real:
        for i in rose.range(3):
            last = v[i]
        return 1.0 + last * 2.0

    return f


def a_list_of_what_a_loop_made():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return [2.0 * v[i] for i in rose.range(3)]

    return f


def the_builtin_sum_over_a_loop():
    @fn
    def f(v: Vec[3]) -> Real:
        return sum(v[i] for i in rose.range(3))

    return f


def a_traced_value_outside_of_any_trace():
    return rose.vec([1.0, 2.0])


def an_accumulator_outside_of_any_trace():
    total = rose.accum(0.0)
    total += 1.0
    return total.value


def a_loop_outside_of_any_trace():
    for i in rose.range(3):
        print(i)


def a_unit_as_a_number():
    @fn
    def nothing(x: Real) -> Unit:
        return None

    @fn
    def f(x: Real) -> Real:
        return x + nothing(x)

    return f


# places that are hard to point at


def an_expression_over_several_lines():
    @fn
    def f(x: Real) -> Real:
        return 1.0 + rose.sqrt(
            rose.select(
                x > 0.0,
                x,
                "zero",
            )
        )

    return f


def a_line_with_other_letters():
    @fn
    def f(ξ: Real, größe: Vec[2]) -> Real:
        return ξ * größe["ä"] + ξ

    return f


def a_line_that_is_very_long():
    @fn
    def f(x: Real) -> Real:
        return (
            0.000000000000000000000000001 * x + 0.000000000000000000000000002 * x + 0.00000000000003 * x + (x + "4") + x
        )

    return f


def a_function_of_python_around():
    def helper(x: Any, y: Any) -> Any:
        return y + 2.0 * (x + [y])  # noqa: RUF005

    @fn
    def f(x: Real) -> Real:
        return helper(x, y=1.0) + 1.0

    return f

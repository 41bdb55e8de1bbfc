"""Wrong programs: numbers in the wrong places, and what is no number."""

from __future__ import annotations

import decimal
import fractions
import math

import rose
from rose import Bool, Real, Vec, fn

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


def a_comparison_of_vectors():
    @fn
    def f(v: Vec[3], w: Vec[3]) -> Bool:
        return v == w

    return f


# calls of what is no function


def a_vector_that_is_called():
    @fn
    def f(v: Vec[3]) -> Real:
        return v(0)

    return f


def a_number_that_is_called():
    @fn
    def f(x: Real) -> Real:
        return 2.0 * x(x + 1.0)

    return f


def a_power_with_a_modulus():
    @fn
    def f(x: Real) -> Real:
        return 1.0 + pow(x, 2, 3)

    return f


def a_name_that_is_not_unicode():
    @fn
    def f(x: Real) -> Real:
        return x

    rose.compile({"a\ud800": f})

"""Wrong programs: decisions that Python would have to make, and conversions to its numbers."""

from __future__ import annotations

import math

import rose
from rose import Bool, Real, Vec, fn

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


def complex_of_a_value():
    @fn
    def f(x: Real) -> Real:
        return complex(x).real

    return f


def a_value_with_a_format():
    @fn
    def f(x: Real) -> Real:
        print(f"x = {x:.3f}")
        return x

    return f


def a_value_with_an_old_format():
    @fn
    def f(x: Real) -> Real:
        print("x = %.3f" % x)  # noqa: UP031
        return x

    return f


def a_factorial():
    @fn
    def f(x: Real) -> Real:
        return math.factorial(x) * 2.0

    return f

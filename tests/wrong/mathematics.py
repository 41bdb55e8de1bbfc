"""Wrong programs: the functions of rose."""

from __future__ import annotations

import numpy as np

import rose
from rose import Fin, Real, Vec, fn


@rose.struct
class Point:
    x: Real
    y: Real


# the functions of rose


def sqrt_of_a_string():
    @fn
    def f(x: Real) -> Real:
        return x + rose.sqrt("4")

    return f


def sqrt_of_a_string_outside():
    return 1.0 + rose.sqrt("4")


def select_between_lists_of_two_lengths():
    @fn
    def f(x: Real) -> Vec[2]:
        return rose.select(x > 0.0, [1.0, 2.0], [x, x, x])

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


# arguments


def sin_of_a_string():
    @fn
    def f(x: Real) -> Real:
        return x * rose.sin("x")

    return f


def sin_of_nothing():
    @fn
    def f(x: Real) -> Real:
        return x * rose.sin()

    return f


def sin_of_two_numbers():
    @fn
    def f(x: Real) -> Real:
        return rose.sin(x, 1.0)

    return f


def sin_of_a_list():
    @fn
    def f(x: Real) -> Real:
        return x + rose.sin([1.0])

    return f


def sin_of_a_list_outside():
    return rose.sin([1.0])


def sin_of_a_name():
    @fn
    def f(x: Real) -> Real:
        return rose.sin(x=x)

    return f


def sin_of_none():
    @fn
    def f(x: Real) -> Real:
        return rose.sin(None)

    return f


def sin_of_a_complex_number_outside():
    return rose.sin(1j)


def sin_of_a_truth_value_outside():
    return rose.sin(True)


def sin_of_an_array_outside():
    return rose.sin(np.zeros(3))


def exp_of_a_struct():
    @fn
    def f(p: Point) -> Real:
        return rose.exp(p)

    return f


def exp_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.exp(v)

    return f


def exp_of_a_tuple():
    @fn
    def f(x: Real) -> Real:
        return rose.exp((x, x))

    return f


def exp_of_a_dict():
    @fn
    def f(x: Real) -> Real:
        return rose.exp({"x": x})

    return f


def exp_of_a_condition():
    @fn
    def f(x: Real) -> Real:
        return rose.exp(x > 0.0)

    return f


def exp_of_a_function():
    @fn
    def f(x: Real) -> Real:
        return rose.exp(rose.sin)

    return f


def exp_of_a_type():
    @fn
    def f(x: Real) -> Real:
        return rose.exp(Real)

    return f


def exp_of_a_generator():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.exp(v[i] for i in rose.range(3))

    return f


def sigmoid_of_a_truth_value():
    @fn
    def f(x: Real) -> Real:
        return x * rose.sigmoid(True)

    return f


def relu_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.relu(v)

    return f


def softplus_of_none():
    @fn
    def f(x: Real) -> Real:
        return x + rose.softplus(None)

    return f


def gamma_of_two_numbers():
    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.gamma(x, y)

    return f


def log_with_a_base():
    @fn
    def f(x: Real) -> Real:
        return rose.log(x, 2.0)

    return f


def atan2_of_one_number():
    @fn
    def f(x: Real) -> Real:
        return rose.atan2(x)

    return f


def atan2_by_names():
    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.atan2(y=y, x=x)

    return f


def hypot_of_three_numbers():
    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.hypot(x, y, 1.0)

    return f


def hypot_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.hypot(v, 1.0)

    return f


def pow_of_a_truth_value():
    @fn
    def f(x: Real) -> Real:
        return rose.pow(True, x)

    return f


def pow_of_one_number():
    @fn
    def f(x: Real) -> Real:
        return rose.pow(x)

    return f


def copysign_of_a_string():
    @fn
    def f(x: Real) -> Real:
        return rose.copysign(x, "-")

    return f


def clip_between_one_bound():
    @fn
    def f(x: Real) -> Real:
        return rose.clip(x, 0.0)

    return f


def clip_by_names():
    @fn
    def f(x: Real) -> Real:
        return rose.clip(x, min=0.0, max=1.0)

    return f


def clip_to_none():
    @fn
    def f(x: Real) -> Real:
        return rose.clip(x, 0.0, None)

    return f


def round_to_digits():
    @fn
    def f(x: Real) -> Real:
        return rose.round(x, 2)

    return f


def abs_of_a_string():
    @fn
    def f(x: Real) -> Real:
        return rose.abs("x") * x

    return f


def abs_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return abs(v)

    return f


# operators


def a_remainder_by_a_string():
    @fn
    def f(x: Real) -> Real:
        return x % "a"

    return f


def a_remainder_of_an_index_by_a_number():
    @fn
    def f(i: Fin[3], x: Real) -> Real:
        return i % x

    return f


def a_power_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return v**2

    return f


def two_to_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return 2**v

    return f


def a_power_of_none():
    @fn
    def f(x: Real) -> Real:
        return x**None

    return f


def a_power_to_a_string():
    @fn
    def f(x: Real) -> Real:
        return x ** "2"

    return f


def a_power_of_a_condition():
    @fn
    def f(x: Real) -> Real:
        return (x > 0.0) ** 2

    return f


def a_root_of_an_index_by_a_string():
    @fn
    def f(i: Fin[3]) -> Real:
        return i ** "2"

    return f


def a_minus_of_a_condition():
    @fn
    def f(x: Real) -> Real:
        return -(x > 0.0)

    return f

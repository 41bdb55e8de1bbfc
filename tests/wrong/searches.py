"""Wrong programs: searches for the least value of a function, and the equations that they solve."""

from __future__ import annotations

import rose
from rose import Bool, Real, Vec, fn, lib


@fn
def bowl(x: Vec[2]) -> Real:
    return rose.dot(x, x)


@fn
def shifted(x: Vec[2]) -> Vec[2]:
    return [x[0] - 1.0, x[1] - 2.0]


@fn
def either(up: Bool, x: Real) -> Real:
    return rose.select(up, x, -x)


@fn
def nothing() -> Real:
    return 1.0


def a_search_of_a_lambda():
    return lib.lbfgs(lambda x: x * x)


def a_search_of_a_compiled_function():
    return lib.newton(rose.compile(bowl))


def a_search_through_what_is_no_number():
    return lib.gradient_descent(either)


def a_search_through_nothing():
    return lib.adam(nothing)


def a_search_for_the_least_vector():
    return lib.newton(shifted)


def a_search_for_the_least_truth_value():
    return lib.lbfgs(fn([Real], Bool)(lambda x: x > 0.0))


def least_squares_of_truth_values():
    return lib.gauss_newton(fn([Real], Bool)(lambda x: x > 0.0))


def a_start_of_another_size():
    return lib.lbfgs(bowl)([1.0, 2.0, 3.0])


def a_start_that_is_missing():
    return lib.gauss_newton(shifted)()


def a_rate_below_zero():
    return lib.gradient_descent(bowl, rate=-0.1)


def a_rate_of_text():
    return lib.adam(bowl, rate="fast")


def a_memory_that_does_not_fade():
    return lib.adam(bowl, b1=1.0)


def a_tolerance_that_is_nan():
    return lib.lbfgs(bowl, tolerance=float("nan"))


def no_steps_at_all():
    return lib.newton(bowl, max_steps=0)


def half_a_step():
    return lib.gauss_newton(shifted, max_steps=0.5)


def a_history_of_nothing():
    return lib.lbfgs(bowl, history=0)


def damping_that_is_true():
    return lib.gauss_newton(shifted, damping=True)


def an_option_that_is_not_there():
    return lib.lbfgs(bowl, rate=0.1)


def minimum_of_a_number():
    return lib.Minimum[3]

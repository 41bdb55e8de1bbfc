"""Equations that define nothing: wrong arguments of rose.implicit."""

import rose
from rose import Bool, Fin, Real, Vec, fn
from rose.implicit import argmin, event, fixed_point, linear_solve, ode, quadrature, root


@fn
def square(x: Real, a: Real) -> Real:
    return x * x - a


@fn
def length(x: Vec[2]) -> Real:
    return rose.norm(x)


def a_root_of_a_plain_function():
    return root(lambda x: x * x - 2.0)


def a_root_that_is_an_index():
    @fn
    def pick(i: Fin[3]) -> Real:
        return [1.0, 4.0, 2.0][i]

    return root(pick)


def a_root_of_nothing():
    @fn
    def two() -> Real:
        return 2.0

    return root(two)


def fewer_equations_than_unknowns():
    return root(length)


def an_equation_of_truths():
    @fn
    def positive(x: Real) -> Bool:
        return x > 0.0

    return root(positive)


def a_fixed_point_of_a_function_to_another_type():
    return fixed_point(length)


def a_tolerance_below_zero():
    return root(square, tolerance=-1.0)


def steps_that_are_no_integer():
    return root(square, max_steps=2.5)


def a_tolerance_that_is_traced():
    @fn
    def f(a: Real) -> Real:
        return root(square, tolerance=a)(1.0, 2.0)

    return f(1.0)


def a_search_by_name():
    return argmin(length, search="newton")


def the_minimum_of_a_vector():
    @fn
    def twice(x: Vec[2]) -> Vec[2]:
        return 2.0 * x

    return argmin(twice)


def equations_that_are_not_linear():
    return linear_solve(square)(1.0, 2.0)


def a_method_for_linear_equations_that_is_none():
    return linear_solve(square, method="minres")


def steps_of_a_linear_equation_below_one():
    return linear_solve(square, method="cg", max_steps=0)


def a_restart_by_name():
    return linear_solve(square, method="gmres", restart="often")


def equations_that_are_not_linear_for_an_iteration():
    @fn
    def squares(x: Vec[2]) -> Vec[2]:
        return x * x

    return linear_solve(squares, method="gmres")([1.0, 2.0])


def a_root_with_too_few_data():
    return root(square)(1.0)


def a_root_from_a_start_of_another_size():
    @fn
    def g(x: Vec[2]) -> Vec[2]:
        return x * x - 2.0

    return root(g)([1.0, 2.0, 3.0])


def an_integral_over_a_plane():
    return quadrature(length, 0.0, 1.0)


def an_integral_of_a_plain_function():
    return quadrature(lambda x: x, 0.0, 1.0)


def an_integral_without_its_limits():
    return quadrature(square)


def an_integral_without_its_data():
    return quadrature(square, 0.0, 1.0)


def intervals_that_are_none():
    return quadrature(square, 0.0, 1.0, 2.0, max_intervals=0)


def a_differential_equation_of_a_plain_function():
    return ode(lambda t, y: -y, 0.0, 1.0, 1.0)


def a_differential_equation_without_a_time():
    return ode(length, 0.0, 1.0, [1.0, 2.0])


def a_rate_that_is_no_state():
    @fn
    def speed(t: Real, y: Vec[2]) -> Real:
        return t * rose.norm(y)

    return ode(speed, 0.0, 1.0, [1.0, 2.0])


def a_state_with_an_index():
    @fn
    def rate(t: Real, y: tuple[Real, Fin[3]]) -> tuple[Real, Fin[3]]:
        return y

    return ode(rate, 0.0, 1.0, (1.0, 2))


def a_method_of_another_library():
    return ode(square, 0.0, 1.0, 1.0, method="RK45")


def a_method_that_is_no_name():
    return ode(square, 0.0, 1.0, 1.0, method=5)


def a_relative_tolerance_that_is_nan():
    return ode(square, 0.0, 1.0, 1.0, rtol=float("nan"))


def an_absolute_tolerance_below_zero():
    return ode(square, 0.0, 1.0, 1.0, atol=-1e-6)


def a_trajectory_of_no_steps():
    return ode(square, 0.0, 1.0, 1.0, max_steps=0)


def a_start_of_another_size():
    @fn
    def rate(t: Real, y: Vec[2]) -> Vec[2]:
        return y

    return ode(rate, 0.0, 1.0, [1.0, 2.0, 3.0])


def a_trajectory_without_its_data():
    @fn
    def rate(t: Real, y: Real, k: Real) -> Real:
        return k * y

    return ode(rate, 0.0, 1.0, 1.0)


def a_time_that_is_a_text():
    return ode(square, 0.0, "1.0", 1.0)


def times_of_times():
    return ode(square, 0.0, [[1.0, 2.0]], 1.0)


@fn
def decay(t: Real, y: Real) -> Real:
    return -y


def an_event_without_its_surface():
    return event(decay, 1.0, 0.0, 1.0, 1.0)


def a_surface_that_is_no_number():
    @fn
    def above(t: Real, y: Real) -> Bool:
        return y > 0.5

    return event(decay, above, 0.0, 1.0, 1.0)


def a_surface_of_other_states():
    @fn
    def g(t: Real, y: Vec[2]) -> Real:
        return y[0]

    return event(decay, g, 0.0, 1.0, 1.0)


def a_direction_that_is_none():
    return event(decay, decay, 0.0, 1.0, 1.0, direction=2)

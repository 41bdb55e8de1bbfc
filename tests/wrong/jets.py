"""Wrong programs: jets of what has none, and of orders that there are not."""

import rose
from rose import Bool, Fin, Real, Vec, fn, opaque


@fn
def square(x: Real) -> Real:
    return x * x


def a_jet_of_order_0():
    return rose.jet(square, 0)


def a_jet_of_a_negative_order():
    return rose.jet(square, -2)


def a_jet_of_an_order_that_is_no_integer():
    return rose.jet(square, 2.0)


def a_jet_without_an_order():
    return rose.jet(square)


def a_jet_of_a_function_without_a_real_result():
    return rose.jet(fn([Real], Bool)(lambda x: x > 0.0), 2)


def a_jet_of_a_function_without_a_parameter_that_moves():
    return rose.jet(fn([Bool], Real)(lambda c: rose.select(c, 1.0, 2.0)), 2)


def a_jet_along_too_few_derivatives():
    return rose.jet(square, 3)([1.0, 1.0])


def a_jet_of_an_opaque_function():
    @opaque
    def outside(x: Real) -> Real:
        return 2.0 * x

    return rose.jet(fn([Real], Real)(lambda x: outside(x)), 2)([1.0, 1.0, 0.0])


def a_taylor_polynomial_of_two_numbers():
    return rose.taylor(fn([Real, Real], Real)(lambda x, y: x * y), 2)


def a_taylor_polynomial_of_degree_0():
    return rose.taylor(square, 0)


def a_directional_derivative_of_order_0():
    return rose.directional(square, 0)


def the_divergence_of_a_number():
    return rose.divergence(fn([Vec[2]], Real)(lambda x: x[0]))


def the_curl_in_four_dimensions():
    return rose.curl(fn([Vec[4]], Vec[4])(lambda x: x))


def the_bilaplacian_of_a_vector():
    return rose.bilaplacian(fn([Vec[2]], Vec[2])(lambda x: x))


def partial_derivatives_of_order_0():
    return rose.derivatives(square, 0)


def partial_derivatives_of_a_negative_order():
    return rose.derivatives(square, -1)


def partial_derivatives_of_an_order_that_is_no_integer():
    return rose.derivatives(square, 1.5)


def partial_derivatives_without_an_order():
    return rose.derivatives(square)


def partial_derivatives_of_a_condition():
    return rose.derivatives(fn([Vec[2]], Bool)(lambda x: x[0] > x[1]), 2)


def partial_derivatives_by_an_index():
    return rose.derivatives(fn([Fin[3], Vec[3]], Real)(lambda i, x: x[i]), 2)


def partial_derivatives_of_an_opaque_function():
    @opaque
    def outside(x: Real) -> Real:
        return 2.0 * x

    return rose.derivatives(fn([Vec[2]], Real)(lambda x: outside(x[0]) * x[1]), 2)([1.0, 2.0])


def partial_derivatives_by_too_many_variables():
    return rose.derivatives(fn([Vec[200]], Real)(lambda x: rose.sum(x)), 2)


def partial_derivatives_of_a_size_that_is_not_known():
    n = rose.dim("n")
    f = fn([Vec[n]], Real)(lambda x: rose.sum(x))
    return rose.compile({"d": rose.derivatives(f, 2)}, dynamic=True)


def the_place_of_a_partial_derivative_by_a_negative_variable():
    return rose.partial_index(0, -1)


def the_place_of_a_partial_derivative_by_a_number():
    return rose.partial_index(0, 1.5)


def the_place_of_a_partial_derivative_by_a_traced_index():
    @fn
    def f(x: Vec[2], i: Fin[2]) -> Real:
        return rose.derivatives(fn([Vec[2]], Real)(lambda x: x[0] * x[1]), 2)(x)[rose.partial_index(0, i)]

    return f([1.0, 2.0], 0)

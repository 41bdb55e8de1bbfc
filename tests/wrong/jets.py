"""Wrong programs: jets of what has none, and of orders that there are not."""

import rose
from rose import Bool, Real, Vec, fn, opaque


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

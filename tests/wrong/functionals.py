"""Wrong programs: functions of functions."""

from __future__ import annotations

import numpy as np

import rose
from rose import Real, Vec, fn
from rose import functional as F

LINE = F.Grid.trapezoid(0.0, 1.0, 5)


@fn
def curve(x: Real) -> Real:
    return rose.sin(x)


@fn
def field(r: Vec[3]) -> Real:
    return rose.dot(r, r)


@fn
def surface(x: Real, y: Real) -> Real:
    return x * y


def a_composition_of_types_that_do_not_fit():
    return curve(F.nabla(field))


def a_sum_of_functions_of_different_arguments():
    return curve + field


def a_composition_with_too_few_functions():
    return F.compose(surface, curve)


def a_grid_of_another_dimension():
    return F.integrate(field, LINE)


def an_integral_without_a_grid():
    return F.integrate(curve)


def an_argument_that_is_not_there():
    return F.nabla(curve, argnums=1)


def a_functional_of_another_type():
    @F.functional
    def energy(y: F.Map[Real, Real]) -> Real:
        return F.integrate(y**2, LINE)

    return energy(surface)


def a_functional_that_asks_for_a_value():
    @F.functional
    def energy(y: F.Map[Real, Real]) -> Real:
        if y(0.5) > 0:
            return F.integrate(y, LINE)
        return F.integrate(-y, LINE)

    return energy(curve)


def a_functional_that_reads_a_number():
    @F.functional
    def energy(y: F.Map[Real, Real]) -> Real:
        return float(y(0.5)) * F.integrate(y, LINE)

    return energy(curve)


def a_functional_without_types():
    @F.functional
    def energy(y) -> Real:  # type: ignore[no-untyped-def]
        return F.integrate(y, LINE)

    return energy


def a_functional_with_another_result():
    @F.functional
    def energy(y: F.Map[Real, Real]) -> Real:
        return F.nabla(y)

    return energy(curve)


def the_derivative_of_a_value_at_a_point():
    @F.functional
    def value(y: F.Map[Real, Real]) -> Real:
        return y(0.5)

    return rose.grad(value)(curve)


def the_derivative_in_the_outer_function():
    @F.functional
    def outer(y: F.Map[Real, Real]) -> Real:
        return F.integrate(y(curve), LINE)

    return rose.grad(outer)(curve)


def the_transpose_of_a_linearisation():
    @F.functional
    def linearised(y: F.Map[Real, Real]) -> F.Map[Real, Real, Real]:
        return F.linearize(y)

    return rose.vjp(linearised)(curve).grad(surface)


def a_function_without_types():
    return F.nabla(lambda x: x * x)


def a_hessian_of_a_functional():
    @F.functional
    def energy(y: F.Map[Real, Real]) -> Real:
        return F.integrate(y**2, LINE)

    return rose.hessian(energy)


def a_grid_of_lists_that_differ():
    return F.Grid([0.0, 0.5, 1.0], [0.5, 0.5])


def a_kernel_of_one_argument():
    return curve @ curve


def a_tuple_of_what_is_none():
    return F.split(curve)


def a_reduction_of_a_ufunc():
    return np.add.reduce(curve)


def a_ufunc_with_a_named_argument():
    return np.add(curve, curve, where=True)


def an_array_function_without_a_meaning():
    return np.packbits(curve)


def a_list_with_a_function_among_numbers():
    return curve([curve, 1.0])


def a_text_of_what_is_no_function():
    return F.show(3)


def nodes_and_weights_that_differ_in_number():
    @fn
    def integral(x: Vec[2]) -> Real:
        return F.integrate(curve, F.Grid(x, [1.0]))

    return integral


def a_product_of_traced_grids():
    @fn
    def integral(x: Vec[2]) -> Real:
        return F.integrate(field, F.Grid(x, x) * LINE)

    return integral


def a_grid_of_functions():
    @F.functional
    def energy(a: Real, y: F.Map[Real, Real]) -> Real:
        return F.integrate(y, F.Grid([a, a], [1.0, 1.0]))

    return energy(1.0, curve)

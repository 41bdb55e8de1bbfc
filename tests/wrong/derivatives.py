"""Wrong programs: derivatives, and what cannot be differentiated."""

from __future__ import annotations

import math
from typing import Any

import rose
from rose import Bool, Dual, Fin, Real, Vec, fn, opaque


@fn
def square(x: Real) -> Real:
    return x * x


@fn
def double(v: Vec[2]) -> Vec[2]:
    return [2.0 * v[0], 2.0 * v[1]]


@fn
def pick(v: Vec[3], i: Fin[3], up: Bool) -> Real:
    return rose.select(up, v[i], -v[i])


@opaque
def erf(x: Real) -> Real:
    return math.erf(x)


# what is differentiated


def grad_of_a_host_function():
    return rose.grad(math.sin)


def grad_of_a_lambda():
    return rose.grad(lambda x: x * x)


def grad_of_a_number():
    return rose.grad(square(3.0))


def grad_of_a_compiled_function():
    return rose.grad(rose.compile(square))


def grad_of_a_function_to_a_vector():
    return rose.grad(double)


def sparse_hessian_of_a_function_to_a_vector():
    return rose.hessian(double, sparse=True)


def more_results_of_a_function_to_a_vector():
    return rose.grad(double, has_aux=True)


def value_and_grad_of_a_function_to_a_bool():
    @fn
    def positive(x: Real) -> Bool:
        return x > 0.0

    return rose.value_and_grad(positive)


def jacobian_of_a_function_to_a_bool():
    @fn
    def positive(x: Real) -> Bool:
        return x > 0.0

    return rose.jacobian(positive)


def vjp_of_a_number():
    return rose.vjp(3.0)


def grad_in_an_index():
    return rose.grad(pick, argnums=1)


def grad_in_a_bool():
    return rose.grad(pick, argnums=(0, 2))


def grad_in_a_parameter_that_is_not_there():
    return rose.grad(square, argnums=1)


def grad_in_a_parameter_by_name():
    return rose.grad(pick, argnums="v")


def grad_in_a_fraction():
    return rose.grad(pick, argnums=0.5)


def grad_in_none():
    return rose.grad(pick, argnums=None)


def grad_of_a_function_of_nothing():
    @fn
    def f() -> Real:
        return 1.0

    return rose.grad(f)


def hvp_in_two_parameters():
    return rose.hvp(square, argnums=(0,))


def hvp_without_a_vector():
    return rose.hvp(square)(3.0)


def grad_with_a_wrong_argument():
    return rose.grad(square)("3")


def grad_with_a_wrong_argument_in_a_trace():
    @fn
    def f(v: Vec[3]) -> Real:
        return 1.0 + rose.grad(square)(v)

    return f


def grad_of_grad_of_a_vector():
    @fn
    def norm(v: Vec[2]) -> Real:
        return v[0] * v[0] + v[1] * v[1]

    return rose.grad(rose.grad(norm))


def grad_through_an_opaque_function():
    @fn
    def f(x: Real) -> Real:
        return 2.0 * erf(x) + 1.0

    return rose.grad(f)


def grad_through_an_opaque_function_in_a_function():
    @fn
    def g(x: Real) -> Real:
        return erf(x) * x

    @fn
    def f(x: Real) -> Real:
        return 2.0 * g(x)

    return rose.grad(f)


def grad_of_an_opaque_function():
    return rose.grad(erf)


def jvp_of_an_opaque_function():
    return rose.jvp(erf)


# duals


def jvp_without_duals():
    return rose.jvp(square)(3.0)


def jvp_with_numbers_in_a_trace():
    @fn
    def f(x: Real) -> Real:
        return rose.jvp(square)(x).du

    return f


def a_dual_in_arithmetic():
    @fn
    def f(x: Dual) -> Real:
        return x + 1.0

    return f


def a_dual_compared():
    @fn
    def f(x: Dual) -> Real:
        return 1.0 if x > 0.0 else 2.0

    return f


def an_unknown_part_of_a_dual():
    @fn
    def f(x: Dual) -> Real:
        return x.re + x.dx

    return f


def a_dual_given_to_a_function():
    @fn
    def f(x: Dual) -> Real:
        return 1.0 + rose.sqrt(x)

    return f


def a_dual_for_a_number():
    @fn
    def f(x: Dual) -> Real:
        return square(x)

    return f


def a_dual_of_a_vector():
    @fn
    def f(x: Real) -> Dual:
        return Dual([x, x], x)

    return f


# pullbacks


def a_pullback_of_another_function():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(rose.vjp(square)(x))
        return kept[0].ret

    @fn
    def g(x: Real) -> Real:
        return 1.0 + kept[0].grad(x)

    _ = f.func
    return g


def a_pullback_kept_from_a_trace():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        kept.append(rose.vjp(square)(x))
        return kept[0].ret

    _ = f.func
    return kept[0].grad(1.0)


def a_cotangent_of_another_type():
    @fn
    def f(v: Vec[2]) -> Vec[2]:
        return rose.vjp(double)(v).grad(1.0)

    return f


def a_cotangent_of_another_size():
    return rose.vjp(double)([1.0, 2.0]).grad([1.0, 2.0, 3.0])


def vjp_with_too_few_arguments():
    return rose.vjp(pick)([1.0, 2.0, 3.0])


def a_pullback_of_nothing():
    return rose.vjp(square)(3.0).grad()


def a_pullback_of_a_string():
    return rose.vjp(square)(3.0).grad("1")


def a_pullback_with_two_cotangents_in_a_trace():
    @fn
    def f(x: Real) -> Real:
        return rose.vjp(square)(x).grad(1.0, 2.0)

    return f


def a_linear_function_of_too_many_tangents():
    return rose.linearize(square)(3.0)[1](1.0, 2.0)


def a_linear_function_of_a_string():
    return rose.linearize(square)(3.0)[1]("1")


def grad_of_nothing():
    return rose.grad()


def grad_with_an_unknown_option():
    return rose.grad(square, argnum=1)


def linearize_of_a_number():
    return rose.linearize(2.0)


def a_transpose_of_a_function_that_is_not_linear():
    return rose.linear_transpose(square)(1.0)


def the_laplacian_of_a_vector():
    return rose.laplacian(rose.fn([rose.Vec[2]], rose.Vec[2])(lambda x: 2.0 * x))


def the_laplacian_in_two_parameters():
    return rose.laplacian(rose.fn([rose.Real, rose.Real], rose.Real)(lambda x, y: x * y), (0, 1))


def a_jacobian_times_a_vector_of_another_size():
    return rose.jacobianv(rose.fn([rose.Vec[2]], rose.Real)(lambda x: x[0]))([1.0, 2.0], [1.0])


def an_optic_of_order_0():
    return rose.optic(square, 0)


def an_optic_of_two_arguments():
    @fn
    def f(x: Real, y: Real) -> Real:
        return x * y

    return rose.optic(f, 2)


def an_optic_of_too_few_inputs():
    return rose.optic(square, 2)(1.0, [1.0, 2.0])

"""Wrong programs: derivative rules."""

from __future__ import annotations

from typing import Any

import numpy as np

import rose
from rose import Dual, Real, Vec, fn
from tests.wrong.derivatives import erf, square

# rules


def a_rule_of_another_arity():
    @fn
    def f(x: Real, y: Real) -> Real:
        return x * y

    @f.jvp
    def rule(x: Dual) -> Dual:
        return x

    return f


def a_rule_that_returns_a_number():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return x.re * 2.0

    return f


def a_rule_that_returns_nothing():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        Dual(x.re, x.du)

    return f


def a_rule_that_returns_a_tuple():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return x.re, x.du

    return f


def a_rule_of_another_size():
    @fn
    def f(v: Vec[2]) -> Vec[2]:
        return v

    @f.jvp
    def rule(v: Dual[Vec[2]]) -> Dual[Vec[2]]:
        return [v[0], v[1], v[0]]

    return f


def a_rule_with_its_parts_swapped():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.du, x.re)

    return f


def a_rule_that_is_affine():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, x.du + 1.0)

    return f


def a_rule_with_a_constant_tangent():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, 5.0)

    return f


def a_rule_whose_tangent_is_a_number():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re * x.re, 2.0 * x.re)

    return f


def a_rule_that_multiplies_two_tangents():
    @fn
    def f(x: Real, y: Real) -> Real:
        return x * y

    @f.jvp
    def rule(x: Dual, y: Dual) -> Dual:
        return Dual(x.re * y.re, x.du * y.re + x.du * y.du)

    return f


def a_rule_that_divides_by_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, 1.0 / x.du)

    return f


def a_rule_that_takes_a_root_of_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, 2.0 * rose.sqrt(x.du))

    return f


def a_rule_that_squares_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, x.du**2)

    return f


def a_rule_that_compares_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, rose.select(x.du > 0.0, x.du, 0.0))

    return f


def a_rule_that_calls_a_function_with_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, square(x.du))

    return f


def a_rule_that_calls_an_opaque_function_with_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, erf(x.du))

    return f


def a_rule_that_sums_a_tangent_and_a_number():
    @fn
    def f(v: Vec[3]) -> Real:
        return v[0]

    @f.jvp
    def rule(v: Dual[Vec[3]]) -> Dual:
        total = rose.accum(0.0)
        total += v[0].du
        total += v[0].re
        return Dual(v[0].re, total.value)

    return f


def a_rule_with_a_python_if():
    @fn
    def f(x: Real) -> Real:
        return rose.abs(x)

    @f.jvp
    def rule(x: Dual) -> Dual:
        if x.re > 0.0:
            return x
        return Dual(-x.re, -x.du)

    return f


def a_rule_that_uses_the_function_around():
    @fn
    def outer(y: Real) -> Real:
        @fn
        def f(x: Real) -> Real:
            return x

        @f.jvp
        def rule(x: Dual) -> Dual:
            return Dual(x.re, x.du * y)

        return rose.grad(f)(y)

    return outer


def a_rule_that_leaves_a_loop():
    @fn
    def f(v: Vec[3]) -> Real:
        return v[0]

    @f.jvp
    def rule(v: Dual[Vec[3]]) -> Dual:
        for i in rose.range(3):
            return v[i]

    return f


def a_rule_given_too_late():
    @fn
    def f(x: Real) -> Real:
        return x * x

    _ = rose.grad(f).func

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, x.du)

    return f


def a_rule_given_too_late_for_a_caller():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @fn
    def g(x: Real) -> Real:
        return 2.0 * f(x)

    _ = rose.grad(g).func

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, x.du)

    return f


def a_second_rule():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, x.du)

    @f.jvp
    def another(x: Dual) -> Dual:
        return Dual(x.re, 2.0 * x.du)

    return f


def a_rule_that_is_assigned():
    @fn
    def f(x: Real) -> Real:
        return x * x

    f.jvp = lambda x: Dual(x.re * x.re, 2.0 * x.re * x.du)
    return f


def a_rule_that_is_no_function():
    @fn
    def f(x: Real) -> Real:
        return x * x

    f.jvp(3.0)
    return f


def a_tangent_for_a_real():
    @fn
    def f(x: Dual) -> Real:
        return x.du * x.du

    @f.jvp
    def rule(x: Any) -> Dual:
        return x

    return f


def a_real_where_a_tangent_is_declared():
    @fn
    def f(x: Real) -> rose.Tan:
        return x

    return f


def a_literal_where_a_tangent_is_declared():
    @fn
    def f(x: Real) -> rose.Tan:
        return 5.0

    return f


def a_rule_with_exp_of_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, rose.exp(x.du))

    return f


def a_rule_with_a_maximum_of_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, rose.max(x.du, 0.0))

    return f


def a_rule_with_a_sigmoid_of_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, rose.sigmoid(x.du))

    return f


def a_rule_with_a_norm_of_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, rose.norm([x.du, x.du]))

    return f


def a_rule_with_a_power_of_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, x.du**0.5)

    return f


def a_rule_with_a_function_of_numpy_of_a_tangent():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, np.tanh(x.du))

    return f


def a_rule_with_a_sum_of_a_tangent_and_a_number_on_the_left():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, 1.0 + x.du)

    return f


def a_rule_with_a_vector_of_tangents_in_a_product():
    @fn
    def f(x: Real) -> Real:
        return x * x

    @f.jvp
    def rule(x: Dual) -> Dual:
        return Dual(x.re, rose.prod([x.du, x.du]))

    return f


def an_operation_on_vectors():
    @rose.op
    def f(v: Vec[2]) -> Vec[2]:
        return v

    return f


def an_operation_on_nothing():
    @rose.op
    def f() -> Real:
        return 1.0

    return f


def an_operation_that_is_no_function():
    return rose.op(3.0)


def an_operation_of_conditions():
    f = rose.op(fn([Real], Real)(lambda x: x))
    return fn([Vec[2]], Vec[2])(lambda v: f(v > 0.0))


def an_operation_of_vectors_that_do_not_broadcast():
    f = rose.op(fn([Real, Real], Real)(lambda x, y: x + y))
    return fn([Vec[2], Vec[3]], Vec[2])(lambda v, w: f(v, w))

"""Wrong programs: what functions return, and how they are called and traced; what a host function may be."""

from __future__ import annotations

import math
from typing import Any

import rose
from rose import Bool, Fin, Real, Vec, fn, opaque

# results


def a_missing_return():
    @fn
    def f(x: Real) -> Real:
        x * 2.0

    return f


def none_returned():
    @fn
    def f(x: Real) -> Real:
        return None

    return f


def something_returned_for_nothing():
    @fn
    def f(x: Real) -> None:
        return x

    return f


def two_results_for_one():
    @fn
    def f(x: Real) -> Real:
        return x, x

    return f


def one_result_for_two():
    @fn
    def f(x: Real) -> tuple[Real, Real]:
        return 2.0 * x

    return f


def a_result_of_another_type():
    @fn
    def f(x: Real) -> Vec[2]:
        return 2.0 * x

    return f


def a_result_of_another_type_on_one_way():
    sign = -1.0

    @fn
    def f(x: Real) -> Bool:
        if sign < 0.0:
            return -x
        return x > 0.0

    return f


def a_result_of_another_size():
    @fn
    def f(v: Vec[3]) -> Vec[2]:
        return v

    return f


def a_list_of_another_length():
    @fn
    def f(x: Real) -> Vec[2]:
        return [x, x, x]

    return f


def a_wrong_element_returned():
    @fn
    def f(x: Real) -> Vec[3]:
        return [
            x,
            x > 0.0,
            x,
        ]

    return f


def a_bool_for_a_real():
    @fn
    def f(x: Real) -> Real:
        return x > 0.0

    return f


def a_literal_bool_for_a_real():
    @fn
    def f(x: Real) -> Real:
        return True

    return f


def a_real_for_a_bool():
    @fn
    def f(x: Real) -> Bool:
        return 1.0

    return f


def a_real_for_an_index():
    @fn
    def f(x: Real) -> Fin[3]:
        return x

    return f


def an_index_outside_its_type():
    @fn
    def f(x: Real) -> Fin[3]:
        return 7

    return f


def an_index_sum_outside_its_type():
    @fn
    def f(i: Fin[3]) -> Fin[3]:
        return i + 2

    return f


def an_accumulator_returned():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(0.0)
        total += x
        return total

    return f


def a_generator_returned():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return (2.0 * v[k] for k in range(3))

    return f


def a_function_returned():
    @fn
    def f(x: Real) -> Real:
        return math.sin

    return f


def a_lambda_of_another_type():
    return fn([Real], Bool)(lambda x: 2.0 * x)


# calls


def too_few_arguments():
    @fn
    def g(x: Real, y: Real) -> Real:
        return x * y

    @fn
    def f(x: Real) -> Real:
        return 1.0 + g(x)

    return f


def too_many_arguments():
    @fn
    def g(x: Real) -> Real:
        return x

    @fn
    def f(x: Real) -> Real:
        return 1.0 + g(x, 2.0)

    return f


def no_arguments_at_all():
    @fn
    def f() -> Real:
        return 1.0

    return f(2.0)


def an_unknown_name_of_an_argument():
    @fn
    def g(x: Real) -> Real:
        return x

    @fn
    def f(x: Real) -> Real:
        return 1.0 + g(z=x)

    return f


def an_argument_given_twice():
    @fn
    def g(x: Real, y: Real) -> Real:
        return x * y

    @fn
    def f(x: Real) -> Real:
        return 1.0 + g(x, x=x)

    return f


def an_argument_of_another_type():
    @fn
    def g(x: Real, v: Vec[3]) -> Real:
        return x * v[0]

    @fn
    def f(x: Real) -> Real:
        return 1.0 + g(x, x + 1.0)

    return f


def a_named_argument_of_another_type():
    @fn
    def g(x: Real, v: Vec[3]) -> Real:
        return x * v[0]

    @fn
    def f(x: Real) -> Real:
        return 1.0 + g(v=[x, x], x=x)

    return f


def a_nested_argument_of_another_type():
    @fn
    def g(a: Vec[2, Vec[2]]) -> Real:
        return a[0][0]

    @fn
    def f(x: Real) -> Real:
        return g([[x, x], [x, "y"]])

    return f


def a_function_that_calls_itself():
    @fn
    def factorial(n: Real) -> Real:
        return rose.select(n <= 1.0, 1.0, n * factorial(n - 1.0))

    return factorial


def functions_that_call_each_other():
    @fn
    def even(n: Real) -> Real:
        return rose.select(n <= 0.0, 1.0, odd(n - 1.0))

    @fn
    def odd(n: Real) -> Real:
        return rose.select(n <= 0.0, 0.0, even(n - 1.0))

    return even


def a_python_function_that_never_ends():
    def factorial(n: Any) -> Any:
        return rose.select(n <= 1.0, 1.0, n * factorial(n - 1.0))

    @fn
    def f(x: Real) -> Real:
        return factorial(x)

    return f


def a_factory_that_never_ends():
    def factorial(n: Any) -> Any:
        @fn
        def step(m: Real) -> Real:
            return m * factorial(m - 1.0)

        return rose.select(n <= 1.0, 1.0, step(n))

    @fn
    def f(x: Real) -> Real:
        return factorial(x)

    return f


def a_nested_function_outside_of_the_one_around_it():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        @fn
        def inner(y: Real) -> Real:
            return x * y

        kept.append(inner)
        return inner(x)

    @fn
    def g(y: Real) -> Real:
        return 1.0 + kept[0](y)

    _ = f.func
    return g


def a_nested_function_compiled():
    kept: list[Any] = []

    @fn
    def f(x: Real) -> Real:
        @fn
        def inner(y: Real) -> Real:
            return x * y

        kept.append(inner)
        return inner(x)

    _ = f.func
    return rose.compile(kept[0])


def source_that_cannot_be_had():
    scope: dict[str, Any] = {"rose": rose}
    exec("@rose.fn\ndef f(x: rose.Real) -> rose.Real:\n    return x if x > 0.0 else -x\n", scope)
    return scope["f"]


def a_wrong_type_in_source_that_cannot_be_had():
    scope: dict[str, Any] = {"rose": rose}
    exec("@rose.fn\ndef f(x: int) -> rose.Real:\n    return x\n", scope)
    return scope["f"]


# host functions


def a_host_function_without_types():
    @opaque
    def g(x):
        return math.erf(x)

    return g


def a_host_function_of_a_tangent():
    @opaque
    def g(x: rose.Tan) -> Real:
        return x

    return g


def a_host_function_named_by_position():
    @opaque("Math.log")
    def g(x: Real) -> Real:
        return math.log(x)

    return g


def a_host_function_with_a_wrong_argument():
    @opaque
    def g(x: Real, y: Real) -> Real:
        return x * y

    @fn
    def f(v: Vec[2]) -> Real:
        return 1.0 + g(v[0], v)

    return f


def a_host_function_that_returns_nothing():
    @opaque
    def g(x: Real) -> Real:
        print(x)

    @fn
    def f(x: Real) -> Real:
        return g(x)

    return f(1.0)


def a_host_function_that_returns_too_much():
    @opaque
    def g(x: Real) -> Vec[2]:
        return [x, x, x]

    @fn
    def f(x: Real) -> Real:
        return g(x)[0]

    return f(1.0)


def a_host_function_with_a_number_for_a_name():
    @opaque(name=3)
    def g(x: Real) -> Real:
        return math.log(x)

    return g


def a_dict_of_types_with_numbers_for_names():
    @fn
    def f(p: {1: Real}) -> Real:
        return p[1]

    return f


def a_derivative_in_the_place_of_its_value():
    @fn
    def g(x: Real) -> Real:
        return x * x

    @fn
    def f(x: Real) -> Real:
        return 1.0 + rose.grad(g)

    return f

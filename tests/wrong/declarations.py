"""Wrong programs: how functions are declared."""

from __future__ import annotations

import math

import numpy as np

import rose
from rose import Fin, Real, Vec, fn

# declarations


def no_types_at_all():
    @fn
    def f(x, y):
        return x * y

    return f


def one_type_missing():
    @fn
    def f(x: Real, y) -> Real:
        return x * y

    return f


def no_type_of_the_result():
    @fn
    def f(x: Real):
        return x

    return f


def int_as_a_type():
    @fn
    def f(x: Real, n: int) -> Real:
        return x * n

    return f


def a_string_as_a_type():
    @fn
    def f(x: "three") -> Real:  # type: ignore  # noqa: F821, UP037
        return x

    return f


def a_list_as_a_type():
    @fn
    def f(v: list[float]) -> Real:
        return v[0]

    return f


def a_dtype_as_a_type():
    @fn
    def f(x: np.float32) -> Real:
        return x

    return f


def an_array_as_a_type():
    @fn
    def f(x: np.ndarray) -> Real:
        return x[0]

    return f


def a_vec_of_no_size():
    @fn
    def f(v: Vec) -> Real:
        return v[0]

    return f


def an_optional_type():
    @fn
    def f(x: Real | None) -> Real:
        return x

    return f


def a_fractional_size():
    @fn
    def f(v: Vec[1.5]) -> Real:
        return v[0]

    return f


def a_negative_size():
    @fn
    def f(v: Vec[-1]) -> Real:
        return v[0]

    return f


def a_size_that_is_too_large():
    @fn
    def f(x: Real, v: Vec[2**40]) -> Real:
        return v[0]

    return f


def an_index_type_that_is_too_large():
    @fn
    def f(i: Fin[2**32]) -> Fin[2**32]:
        return i

    return rose.compile(f)


def a_size_that_is_a_string():
    @fn
    def f(v: Vec["n"]) -> Real:  # type: ignore  # noqa: F821, UP037
        return v[0]

    return f


def a_vec_with_its_type_first():
    @fn
    def f(v: Vec[Real, 3]) -> Real:
        return v[0]

    return f


def a_vec_of_three_things():
    @fn
    def f(v: Vec[2, Real, Real]) -> Real:
        return v[0][0]

    return f


def an_undefined_name():
    @fn
    def f(x: Real, v: Vec[m]) -> Real:  # type: ignore  # noqa: F821
        return v[0]

    return f


def a_size_of_an_outer_function():
    def outer(n: int):
        def inner():
            @fn
            def f(v: Vec[n]) -> Real:
                return v[0]

            return f

        return inner()

    return outer(3)


def an_annotation_that_is_no_expression():
    @fn
    def f(x: "Real and so on") -> Real:  # type: ignore  # noqa: F722
        return x

    return f


def a_wrong_result_type():
    @fn
    def f(x: Real) -> Vec[2, str]:
        return x

    return f


def a_dict_with_a_wrong_type():
    @fn
    def f(p: {"x": Real, "n": int}) -> Real:  # type: ignore  # noqa: F821, UP037
        return p["x"]

    return f


def a_default_of_another_type():
    @fn
    def f(x: Real, y: Real = "one") -> Real:  # type: ignore
        return x * y

    return f(1.0)


def any_number_of_parameters():
    @fn
    def f(x: Real, *rest: Real) -> Real:
        return x

    return f


def any_named_parameters():
    @fn
    def f(x: Real, **rest: Real) -> Real:
        return x

    return f


def parameters_by_name_only():
    @rose.opaque
    def f(x: Real, *, y: Real) -> Real:
        return x * y

    return f


def a_generator():
    @fn
    def f(x: Real) -> Real:
        yield x

    return f


def a_coroutine():
    @fn
    async def f(x: Real) -> Real:
        return x

    return f


def an_async_generator():
    @fn
    async def f(x: Real) -> Real:
        yield x

    return f


def a_class():
    @fn
    class Model:
        w: Real

    return Model


def a_function_of_c():
    return fn(math.sin)


def a_number_as_a_function():
    return fn(3)


def types_without_a_list():
    return fn(Real, Real)


def empty_parentheses():
    @fn()
    def f(x: Real) -> Real:
        return x

    return f


def too_few_types():
    @fn([Real], Real)
    def f(x, y):
        return x * y

    return f


def a_wrong_type_in_a_list():
    @fn([Real, int], Real)
    def f(x, y):
        return x * y

    return f


def a_method_of_no_object():
    class Model:
        @fn
        def loss(self, x: Real) -> Real:
            return x

    return Model.loss(1.0)

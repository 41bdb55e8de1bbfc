"""Wrong programs: sizes that are inferred at a call, and what does not fit them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import rose
from rose import Fin, Real, Vec, fn

n, m = rose.dim("n"), rose.dim("m")


@dataclass
class Data:
    x: Vec[n, Vec[m]]
    y: Vec[n]


@fn
def dot(x: Vec[n], y: Vec[n]) -> Real:
    return rose.dot(x, y)


@fn
def product(a: Vec[n, Vec[m]], x: Vec[m]) -> Vec[n]:
    return rose.vec(rose.dot(a[i], x) for i in rose.range(n))


@fn
def steps(x: Vec[n], y: Vec[m], z: Vec[n + m - 1]) -> Real:
    return rose.sum(x) * rose.sum(y) * rose.sum(z)


@fn
def total(d: Data) -> Real:
    return rose.sum(d.y)


@fn
def element(x: Vec[n], i: Fin[n]) -> Real:
    return x[i]


# at a call


def two_sizes_for_one_name():
    return dot([1.0, 2.0], [1.0, 2.0, 3.0])


def two_sizes_for_one_name_in_arrays():
    return product(np.zeros((2, 3)), np.zeros(2))


def two_sizes_for_one_name_in_a_field():
    return total(Data([[1.0], [2.0]], [1.0]))


def two_sizes_for_one_name_in_a_trace():
    @fn
    def f(x: Vec[2], y: Vec[3]) -> Real:
        return dot(x, y)

    return f


def a_computed_size():
    return steps([1.0, 2.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])


def a_computed_size_in_a_gradient():
    return rose.grad(steps)([1.0, 2.0], y=[1.0], z=[1.0, 2.0, 3.0])


def rows_of_different_sizes():
    return product([[1.0, 2.0], [3.0]], [1.0, 2.0])


def a_number_for_a_vector():
    return dot(1.0, [1.0])


def a_number_for_a_vector_in_a_trace():
    @fn
    def f(x: Real) -> Real:
        return dot(x, [1.0])

    return f


def numbers_for_rows():
    return product(np.zeros(3), [1.0])


def a_generator_for_a_vector():
    return dot((x for x in [1.0]), [1.0])


def an_index_beyond_the_size():
    return element([1.0, 2.0], 2)


def a_size_that_nothing_tells():
    @fn
    def f(a: Vec[n, Vec[m]]) -> Real:
        return rose.sum(rose.sum(row) for row in [a[i] for i in range(n)])

    return f([])


def a_size_below_zero():
    @fn
    def differences(x: Vec[n]) -> Vec[n - 1]:
        return rose.vec(x[i + 1] - x[i] for i in rose.range(n - 1))

    return differences([])


def a_size_divided_by_zero():
    @fn
    def f(x: Vec[n], y: Vec[m], z: Vec[n // m]) -> Real:
        return 1.0

    return f([1.0], [], [])


def too_few_arguments():
    return dot([1.0])


# where a function is written


def only_in_the_result():
    @fn
    def zeros(x: Real) -> Vec[n]:
        return [0.0] * n


def only_in_arithmetic():
    @fn
    def f(x: Vec[m], y: Vec[2 * n]) -> Real:
        return 0.0


def only_as_an_index():
    @fn
    def f(i: Fin[n]) -> Real:
        return 0.0


def a_size_that_is_no_integer():
    @fn
    def f(x: Vec[n], y: Vec[n / 2]) -> Real:
        return 0.0


def a_size_and_a_number_that_is_no_integer():
    @fn
    def f(x: Vec[n], y: Vec[1.5 * n]) -> Real:
        return 0.0


def a_size_compared():
    @fn
    def f(x: Vec[n], y: Vec[n if n > 2 else 2]) -> Real:
        return 0.0


def a_host_function_of_any_size():
    @rose.opaque
    def show(x: Vec[n]) -> None:
        print(x)


def a_transpose_that_is_not_told_its_size():
    @fn
    def f(x: Vec[n]) -> Vec[2 * n]:
        return [x[i // 2] for i in range(2 * n)]

    return rose.linear_transpose(f)


def a_name_that_is_no_word():
    return rose.dim("n + 1")


def no_name():
    return rose.dim(3)  # pyright: ignore


# where a size is not known


def a_size_outside_of_a_function():
    return range(n)


def a_size_as_a_number_outside_of_a_function():
    return 1.5 * n


def two_sizes_where_one_is_not_known():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x) / (n * m)

    return f([1.0])


def a_size_of_the_caller():
    @fn
    def helper(x: Real) -> Real:
        return x * n

    @fn
    def f(x: Vec[n]) -> Real:
        return helper(x[0])

    return f([1.0])


def a_size_in_a_function_without_it():
    @fn
    def f(x: Real) -> Real:
        return rose.sum(x for _ in rose.range(n))

    return f


# functions of one size


def compiled_without_a_size():
    return rose.compile(product, n=2)


def compiled_without_any_size():
    return rose.compile({"product": product})


def compiled_with_an_unknown_size():
    return rose.compile(dot, n=2, k=3)


def compiled_with_a_size_that_is_no_integer():
    return rose.compile(dot, n=2.0)  # pyright: ignore


def a_size_below_zero_by_name():
    return dot.at(n=-1)


def an_unknown_size_by_name():
    return dot.at(n=1, m=2)


def a_size_of_a_function_of_one_size():
    return rose.grad(dot).at(n=1).at(n=1)


def the_ir_of_any_size():
    return dot.func


# cycles


def a_cycle():
    @fn
    def even(x: Vec[n]) -> Real:
        return odd(x)

    @fn
    def odd(x: Vec[n]) -> Real:
        return rose.grad(even)(x)[0]

    return even([1.0])


def sizes_without_end():
    @fn
    def f(x: Vec[n]) -> Real:
        return f([0.0] * (n + 1))

    return f([1.0])


def a_second_rule():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x)

    @f.jvp
    def once(x: Any) -> Any:
        return rose.Dual(0.0, 0.0)

    @f.jvp
    def again(x: Any) -> Any:
        return rose.Dual(0.0, 0.0)


def a_rule_of_two_parameters():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x)

    @f.jvp
    def rule(x: Any, y: Any) -> Any:
        return x


def a_rule_after_its_use():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x)

    rose.grad(f)([1.0])

    @f.jvp
    def rule(x: Any) -> Any:
        return rose.Dual(0.0, 0.0)


# one module for every size


def a_size_read_as_a_number():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x) / float(n)

    return rose.compile(f, dynamic=True)


def a_length_in_a_module_for_every_size():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x[i] for i in rose.range(len(x)))

    return rose.compile(f, dynamic=True)


def an_if_on_an_open_size():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x) if n > 1 else 0.0

    return rose.compile(f, dynamic=True)


def a_loop_of_pythons_over_an_open_size():
    @fn
    def f(x: Vec[n]) -> Real:
        return sum(x[i] for i in range(n))

    return rose.compile(f, dynamic=True)


def an_element_that_may_not_be_there():
    @fn
    def f(x: Vec[n]) -> Real:
        return x[0]

    return rose.compile(f, dynamic=True)


def the_last_but_one_element_that_may_not_be_there():
    @fn
    def f(x: Vec[n + 1], y: Vec[n]) -> Real:
        return x[-2] * rose.sum(y)

    return rose.compile(f, dynamic=True)


def a_slice_of_an_open_size():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x[1:])

    return rose.compile(f, dynamic=True)


def a_maximum_of_maybe_nothing():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.max(x[i] for i in rose.range(n))

    return rose.compile(f, dynamic=True)


def checkpoints_of_an_open_size():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.scan(lambda i, s: s * x[i], 1.0, n, checkpoint="sqrt")

    return rose.compile(f, dynamic=True)


def an_index_that_may_be_too_large():
    @fn
    def f(x: Vec[n]) -> Real:
        return rose.sum(x[i + 1] for i in rose.range(n))

    return rose.compile(f, dynamic=True)


def two_sizes_that_may_differ():
    @fn
    def f(x: Vec[n], y: Vec[m]) -> Real:
        return dot(x, y)

    return rose.compile(f, dynamic=True)


def a_list_for_an_open_size():
    @fn
    def f(x: Vec[n]) -> Real:
        return dot(x, [1.0, 2.0])

    return rose.compile(f, dynamic=True)


def a_plain_list_as_a_result_of_an_open_size():
    @fn
    def f(x: Vec[n]) -> Vec[n]:
        return [1.0, 2.0]

    return rose.compile(f, dynamic=True)


def nothing_that_is_dynamic():
    @fn
    def f(x: Vec[3]) -> Real:
        return rose.sum(x)

    return rose.compile(f, dynamic=True)


def an_array_of_another_size_in_a_module_for_every_size():
    return rose.compile(product, dynamic=True)(np.zeros((2, 3)), np.zeros(2))


def a_number_for_a_vector_in_a_module_for_every_size():
    return rose.compile(dot, dynamic=True)(1.0, [2.0])


def too_few_arguments_in_a_module_for_every_size():
    return rose.compile(dot, dynamic=True)([2.0])

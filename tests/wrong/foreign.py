"""Wrong programs: vectors as Python's lists; functions of math and NumPy."""

from __future__ import annotations

import math

import numpy as np

import rose
from rose import Bool, Complex, Dual, Real, Vec, fn


@rose.struct
class Point:
    x: Real
    y: Real


# vectors as Python's lists, and NumPy


def iteration():
    @fn
    def f(v: Vec[17]) -> Real:
        total = 0.0
        for x in v:
            total = total + x
        return total

    return f


def unpacking():
    @fn
    def f(v: Vec[20]) -> Real:
        x, y, *_ = v
        return x * y

    return f


def membership():
    @fn
    def f(x: Real, v: Vec[3]) -> Bool:
        return x in v

    return f


def the_length_of_a_number():
    @fn
    def f(x: Real) -> Real:
        return x * len(x)

    return f


def assignment_to_an_element():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        v[0] = 1.0
        return v

    return f


def assignment_to_an_attribute():
    @fn
    def f(v: Vec[4]) -> Vec[2, 2]:
        v.shape = (2, 2)
        return v

    return f


def assignment_to_an_imaginary_part():
    @fn
    def f(z: Complex) -> Complex:
        z.imag = 0.0
        return z

    return f


def adding_to_an_element():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        v[0] += 1.0
        return v

    return f


def numpy_product_of_many_matrices():
    @fn
    def f(m: Vec[2, 2]) -> Vec[2, 2]:
        return np.linalg.multi_dot([m, m[0], m])

    return f


def a_numpy_array_of_values():
    @fn
    def f(x: Real, y: Real) -> Vec[2]:
        return np.array([[x, y], [x]])

    return f


def an_element_of_a_numpy_array_that_is_assigned_a_value():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        out = np.zeros(3)
        for i in range(3):
            out[i] = x[i] ** 2
        return out

    return f


def an_array_of_complex_numbers():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return x.astype(complex)

    return f


def an_array_of_objects():
    @fn
    def f(x: Real) -> Real:
        return x + np.array("one", dtype=object)

    return f


def a_numpy_array_of_values_and_a_kind_of_numbers():
    @fn
    def f(x: Real, y: Real) -> Vec[2]:
        return np.array([x, y], dtype=float)

    return f


def the_largest_of_a_numpy_array_of_values():
    @fn
    def f(x: Real, y: Real) -> Real:
        return np.max(np.array([x, y]))

    return f


def a_comparison_of_a_numpy_array_of_values():
    @fn
    def f(x: Real, y: Real) -> Real:
        return np.sum(np.where(np.array([x, y]) > 0.0, x, y))

    return f


def a_system_of_a_numpy_array_of_values():
    @fn
    def f(x: Real, y: Real) -> Vec[2]:
        return np.linalg.solve(np.array([[x, y], [y, x]]), np.ones(2))

    return f


def a_ufunc_of_a_numpy_array_of_values_and_numbers():
    @fn
    def f(x: Real) -> Real:
        return np.sum(np.sin(np.array([x, 1.0])))

    return f


def a_numpy_array_of_values_at_a_traced_index():
    @fn
    def f(x: Real, y: Real) -> Real:
        a = np.array([x, y])
        return rose.sum(a[i] for i in rose.range(2))

    return f


# parts that a value does not have


def deleting_an_element():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        del v[0]
        return v

    return f


def a_method_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return v.nonzero()

    return f


def appending_to_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        v.append(1.0)
        return v[0]

    return f


def a_part_of_a_number():
    @fn
    def f(x: Real) -> Real:
        return x.du

    return f


def the_value_of_a_number():
    @fn
    def f(x: Real) -> Real:
        return x.value

    return f


# functions of math and NumPy


def a_function_of_math():
    @fn
    def f(x: Real) -> Real:
        return 1.0 + math.expm1(x)

    return f


def a_function_of_math_by_another_name():
    @fn
    def f(x: Real) -> Real:
        return 2.0 * math.fabs(x)

    return f


def the_remainder_of_math():
    @fn
    def f(x: Real, y: Real) -> Real:
        return math.remainder(x, y)

    return f


def a_sum_of_math():
    @fn
    def f(x: Real, y: Real) -> Real:
        return math.fsum([x, y])

    return f


def a_question_of_math():
    @fn
    def f(x: Real) -> Real:
        return rose.select(math.isnan(x), 0.0, x)

    return f


def a_function_of_math_that_rose_does_not_have():
    @fn
    def f(x: Real, y: Real) -> Real:
        return math.nextafter(x, y)

    return f


def a_function_of_math_in_a_map():
    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.sum(list(map(math.sin, [x, y])))

    return f


def a_choice_of_numpy():
    @fn
    def f(v: Vec[2]) -> Vec[2]:
        return np.extract(v < 0.0, v)

    return f


def numpy_sum_of_complex_numbers():
    @fn
    def f(v: Vec[3]) -> Real:
        return 1.0 + np.sum(v, dtype=np.complex128)

    return f


def numpy_sum_of_conditions_as_conditions():
    @fn
    def f(v: Vec[3]) -> Real:
        return np.sum(v > 0.0, dtype=bool)

    return f


def numpy_mean_of_whole_numbers():
    @fn
    def f(v: Vec[3]) -> Real:
        return np.mean(v, dtype=int)

    return f


def numpy_zeros_of_objects():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return np.zeros_like(v, dtype=object)

    return f


def numpy_sum_into_an_array():
    @fn
    def f(v: Vec[3]) -> Real:
        return np.sum(v, axis=0, out=np.zeros(1))

    return f


def numpy_median_of_too_much():
    @fn
    def f(v: Vec[3]) -> Real:
        return np.median(v, 0, np.zeros(1), True)

    return f


def numpy_maximum_of_lists():
    @fn
    def f(x: Real, y: Real) -> Vec[2]:
        return np.maximum([x, y], [1.0, 2.0])

    return f


def numpy_eigenvalues_of_a_matrix():
    @fn
    def f(m: Vec[2, 2]) -> Vec[2]:
        return np.linalg.eigvals(m)

    return f


def a_function_of_numpy_that_rose_does_not_have():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return np.setdiff1d(v, [1.0])

    return f


def a_reduction_of_numpy():
    @fn
    def f(v: Vec[3]) -> Real:
        return np.add.reduceat(v, [0])[0]

    return f


def a_result_into_an_array_of_numpy():
    @fn
    def f(x: Real) -> Real:
        return np.add(np.float64(1.0), x, out=np.zeros(1))

    return f


def a_function_of_numpy_of_a_dual():
    @fn
    def f(x: Dual) -> Real:
        return np.sin(x)

    return f


def a_function_of_math_of_a_dual():
    @fn
    def f(x: Dual) -> Real:
        return math.sin(x)

    return f


def a_function_of_numpy_of_a_sum():
    @fn
    def f(x: Real) -> Real:
        total = rose.accum(x)
        return 2.0 * np.sqrt(total)

    return f


# names of other libraries


def an_option_of_numpy_by_place():
    @fn
    def f(a: Vec[2, 2]) -> Vec[2]:
        return np.linalg.eigvalsh(a, "X")

    return f


def a_view_of_torch():
    @fn
    def f(a: Vec[2, 2]) -> Vec[4]:
        return a.view(-1)

    return f


def a_loop_of_jax():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        return rose.associative_scan(lambda s, x: s * x, x)

    return f


def a_layer_of_torch():
    @fn
    def f(x: Vec[2], w: Vec[3, 2]) -> Vec[3]:
        return rose.nn.instance_norm(x, w)

    return f


def a_name_of_another_module():
    return rose.dawsn(1.0)


def an_import_of_a_name_of_jax():
    from rose import tree_map

    return tree_map

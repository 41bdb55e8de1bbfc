"""Wrong programs: loops, and what is made of them."""

from __future__ import annotations

from typing import Any

import rose
from rose import Real, Vec, fn

# ranges


def a_range_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i] for i in rose.range(v))

    return f


def a_range_of_a_traced_number():
    @fn
    def f(x: Real) -> Real:
        return rose.sum(x for i in rose.range(x))

    return f


def a_range_of_a_fraction():
    @fn
    def f(x: Real) -> Real:
        return rose.sum(x for i in rose.range(2.5))

    return f


def a_negative_range():
    @fn
    def f(x: Real) -> Real:
        return rose.sum(x for i in rose.range(-1))

    return f


def a_range_with_step_zero():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i] for i in rose.range(0, 3, 0))

    return f


def a_step_that_is_not_an_integer():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[j] for i in rose.range(3) for j in rose.range(0, i, i + 1))

    return f


def a_range_down_to_below_zero():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i] for i in rose.range(2, -3, -1))

    return f


def a_range_from_below_zero():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[j] for i in rose.range(3) for j in rose.range(i - 1, 3))

    return f


def a_range_past_the_end():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[j] for i in rose.range(3) for j in rose.range(i, i + 2))

    return f


def a_range_to_a_traced_number():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[j] for j in rose.range(0, v[0]))

    return f


def a_vector_over_a_range_of_traced_length():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(rose.sum(rose.vec(v[j] for j in rose.range(i))) for i in rose.range(3))

    return f


def a_range_that_is_too_large():
    @fn
    def f(x: Real) -> Real:
        return rose.sum(x for i in rose.range(10**12))

    return f


# loops that are left too early


def a_break():
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(3):
            total += v[i]
            break
        return total.value

    return f


def a_return_in_a_loop():
    @fn
    def f(v: Vec[3]) -> Real:
        for i in rose.range(3):
            return v[i]

    return f


def the_first_turn_only():
    @fn
    def f(v: Vec[3]) -> Real:
        i = next(rose.range(3))
        return v[i]

    return f


def an_exception_that_leaves_a_loop():
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        try:
            for i in rose.range(3):
                total += v[i]
                raise KeyError("found")
        except KeyError:
            pass
        return total.value

    return f


def loops_that_close_in_the_wrong_order():
    @fn
    def f(v: Vec[3]) -> Real:
        i, j = rose.range(3), rose.range(3)
        a, b = next(i), next(j)
        for _ in i:
            pass
        return v[a] + v[b]

    return f


def two_loops_side_by_side():
    @fn
    def f(v: Vec[3]) -> Real:
        total = rose.accum(0.0)
        for i, j in zip(rose.range(3), rose.range(3), strict=True):
            total += v[i] * v[j]
        return total.value

    return f


# vec, sum and their like


def a_vec_over_two_loops():
    @fn
    def f(v: Vec[3]) -> Vec[9]:
        return rose.vec(v[i] * v[j] for i in rose.range(3) for j in rose.range(3))

    return f


def a_vec_of_a_number():
    @fn
    def f(x: Real) -> Vec[1]:
        return rose.vec(x)

    return f


def a_vec_of_an_int():
    @fn
    def f(x: Real) -> Vec[1]:
        return rose.vec(3)

    return f


def a_vec_of_several_arguments():
    @fn
    def f(x: Real) -> Vec[2]:
        return rose.vec(x, x)

    return f


def a_vec_of_strings():
    @fn
    def f(x: Real) -> Vec[3]:
        return rose.vec(["a", "b", "c"])

    return f


def a_vec_of_two_types():
    @fn
    def f(x: Real) -> Vec[2]:
        return rose.vec([x, x > 0.0])

    return f


def a_vec_of_rows_of_two_lengths():
    @fn
    def f(x: Real) -> Vec[2, Vec[2]]:
        return rose.vec([[x, x], [x]])

    return f


def a_filter_in_a_loop():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return rose.vec(v[i] for i in rose.range(3) if v[i] > 0.0)

    return f


def two_items_of_one_turn():
    def items(v: Any) -> Any:
        for i in rose.range(3):
            yield v[i]
            yield -v[i]

    @fn
    def f(v: Vec[3]) -> Vec[3]:
        return rose.vec(items(v))

    return f


def a_sum_of_conditions():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.sum(v[i] > 0.0 for i in rose.range(3))

    return f


def a_sum_of_strings():
    @fn
    def f(x: Real) -> Real:
        return x + rose.sum(["a", "b"])

    return f


def a_sum_of_two_sizes():
    @fn
    def f(v: Vec[3], w: Vec[2]) -> Vec[3]:
        return rose.sum([v, w])

    return f


def the_smallest_of_nothing():
    @fn
    def f(x: Real) -> Real:
        return x + rose.min([])

    return f


def the_smallest_of_an_empty_loop():
    @fn
    def f(v: Vec[0]) -> Real:
        return rose.min(v[i] for i in rose.range(0))

    return f


def the_largest_of_conditions():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.max(v[i] > 0.0 for i in rose.range(3))

    return f


def a_product_of_vectors():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.prod(v for i in rose.range(3))

    return f


def a_dot_of_a_vector_and_a_number():
    @fn
    def f(v: Vec[3], x: Real) -> Real:
        return 1.0 + rose.dot(v, x)

    return f

"""Wrong programs: functions of several numbers, of vectors and matrices."""

from __future__ import annotations

import numpy as np

import rose
from rose import Real, Vec, fn


@rose.struct
class Point:
    x: Real
    y: Real


# several numbers


def a_maximum_of_nothing_at_all():
    @fn
    def f(x: Real) -> Real:
        return x + rose.max()

    return f


def a_maximum_of_a_number_and_a_string():
    @fn
    def f(x: Real) -> Real:
        return rose.max(x, "1")

    return f


def a_maximum_of_a_number_and_a_vector():
    @fn
    def f(x: Real, v: Vec[3]) -> Real:
        return rose.max(x, v)

    return f


def a_maximum_of_a_list_of_vectors():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.max([v, v])

    return f


def logsumexp_of_a_number():
    @fn
    def f(x: Real) -> Real:
        return x + rose.logsumexp(3.0)

    return f


def logsumexp_of_two_numbers():
    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.logsumexp(x, y)

    return f


def logsumexp_of_a_struct():
    @fn
    def f(x: Vec[2, tuple[Real, Real]]) -> Real:
        return rose.logsumexp(x, axis=0)

    return f


def norm_of_a_number():
    @fn
    def f(x: Real) -> Real:
        return rose.norm(x)

    return f


def norm_of_a_string():
    @fn
    def f(x: Real) -> Real:
        return x + rose.norm("x")

    return f


def norm_of_nothing():
    @fn
    def f(x: Real) -> Real:
        return x + rose.norm()

    return f


def norm_of_conditions():
    @fn
    def f(x: Real) -> Real:
        return rose.norm([x > 0.0, x < 1.0])

    return f


def norm_of_a_struct():
    @fn
    def f(p: Point) -> Real:
        return rose.norm(p)

    return f


def cross_of_plane_vectors():
    @fn
    def f(x: Real, y: Real) -> Real:
        return rose.cross([x, y], [y, x])[0]

    return f


def cross_of_one_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.cross(v)[0]

    return f


def dot_of_conditions():
    @fn
    def f(x: Vec[2], y: Vec[2]) -> Real:
        return rose.dot(x > y, y > 0.0)

    return f


def dot_of_one_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.dot(v)

    return f


def dot_of_a_vector_and_a_matrix_of_other_sizes():
    @fn
    def f(v: Vec[3], a: Vec[2, Vec[3]]) -> Vec[2]:
        return rose.dot(v, a)

    return f


def transpose_of_a_vector_in_another_order():
    @fn
    def f(v: Vec[3]) -> Real:
        return rose.transpose(v, (1, 0))[0]

    return f


def matmul_of_a_number():
    @fn
    def f(v: Vec[3]) -> Real:
        return (v @ 3)[0]

    return f


def matmul_of_other_sizes():
    @fn
    def f(a: Vec[2, Vec[3]], v: Vec[2]) -> Vec[2]:
        return a @ v

    return f


def matmul_of_a_string():
    @fn
    def f(v: Vec[3]) -> Real:
        return v @ "v"

    return f


def matmul_of_a_number_and_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return 3.0 @ v

    return f


def an_index_that_may_be_below_zero():
    @fn
    def f(v: Vec[5]) -> Real:
        return rose.sum(v[i - 1] for i in rose.range(5))

    return f


def an_index_that_runs_backwards_from_too_far():
    @fn
    def f(v: Vec[5]) -> Real:
        return rose.sum(v[5 - i] for i in rose.range(5))

    return f


def a_parameter_that_is_a_number_as_an_index():
    @fn
    def f(v: Vec[5], k: Real) -> Real:
        return v[k]

    return f


def a_table_of_numpy():
    table = np.ones(5)

    @fn
    def f(v: Vec[5]) -> Real:
        return rose.sum(table[i] * v[i] for i in rose.range(5))

    return f


# vectors of tuples and structs, and columns


def a_vector_of_tuples_that_is_unpacked():
    @fn
    def f(pairs: Vec[2, tuple[Real, Real]]) -> Real:
        a, b = pairs
        return a[0] + b[0]

    return f


def outs_of_a_scan_that_are_taken_for_rows():
    @fn
    def f(x: Real) -> Real:
        total = 0.0
        for a, b in rose.scan(lambda i, s: (s * x, (s, i)), x, 2)[1]:
            total = total + a * b
        return total

    return f


def an_iteration_of_a_scan_that_is_named_first():
    @fn
    def f(x: Real) -> Real:
        _, outs = rose.scan(lambda i, s: (s * x, (s, i)), x, 9)
        return outs[8][0]

    return f


def arithmetic_of_the_outs_of_a_scan():
    @fn
    def f(x: Real) -> Vec[2]:
        _, outs = rose.scan(lambda i, s: (s * x, (s, i)), x, 2)
        return 2.0 * outs

    return f


def an_item_that_tuples_do_not_have():
    @fn
    def f(pairs: Vec[2, tuple[Real, Real]]) -> Real:
        return rose.sum(pairs[:, 2])

    return f


def an_item_of_a_struct_by_its_place():
    @fn
    def f(points: Vec[2, Point]) -> Real:
        return rose.sum(points[:, 0])

    return f


def a_column_that_structs_do_not_have():
    @fn
    def f(points: Vec[2, Point]) -> Real:
        return rose.sum(points.z)

    return f


def a_column_by_the_name_of_an_attribute():
    @rose.struct
    class Box:
        size: Real

    @fn
    def f(boxes: Vec[2, Box]) -> Real:
        return rose.sum(boxes.size)

    return f


def a_method_of_all_elements_at_once():
    @rose.struct
    class Arrow:
        x: Real

        def length(self):
            return abs(self.x)

    @fn
    def f(arrows: Vec[2, Arrow]) -> Real:
        return rose.sum(arrows.length())

    return f

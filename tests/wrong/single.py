"""Wrong programs in single precision: what 32 bits cannot hold, and what nobody said may be rounded."""

from __future__ import annotations

from typing import Any

import numpy as np

import rose
from rose import Fin, Real, Vec, fn, opaque


@rose.struct
class Point:
    x: Real
    y: Real


@fn
def area(width: Real, height: Real) -> Real:
    return width * height


@fn
def doubled(v: Vec[3]) -> Vec[3]:
    return rose.vec(v[i] + v[i] for i in rose.range(3))


@fn
def length(p: Point) -> Real:
    return rose.sqrt(p.x * p.x + p.y * p.y)


@fn
def path(ps: Vec[2, Point], at: Vec[2, Fin[2]]) -> Real:
    return ps[at[0]].x - ps[at[1]].y


def single(f: Any) -> Any:
    return rose.compile(f, dtype="f32")


# what is asked for


def a_precision_that_is_unknown():
    rose.compile(area, dtype="f16")


def a_precision_as_a_class():
    rose.compile(area, dtype=np.float32)  # pyright: ignore


# literals


def a_literal_that_is_too_large():
    @fn
    def f(x: Real) -> Real:
        return x / 1e39

    return single(f)


def a_literal_that_would_be_zero():
    @fn
    def f(x: Real) -> Real:
        return rose.sqrt(x * x + 1e-60)

    return single(f)


def a_product_of_literals_that_is_too_large():
    @fn
    def f(x: Real) -> Real:
        big = rose.exp(80.0)
        return x * (big * big)

    return single(f)


def a_literal_in_a_derivative():
    @fn
    def f(x: Real) -> Real:
        return x * x * 1e200

    return single(rose.grad(f))


def a_constant_with_an_element_that_is_too_large():
    @fn
    def f(i: Fin[3]) -> Real:
        return rose.constant(Vec[3], [1.0, 1e100, 1e-100])[i]

    return single(f)


# arguments


def a_number_that_is_too_large():
    single(area)(2.0, 1e39)


def an_integer_that_is_too_large():
    single(area)(10**40, 1.0)


def an_element_that_is_too_large():
    single(doubled)([1.0, -3.5e38, 2.0])


def a_field_that_is_too_large():
    single(length)(Point(1.0, 1e300))


def a_double_of_numpys():
    single(area)(np.float64(2.0), 1.0)


def an_array_of_doubles():
    single(doubled)(np.zeros(3))


def an_array_of_doubles_in_a_list():
    single(fn([Vec[2, Vec[3]]], Real)(lambda a: a[0][0]))([np.zeros(3, np.float32), np.zeros(3)])


def a_double_in_a_list():
    single(doubled)([1.0, np.float64(2.0), 3.0])


def a_double_in_a_struct():
    single(length)(Point(1.0, np.float64(2.0)))


def an_array_of_doubles_in_a_column_of_structs():
    single(path)([{"x": 1.0, "y": np.array(2.0)}, {"x": 1.0, "y": 2.0}], [0, 1])


def an_array_of_integers_that_would_be_rounded():
    single(doubled)(np.array([1, 2**24, 2**24 + 1]))


def an_integer_of_numpys_that_would_be_rounded():
    single(area)(np.int64(2**24 + 1), 1.0)


def no_number():
    single(area)("2", 1.0)


# results


def doubles_for_the_result():
    single(doubled).call([[1.0, 2.0, 3.0]], out=np.empty(3))


def a_host_function_that_gives_too_much():
    @opaque
    def host(x: Real) -> Real:
        return x * 1e300

    single(fn([Real], Real)(lambda x: host(x)))(1.0)


def a_host_function_that_gives_a_vector_of_too_much():
    @opaque
    def host(v: Vec[2]) -> Vec[2]:
        return [v[0], 1e300]

    single(fn([Vec[2]], Vec[2])(lambda v: host(v)))([1.0, 2.0])


# with two turns of a loop at once


def an_unknown_way_to_compute_at_once():
    rose.compile(area, simd="fast")


def a_number_for_simd():
    rose.compile(area, simd=1)


def a_number_for_finite():
    rose.compile(area, finite=1)

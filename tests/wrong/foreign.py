"""Wrong programs: vectors as Python's lists; functions of math and NumPy."""

from __future__ import annotations

import numpy as np

from rose import Bool, Real, Vec, fn

# vectors as Python's lists, and NumPy


def iteration():
    @fn
    def f(v: Vec[3]) -> Real:
        total = 0.0
        for x in v:
            total = total + x
        return total

    return f


def unpacking():
    @fn
    def f(v: Vec[2]) -> Real:
        x, y = v
        return x * y

    return f


def the_builtin_sum_of_a_vector():
    @fn
    def f(v: Vec[3]) -> Real:
        return 2.0 * sum(v)

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


def adding_to_an_element():
    @fn
    def f(v: Vec[3]) -> Vec[3]:
        v[0] += 1.0
        return v

    return f


def numpy_dot_of_vectors():
    @fn
    def f(v: Vec[3]) -> Real:
        return np.dot(v, v)

    return f


def a_numpy_array_of_values():
    @fn
    def f(x: Real, y: Real) -> Vec[2]:
        return np.array([x, y])

    return f


def a_numpy_array_times_a_number():
    @fn
    def f(x: Real) -> Vec[3]:
        return np.ones(3) * x

    return f


def an_array_of_objects():
    @fn
    def f(x: Real) -> Real:
        return x + np.array(1.0, dtype=object)

    return f

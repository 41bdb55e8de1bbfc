"""Wrong programs: pictures to drag."""

from __future__ import annotations

from rose import Bool, Real, Vec, fn, lib


@fn
def picture(p: Vec[3]) -> Vec[2, Vec[2]]:
    return [[p[0], p[1]], [p[1], p[2]]]


def a_picture_that_is_no_fn():
    return lib.dragger(lambda p: [[p[0], p[1]]])


def a_picture_of_two_parameters():
    @fn
    def f(x: Real, y: Real) -> Vec[1, Vec[2]]:
        return [[x, y]]

    return lib.dragger(f)


def a_picture_with_a_parameter_that_is_no_number():
    @fn
    def f(p: tuple[Real, Bool]) -> Vec[1, Vec[2]]:
        return [[p[0], 0.0]]

    return lib.dragger(f)


def a_picture_that_gives_numbers():
    @fn
    def f(p: Vec[3]) -> Vec[3]:
        return p

    return lib.dragger(f)


def constraints_that_are_no_fn():
    return lib.dragger(picture, lambda p: [p[0]])


def constraints_of_another_picture():
    @fn
    def f(p: Vec[2]) -> Vec[1]:
        return [p[0] - p[1]]

    return lib.dragger(picture, f)


def a_constraint_that_gives_a_truth_value():
    @fn
    def f(p: Vec[3]) -> Bool:
        return p[0] == p[1]

    return lib.dragger(picture, f)


def a_drag_of_a_point_that_is_not_there():
    @fn
    def f(p: Vec[3]) -> Vec[3]:
        one = [1.0, 1.0, 1.0]
        return lib.dragger(picture)(p, 2, [0.0, 0.0], one, one, one)

    return f


def weights_of_another_type():
    @fn
    def f(p: Vec[3]) -> Vec[3]:
        return lib.dragger(picture)(p, 0, [0.0, 0.0], [1.0, 1.0], p, p)

    return f

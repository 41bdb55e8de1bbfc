"""Wrong programs: structs, and the numbers that are given for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import rose
from rose import Real, Vec, fn


@rose.struct
class Point:
    x: Real
    y: Real


@rose.struct
class Segment:
    a: Point
    b: Point


class Pair(NamedTuple):
    x: Real
    y: Real


@dataclass
class Node:
    value: Real
    next: Node


@dataclass
class Labelled:
    x: Real
    label: str


# declarations


def a_field_of_no_type_of_ours():
    @rose.struct
    class Box:
        width: Real
        label: str

    return Box


def a_field_of_an_undefined_name():
    @rose.struct
    class Box:
        width: Real
        sides: Vec[count]  # type: ignore  # noqa: F821

    return Box


def a_struct_of_itself():
    @rose.struct
    class Tree:
        value: Real
        left: Tree

    return Tree


def a_dataclass_of_itself():
    @fn
    def f(n: Node) -> Real:
        return n.value

    return f


def a_dataclass_with_a_string():
    @fn
    def f(x: Labelled) -> Real:
        return x.x

    return f


def a_function_as_a_struct():
    @rose.struct
    def f(x: Real) -> Real:
        return x

    return f


def a_mutable_default_of_a_field():
    @rose.struct
    class Box:
        sides: Vec[2] = []  # noqa: RUF012

    return Box


# values


def a_missing_field():
    @fn
    def f(x: Real) -> Point:
        return {"x": x}

    return f


def a_field_too_many():
    @fn
    def f(x: Real) -> Point:
        return {"x": x, "y": x, "z": x}

    return f


def an_object_of_another_class():
    @fn
    def f(x: Real) -> Point:
        return Pair(x, x)

    return f


def a_list_of_too_many_fields():
    @fn
    def f(x: Real) -> Point:
        return [x, x, x]

    return f


def a_wrong_field():
    @fn
    def f(x: Real) -> Segment:
        return Segment(Point(x, x), Point(x, [x]))

    return f


def a_wrong_field_of_an_argument():
    @fn
    def g(s: Segment) -> Real:
        return s.a.x

    @fn
    def f(x: Real) -> Real:
        return g(Segment(Point(x, x), Pair(x, x)))

    return f


def an_if_on_a_struct_comparison():
    @fn
    def f(p: Point, q: Point) -> Real:
        return 0.0 if p == q else 1.0

    return f


def a_tuple_of_another_length():
    @fn
    def f(x: Real) -> tuple[Real, Real]:
        return x, x, x

    return f


def a_dict_with_other_keys_returned():
    @fn
    def f(x: Real) -> {"value": Real, "slope": Real}:  # type: ignore  # noqa: F821, UP037
        return {"value": x, "gradient": x}

    return f


# lenses


def a_lens_with_a_field_that_is_not_there():
    @fn
    def f(s: Segment) -> Segment:
        return rose.lens(lambda s: s.a.z).set(s, 1.0)

    return f


def a_lens_of_a_sum():
    return rose.lens(lambda s: s.x + s.y)


def a_lens_of_several_elements():
    return rose.lens(lambda s: s.rows[1:3])


def a_part_of_another_type():
    @fn
    def f(s: Segment) -> Segment:
        return rose.lens(lambda s: s.a).set(s, 1.0)

    return f


def a_lens_composed_with_a_getter():
    return rose.lens(lambda s: s.a) >> (lambda p: p.x)

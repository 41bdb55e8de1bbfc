"""Wrong programs that Python itself refuses, at the expression of the user's: its words have to do."""

from __future__ import annotations

import rose
from rose import Dual, Real, Vec, fn


@rose.struct
class Point:
    x: Real
    y: Real


def a_shift():
    @fn
    def f(i: rose.Fin[3]) -> Real:
        return i << 1  # type: ignore

    return f


def an_unknown_function():
    @fn
    def f(x: Real) -> Real:
        return rose.sine(x)

    return f


def an_unknown_field():
    @fn
    def f(p: Point) -> Real:
        return p.x * p.z

    return f


def an_unknown_key():
    @fn
    def f(p: {"x": Real}) -> Real:  # type: ignore  # noqa: F821, UP037
        return p["y"]

    return f


def an_index_of_a_struct():
    @fn
    def f(s: Vec[2, Point]) -> Real:
        return s[0][1]

    return f


def a_struct_plus_a_struct():
    @fn
    def f(p: Point, q: Point) -> Point:
        return p + q

    return f


def a_dual_of_one_part():
    @fn
    def f(x: Real) -> Dual:
        return Dual(x)

    return f

"""The derivative at a point as a linear map: value and tape, pullback, pushforward."""

from __future__ import annotations

from typing import Any

import pytest

import rose
from rose import Bool, Fin, Real, Vec, ir
from rose.differentiation.linear_map import LinearMap
from rose.frontend.operators import view
from rose.ir.types import tuple_of


@rose.struct
class Item:
    on: Bool
    x: Real
    k: Fin[3]


@rose.fn
def f(s: Item, v: Vec[2]) -> Real:
    return rose.select(s.on, s.x * v[0] * v[0], v[1])


def traced(body: Any, result: Any) -> Any:
    return rose.fn([Item, Vec[2]], result)(body)


AT: tuple[Any, ...] = (Item(True, 3.0, 2), [5.0, 7.0])


def test_without_parameters_told_it_is_in_all_that_have_a_derivative():
    g = rose.fn([Bool, Real, Fin[2], Vec[3]], Real)(lambda c, x, i, v: x)
    assert LinearMap(g).active == (1, 3) and LinearMap(g, [3]).active == (3,)


def test_a_pullback_gives_members_without_a_derivative_as_they_were():
    def body(s: Any, v: Any) -> Any:
        lin, b = LinearMap(f), ir.current_builder()
        xs = lin.arguments([s, v])
        y, tape = lin.primal(xs)
        return view(b.tuple([y, *lin.pullback(xs, tape, b.const(1.0, Real))]))

    y, ds, dv = traced(body, tuple_of(Real, f.types[0], f.types[1]))(*AT)
    assert (y, ds, list(dv)) == (75.0, Item(True, 25.0, 2), [30.0, 0.0])


@pytest.mark.parametrize("way", ["jvp", "pushforward"])
def test_both_ways_forwards_give_the_same(way: str):
    def body(s: Any, v: Any) -> Any:
        lin, b = LinearMap(f, [1]), ir.current_builder()
        xs = lin.arguments([s, v])
        dv = b.pack([b.const(2.0, Real), b.const(0.0, Real)], lin.types[1])
        if way == "jvp":
            return view(lin.jvp(xs, {1: dv})[1])
        return view(lin.pushforward(xs, *lin.primal(xs), [dv]))

    assert traced(body, Real)(*AT) == 60.0


def test_a_function_that_does_not_depend_on_its_parameters_has_no_tape():
    lin = LinearMap(rose.fn([Real], Real)(lambda x: 1.0))
    assert lin.halves() is None and lin.tape_type() is tuple_of()


def test_a_tangent_is_missing():
    with pytest.raises(rose.RoseError, match=r"takes 2 tangents \(ds, dv\), got 1"):
        LinearMap(f).check_tangents([1.0])

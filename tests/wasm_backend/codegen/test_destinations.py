"""Destination-passing style: where the parts of aggregates are built."""

from typing import Any

import rose
from rose import Real, Vec, fn
from rose.differentiation.gradients import gradient
from rose.ir import ACCUM, FOR, PACK, Func, Value
from wasm_backend.codegen.destinations import Destinations
from wasm_backend.codegen.liveness import Lives
from wasm_backend.codegen.states_in_place import InPlace


def destinations(f: Func) -> Destinations:
    return Destinations(f.body, InPlace(f.body, Lives(f)))


def func(body: Any, result: Any) -> Func:
    return fn([Real], result)(body).func


def values(f: Func, op: Any) -> list[Value]:
    return [v for v in f.body.code if v.op is op]


def test_an_aggregate_that_is_the_result_is_built_there():
    f = func(lambda x: [x, x * x], Vec[2])
    (v,) = values(f, PACK)
    to = destinations(f).of[(v, 0)]
    assert (to.whole, to.offset) == (f.body, 0)


def test_a_part_is_built_in_the_aggregate_that_it_becomes_an_item_of():
    f = func(lambda x: [[x, x], [x, x * x]], Vec[2, Vec[2]])
    first, second, whole = values(f, PACK)
    of = destinations(f).of
    assert [(of[(v, 0)].whole, of[(v, 0)].offset) for v in (first, second)] == [(whole, 0), (whole, 16)]


def test_a_part_that_is_wanted_twice_has_one_destination():
    def body(x: Any) -> Any:
        y = rose.vec(x * i for i in rose.range(3))
        return [y, y]

    f = func(body, Vec[2, Vec[3]])
    (loop,) = values(f, FOR)
    assert len([part for part in destinations(f).of if part[0] is loop]) == 1


def test_an_accumulator_that_a_call_adds_to_escapes():
    @fn
    def g(x: Vec[2]) -> Real:
        return x[0] * x[1]

    f = gradient(fn([Vec[2]], Real)(lambda x: g(x) + g(x)), 0, "grad", in_halves=True).func
    assert set(destinations(f).escaping) == set(values(f, ACCUM))

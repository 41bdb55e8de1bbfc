"""Literals are told apart by their bits, and carried along; calls are known; the collector is off in a trace."""

import gc
import math
from typing import Any

import pytest

import rose
from rose import Real, Vec, ir
from rose.ir import CONST, INDEX, builder
from rose.ir.callgraph import callees, instructions
from rose.ir.ops import select
from rose.ir.types import Real as RealType
from rose.ir.types import Tuple
from rose.ir.types import Vec as VecType
from rose.optimise.dead_code import remove_dead_code
from rose.optimise.pipeline import optimised


def test_literal_vectors_are_one_if_all_their_bits_are():
    two = VecType(2, Real)
    with ir.building("f") as b:
        b.loc = rose.fn([Real], Real)(lambda x: x).loc
        zeros = b.const((0.0, math.nan), two)
        assert b.const(tuple([0.0, math.nan]), two) is zeros
        assert b.const((-0.0, math.nan), two) is not zeros
        assert b.const((0.0, 0.0), two) is not zeros


def test_a_literal_vector_is_the_same_object_in_all_that_is_derived():
    numbers = [0.5 * k for k in range(100)]
    f = rose.fn([Vec[100]], Real)(lambda v: rose.dot(v, rose.constant(Vec[100], numbers)))
    g = rose.value_and_grad(f).func
    both = f.func, optimised({"g": g})["g"]
    literals = [v.attr for h in both for v in h.body.code if v.op is CONST and v.type is VecType(100, Real)]
    assert len(literals) == 2
    assert literals[0] is literals[1] and list(literals[0]) == numbers


def test_the_tuple_of_all_items_of_a_parameter_is_that_parameter():
    pair = Tuple((Real, Real), None)
    with ir.building("f") as b:
        b.loc = rose.fn([Real], Real)(lambda x: x).loc
        p = b.param(pair)
        first, second = b.get(p, 0), b.get(p, 1)
        assert b.tuple([first, second]) is p
        assert b.tuple([second, first]) is not p
        assert b.tuple([first]) is not p


def test_an_element_of_the_vector_that_a_select_takes_is_selected_as_a_number():
    v = Vec[3, Vec[2]]
    f = rose.fn([v, v, rose.Bool], Real)(lambda x, y, c: rose.select(c, x, y)[1][0])
    assert [u.type for u in remove_dead_code(f.func).body.code if u.op is select] == [RealType]
    assert (f([[1, 2]] * 3, [[3, 4]] * 3, True), f([[1, 2]] * 3, [[3, 4]] * 3, False)) == (1.0, 3.0)


def test_keys_have_no_values_in_them_where_hashes_are_short(monkeypatch: pytest.MonkeyPatch):
    f = rose.hessian(rose.fn([Vec[3]], Real)(lambda v: rose.sin(v[0] * v[1]) / (v[0] * v[1] + v[2])))
    wasm = rose.compile(f).wasm
    monkeypatch.setattr(builder, "WIDE", False)
    with ir.building("f") as b:
        b.loc = f.loc
        x = b.param(Real, "x")
        assert x * x is x * x
        assert x * x is not x + x
        keys = [part for key in b.root.known for part in key]
    assert keys and not [part for key in keys for part in (key if isinstance(key, tuple) else [key]) if part is x]
    g = rose.hessian(rose.fn([Vec[3]], Real)(lambda v: rose.sin(v[0] * v[1]) / (v[0] * v[1] + v[2])))
    assert rose.compile(g).wasm == wasm


def test_what_a_function_calls_is_found_again_when_it_was_changed():
    inner = rose.fn([Real], Real)(lambda x: x * x)
    f = rose.fn([Real], Real)(lambda x: (inner(x), x + 1.0)[1]).func
    assert callees(f) == [inner.func]
    remove_dead_code(f)
    assert callees(f) == []


def test_the_collector_is_off_in_a_trace_and_on_after_it():
    seen: list[bool] = []
    inner = rose.fn([Real], Real)(lambda x: (seen.append(gc.isenabled()), x)[1])
    f = rose.fn([Real], Real)(lambda x: (inner(x), seen.append(gc.isenabled()))[0])
    assert f.func and seen == [False, False]
    assert gc.isenabled()


@pytest.mark.parametrize("k", [0, 1])
def test_a_part_of_a_literal_at_literal_indices_is_a_literal(k: int):
    with ir.building("f") as b:
        t = VecType(2, Tuple((Real, VecType(2, Real)), None))
        row = b.index(b.const(((1.0, (2.0, 3.0)), (4.0, (5.0, 6.0))), t), k)
        assert [b.get(row, 0).attr, b.index(b.get(row, 1), 1).attr] == [[1.0, 3.0], [4.0, 6.0]][k]


def test_an_element_in_a_loop_of_no_iterations_is_a_literal_zero():
    f = rose.fn([Vec[3]], Real)(lambda x: rose.sum(x[k] for k in rose.range(0)))
    assert not any([v.op is INDEX for v in instructions(f.func.body)])


@pytest.mark.parametrize("program", [lambda c: 1.0 * c, lambda c: c * 1.0, lambda c: c / 1.0, lambda c: c - 0.0])
def test_arithmetic_that_changes_no_number_makes_no_number_of_a_condition(program: Any):
    with pytest.raises(rose.TypeMismatch, match="does not accept"):
        _ = rose.fn([Real], rose.Bool)(lambda x: program(x > 0.0)).func

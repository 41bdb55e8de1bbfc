"""Liveness: what is deferred, what is an alias, and what dies where."""

from typing import Any

import rose
from rose import Real, Vec, fn
from rose.ir import FOR, PACK, Func
from rose.ir.ops import add, mul, sin
from wasm_backend.codegen.liveness import Lives, is_alias, operands, reads


def func(body: Any, *types: Any, result: Any = Real) -> Func:
    return fn(list(types), result)(body).func


def value(f: Func, op: Any) -> Any:
    (v,) = [v for v in f.body.code if v.op is op]
    return v


def test_a_number_that_is_read_once_is_deferred():
    f = func(lambda x, y: rose.sin(x * y) + 1.0, Real, Real)
    assert {value(f, mul), value(f, sin), value(f, add)} == set(Lives(f).deferred)


def test_a_number_that_is_read_twice_gets_a_local():
    def body(x: Any) -> Any:
        y = rose.sin(x)
        return y * y

    f = func(body, Real)
    assert value(f, sin) not in Lives(f).deferred


def test_a_number_that_a_loop_reads_is_not_computed_in_each_iteration():
    def body(x: Any) -> Any:
        y = rose.sin(x)
        return rose.sum(y * (i + 1.0) for i in rose.range(9))

    f = func(body, Real)
    lives = Lives(f)
    assert value(f, sin) not in lives.deferred
    loop = value(f, FOR)
    assert value(f, sin) in lives.dies[lives.end[loop.attr]]


def test_an_expression_is_only_so_deep():
    def body(x: Any) -> Any:
        for _ in range(50):
            x = rose.sin(x)
        return x

    f = func(body, Real)
    assert 0 < len([v for v in f.body.code if v not in Lives(f).deferred]) < 5


def test_items_of_a_long_vector_are_stored_when_they_are_made():
    f = func(lambda x: [rose.sin(x * k) for k in range(9)], Real, result=Vec[9])
    short = func(lambda x: [rose.sin(x * k) for k in range(8)], Real, result=Vec[8])
    assert len(Lives(f).stored) == 9 and not Lives(short).stored
    assert value(f, PACK) in Lives(f).start


def test_a_part_of_a_vector_of_vectors_is_an_alias():
    f = func(lambda m: m[1][0] + m[0][1], Vec[2, Vec[2]])
    assert [is_alias(v) for v in f.body.code if v.op.name == "index"] == [True, False, True, False]


def test_a_row_reads_an_argument_as_often_as_its_column_says():
    f = func(lambda c, x, y: rose.select(c, [x, y], [y, x])[0], rose.Bool, Real, Real)
    selects = [v for v in f.body.code if v.op.name == "select"]
    assert all([len(operands(v)) in (len(reads(v.op)), 4) for v in selects])

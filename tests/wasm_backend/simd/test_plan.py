"""Plans: which loops can be vectorised, and what each instruction becomes."""

from typing import Any

import pytest

import rose
from rose import Real, Vec, fn
from rose.ir import FOR, Func, Value
from rose.ir.ops import add, exp, select, tan
from wasm_backend.simd.plan import Affine, Kind, Plan, Row, Unfit, twin


def loop_of(f: Func) -> Value:
    return next(v for v in f.body.code if v.op is FOR)


def planned(body: Any, n: int = 8) -> Plan:
    f = fn([Vec[99], Vec[n, rose.Fin[99]]], Real)(lambda x, k: rose.sum(body(x, k, i) for i in rose.range(n))).func
    return Plan(loop_of(f).attr, (), (), {})


def elements(plan: Plan) -> list[Row]:
    return list(plan.rows.values())


def test_an_element_at_an_affine_index_is_an_address_that_moves():
    (row,) = elements(planned(lambda x, k, i: x[3 * i + 2]))
    assert (row.offset, row.step, row.lanes) == (16, 24, ())


def test_an_element_at_an_index_that_is_read_has_an_address_in_each_lane():
    index, element = elements(planned(lambda x, k, i: x[k[i]]))
    assert (index.step, index.lanes) == (4, ())
    assert element.step == 0 and [stride for _, stride in element.lanes] == [8]


def test_numbers_are_vectors_and_the_index_is_affine():
    plan = planned(lambda x, k, i: x[i] * x[i] + 1.0)
    assert plan.kinds[plan.block.params[0]] == Affine(1, 0)
    assert {kind for v, kind in plan.kinds.items() if v.type is rose.Real} == {Kind.VECTOR}


def test_neighbours_in_rows_are_joined():
    plan = planned(lambda x, k, i: x[2 * i] * x[2 * i + 1])
    assert len(plan.joined) == 2


def test_columns_beside_one_another_are_joined_at_the_index_of_a_loop_around():
    f = fn([Vec[8, Vec[9]]], Real)(lambda x: rose.sum(columns(x, 4, j) for j in rose.range(2)))
    inner = next(v for v in loop_of(f.func).attr.code if v.op is FOR)
    plan = Plan(inner.attr, (), (), {})
    assert len(plan.joined) == 4
    assert {(row.offset, *[k for _, k in row.terms]) for row in elements(plan)} == {(8 * k, 32) for k in range(4)}


def test_an_index_from_the_end_falls_with_each_loop_that_it_is_of():
    turned = lambda x, j: rose.sum(x[15 - (8 * j + i)] * x[i] for i in rose.range(8))
    f = fn([Vec[16]], Real)(lambda x: rose.sum(turned(x, j) for j in rose.range(2)))
    inner = next(v for v in loop_of(f.func).attr.code if v.op is FOR)
    rows = elements(Plan(inner.attr, (), (), {}))
    assert {(row.offset, row.step, *[k for _, k in row.terms]) for row in rows} == {(120, -8, -64), (0, 8)}


def columns(x: Any, n: int, j: Any) -> Any:
    """The sum of products of numbers of `n` columns that lie side by side."""
    return rose.sum(x[i][n * j] * x[i][n * j + 1] + x[i][n * j + 2] * x[i][n * j + 3] for i in rose.range(8))


def test_a_loop_with_a_state_or_another_loop_is_unfit():
    f = fn([Vec[9]], Real)(lambda x: rose.sum(rose.sum(x[i] * x[j] for j in rose.range(9)) for i in rose.range(9)))
    with pytest.raises(Unfit):
        Plan(loop_of(f.func).attr, (), (), {})


def test_a_row_has_a_twin_if_each_of_its_instructions_has():
    assert twin(add) == (0, 1, *twin(add)[2:]) and twin(select) is not None  # pyright: ignore
    assert twin(exp) == (0, "exp") and twin(tan) is None

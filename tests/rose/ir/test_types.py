"""Types: interned, counted, and taken apart without recursion."""

from __future__ import annotations

import copy
import pickle

import pytest

from rose.ir.forms import dict_form
from rose.ir.types import (
    Bool,
    Fin,
    Real,
    Ref,
    Single,
    Span,
    Stack,
    Tan,
    Tuple,
    Type,
    Unit,
    Vec,
    as_tuple,
    as_vec,
    components_first,
    count_leaves,
    count_reals,
    double,
    linear_part,
    map_leaves,
    once,
    primal_part,
    single,
    tangent,
    tuple_of,
    untyped,
)

NESTED = tuple_of(Real, Vec(3, tuple_of(Real, Bool)), Fin(4))


def test_equal_types_are_the_same_object():
    assert Vec(3, Real) is Vec(3, Real) and Vec(3, Real) is not Vec(4, Real)
    assert pickle.loads(pickle.dumps(NESTED)) is NESTED and copy.deepcopy(NESTED) is NESTED


def test_numbers_truth_values_and_indices_are_counted():
    assert (count_leaves(NESTED), count_reals(NESTED)) == (8, 4)
    assert (count_leaves(Unit), count_reals(Unit), count_reals(Vec(0, Real))) == (1, 0, 0)


@pytest.mark.parametrize(
    ("f", "t", "expected"),
    [
        (tangent, NESTED, tuple_of(Tan, Vec(3, tuple_of(Tan, Unit)), Unit)),
        (primal_part, tuple_of(Real, Tan), tuple_of(Real, Unit)),
        (primal_part, Ref(Tan), Unit),
        (linear_part, tuple_of(Real, Tan), tuple_of(Unit, Real)),
        (linear_part, Ref(Vec(2, Tan)), Vec(2, Real)),
        (untyped, Vec(2, Tan), Vec(2, Real)),
        (single, tuple_of(Real, Tan, Bool), tuple_of(Single, Single, Bool)),
        (double, Vec(2, Single), Vec(2, Real)),
        (tangent, Stack(Bool), Unit),
    ],
)
def test_each_map_of_leaves_keeps_the_shape(f, t: Type, expected: Type):
    assert f(t) is expected


def test_facts_of_a_type_come_from_its_leaves():
    assert NESTED.real and not NESTED.linear and not NESTED.numeric and NESTED.depth == 3
    assert tuple_of(Unit, Vec(0, Real)).empty and Vec(2, Tan).linear and Stack(Real).stacked


def test_the_parts_of_a_type_come_before_it_and_each_once():
    found: dict[Type, None] = {}
    for t in components_first(NESTED, found):
        found[t] = None
    assert [*found][-1] is NESTED and len(found) == 6


def test_a_type_may_be_as_deep_as_a_program_is():
    t: Type = Real
    for _ in range(20_000):
        t = Tuple((t,), None)
    assert map_leaves(t, lambda leaf: Bool).depth == 20_000


def test_a_type_of_another_kind_is_a_mistake_of_ours():
    assert as_tuple(NESTED) is NESTED and as_vec(Vec(2, Real)) is Vec(2, Real)
    with pytest.raises(AssertionError):
        as_vec(NESTED)


def test_a_span_stays_one_where_its_parts_stay():
    t = Span(3, Fin(1), Fin(4))
    assert map_leaves(t, lambda leaf: leaf) is t and t.of(t.items) is t
    assert map_leaves(t, lambda leaf: Unit) is Tuple((Unit, Unit), None)
    assert repr(t) == "Span[3, Fin[1], Fin[4]]" and pickle.loads(pickle.dumps(t)) is t


def test_what_is_worked_out_of_a_type_is_worked_out_once():
    asked = list[object]()

    @once
    def known(t: Type, more: int = 0) -> int:
        asked.append((t, more))
        return more

    assert [known(Vec(3, Real)), known(Vec(3, Real)), known(Vec(3, Real), 2), known(Vec(3, Real), 2)] == [0, 0, 2, 2]
    assert asked == [(Vec(3, Real), 0), (Vec(3, Real), 2)]


def test_a_tuple_knows_the_names_of_its_items_and_makes_their_value():
    form = dict_form(["a", "b"])
    assert (*Tuple((Real, Real)).names,) == (0, 1) and Tuple((Real, Real), form).names == ("a", "b")
    assert Tuple((Real, Real)).make([1, 2]) == (1, 2) and Tuple((Real, Real), form).make([1, 2]) == {"a": 1, "b": 2}

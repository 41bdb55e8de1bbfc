"""Values of users as host values, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rose import OutOfRange, TypeMismatch
from rose.host.marshal import answer, at_once, elements, plain, present, spell
from rose.ir.forms import dict_form
from rose.ir.types import Bool, Fin, Real, Single, Tuple, Type, Unit, Vec, tuple_of


@pytest.mark.parametrize(
    ("x", "t", "expected"),
    [
        (1, Real, 1.0),
        (np.float64(1.5), Real, 1.5),
        ([1, 2], Vec(2, Real), (1.0, 2.0)),
        (np.array([[1.0], [2.0]]), Vec(2, Vec(1, Real)), ((1.0,), (2.0,))),
        ((True, 2), tuple_of(Bool, Fin(3)), (True, 2)),
        ({"b": 2.0, "a": 1.0}, Tuple((Real, Real), dict_form(["a", "b"])), (1.0, 2.0)),
        (None, Unit, None),
        (0.1, Single, float(np.float32(0.1))),
    ],
)
def test_a_value_of_a_user_becomes_a_host_value(x: Any, t: Type, expected: Any):
    assert plain(x, t) == expected


@pytest.mark.parametrize(
    ("x", "t"), [("1", Real), ([1.0], Vec(2, Real)), (1.0, Bool), (1.5, Fin(3)), ({"a": 1.0}, Vec(1, Real)), ([], Real)]
)
def test_a_value_of_another_type_is_refused(x: Any, t: Type):
    with pytest.raises(TypeMismatch):
        plain(x, t, ("x",))


def test_an_index_out_of_range_is_named_by_its_path():
    with pytest.raises(OutOfRange, match=r"x\[1\] is out of range: 3"):
        plain([0, 3], Vec(2, Fin(3)), ("x",))
    assert spell(("x", 1, "re")) == "x[1].re"


def test_a_user_sees_lists_and_dictionaries():
    t = Tuple((Real, Vec(2, Real)), dict_form(["a", "b"]))
    assert present((1.0, (2.0, 3.0)), t) == {"a": 1.0, "b": [2.0, 3.0]}


def test_the_answer_of_a_host_function_is_rounded_to_its_type():
    assert answer(np.float64(0.1), Single, ("f",)) == float(np.float32(0.1))


def test_the_elements_of_an_array_are_those_of_its_first_dimension():
    assert [*elements(np.array([1.0, 2.0]), Vec(2, Real), ("v",), None)] == [1.0, 2.0]


PAIR = Tuple((Fin(3), Real), dict_form(["i", "x"]))


@pytest.mark.parametrize(
    ("xs", "t", "expected"),
    [
        ([1.0, 2.0], Real, (1.0, 2.0)),
        ([0, 2], Fin(3), (0, 2)),
        ([(0, 1.0), [2, 3.0]], PAIR, ((0, 1.0), (2, 3.0))),
        ([[[True], [False]]], Vec(2, Vec(1, Bool)), (((True,), (False,)),)),
        ([[], []], Vec(0, Real), ((), ())),
        ([], PAIR, ()),
        ([(), ()], tuple_of(), ((), ())),
        ([(None, 1.0)], tuple_of(Unit, Real), ((None, 1.0),)),
    ],
)
def test_many_usual_values_are_read_at_once(xs: Any, t: Type, expected: Any):
    assert at_once(xs, t) == expected == plain(xs, Vec(len(xs), t))


@pytest.mark.parametrize(
    ("xs", "t"),
    [
        ([1, 2.0], Real),
        ([3], Fin(3)),
        ([-1], Fin(3)),
        ([True], Fin(3)),
        ([(0,)], PAIR),
        ([[1.0], []], Vec(1, Real)),
        ([0.1], Single),
    ],
)
def test_what_is_unusual_or_wrong_is_left_to_a_closer_look(xs: Any, t: Type):
    assert at_once(xs, t) is None


def test_records_are_read_by_the_names_of_their_fields():
    records = np.array([(1.5, 2)], [("x", "f8"), ("i", "u1")])
    assert plain(records, Vec(1, PAIR)) == ((2, 1.5),)
    assert plain(records[0], PAIR) == (2, 1.5)
    with pytest.raises(TypeMismatch, match=r"v\[0\] is missing field 'x'"):
        plain(records.astype([("y", "f8"), ("i", "u1")]), Vec(1, PAIR), ("v",))

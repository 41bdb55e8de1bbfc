"""Forms: structs, named tuples and dictionaries as tuples of the IR."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import NamedTuple

from rose.ir.forms import dict_form, form_of


@dataclass
class Point:
    x: float
    y: float


class Pair(NamedTuple):
    first: float
    second: float


def test_a_class_has_one_form_with_its_fields():
    form = form_of(Point)
    assert form is not None and form is form_of(Point)
    assert form.fields == ("x", "y") and form.make([1.0, 2.0]) == Point(1.0, 2.0)
    assert form.read(Point(1.0, 2.0)) == [1.0, 2.0]


def test_a_named_tuple_has_a_form_and_a_plain_class_has_none():
    form = form_of(Pair)
    assert form is not None and form.make([1.0, 2.0]) == Pair(1.0, 2.0)
    assert form_of(int) is None


def test_dictionaries_of_the_same_keys_have_the_same_form():
    form = dict_form(["a", "b"])
    assert form is dict_form(("a", "b")) and form is not dict_form(["b", "a"])
    assert form.make([1, 2]) == {"a": 1, "b": 2} and form.read({"b": 2, "a": 1}) == [1, 2]


def test_a_form_is_found_again_when_it_is_unpickled():
    for form in (form_of(Point), dict_form(["a"])):
        assert pickle.loads(pickle.dumps(form)) is form

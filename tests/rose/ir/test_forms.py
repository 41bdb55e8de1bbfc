"""Forms: structs, named tuples and dictionaries as tuples of the IR."""

from __future__ import annotations

import dataclasses
import gc
import pickle
import subprocess
import sys
import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

from paths import ROOT

import rose
from rose.ir.forms import DUAL, dict_form, form_of
from rose.ir.types import Real, Tuple, Vec


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


def test_a_form_goes_with_its_class_and_with_all_types_in_which_it_is():
    def made() -> list[weakref.ref[Any]]:
        cls = dataclasses.make_dataclass("Passing", [("x", float)])
        form = form_of(cls)
        t = Vec(3, Tuple((Tuple((Real,), DUAL), Vec(2, Tuple((Real,), form)))))
        assert t is Vec(3, Tuple((Tuple((Real,), DUAL), Vec(2, Tuple((Real,), form)))))
        return [weakref.ref(cls)]

    refs = [*made(), *made()]
    gc.collect()
    assert [r() for r in refs] == [None, None]


def test_a_class_made_of_the_fields_of_another_has_a_form_of_its_own():
    form_of(Point)
    twin = type("Twin", (), {k: v for k, v in vars(Point).items() if k not in ("__dict__", "__weakref__")})
    form = form_of(twin)
    assert form is not None and form is not form_of(Point) and form.cls is twin


def test_the_form_of_duals_is_pickled_before_anything_is_traced():
    write = "import pickle, rose; print(pickle.dumps((rose.Dual[rose.Vec[2]], rose.Dual)).hex())"
    read = "import pickle, rose; t, dual = pickle.loads(bytes.fromhex('{}')); assert t is dual[rose.Vec[2]]"
    data = subprocess.run([sys.executable, "-c", write], cwd=ROOT, capture_output=True, text=True, check=True)
    subprocess.run([sys.executable, "-c", read.format(data.stdout.strip())], cwd=ROOT, check=True)
    assert form_of(rose.Dual) is DUAL

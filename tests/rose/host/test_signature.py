"""The signatures of functions of the language, as Python's tools read them."""

from __future__ import annotations

from inspect import Parameter

from rose import Real, Vec
from rose.host.signature import signature_of


def test_a_signature_has_types_and_defaults():
    s = signature_of(["x", "k"], [Vec[3], Real], Real, 1, {"k": 2.0})
    assert str(s) == "(x: Vec[3], /, k: Real = 2.0) -> Real"


def test_what_has_no_default_after_one_that_has_is_keyword_only():
    s = signature_of(["x", "k", "y"], [Real, Real, Real], None, defaults={"k": 1.0})
    assert [p.kind for p in s.parameters.values()][-1] is Parameter.KEYWORD_ONLY
    assert str(s) == "(x: Real, k: Real = 1.0, *, y: Real)"


def test_names_that_python_does_not_take_are_replaced():
    assert [*signature_of(["lambda", "y"], [Real, Real], Real).parameters] == ["x0", "x1"]
    assert [*signature_of(["x", "x"], [Real, Real], Real).parameters] == ["x0", "x1"]

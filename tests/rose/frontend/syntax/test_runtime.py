"""The functions that rewritten code calls, on Python's own values and on traced ones."""

from __future__ import annotations

from typing import Any

import pytest

from rose import Bool, Real, TypeMismatch
from rose.frontend.syntax.runtime import Run
from rose.ir import building


def fails() -> Any:
    raise AssertionError("it is evaluated")


def test_python_decides_as_lazily_as_ever():
    run = Run(Real)
    assert run.both(0.0, fails) == 0.0
    assert run.both(1.0, lambda: "last") == "last"
    assert run.either("first", fails) == "first"
    assert run.negate([]) is True
    assert run.ifexp(True, lambda: 1, fails) == 1
    assert run.chain(["Lt", "Lt"], 2, lambda: 1, fails) is False


def test_traced_conditions_become_instructions():
    run = Run(Real)
    with building("f") as b:
        x, p = b.param(Real, "x"), b.param(Bool, "p")
        assert run.both(p, lambda: x > 0.0).op.name == "and"
        assert run.either(p, lambda: x > 0.0).op.name == "or"
        assert run.negate(p).op.name == "not"
        assert run.chain(["Lt", "LtE"], 0.0, lambda: x, lambda: 1.0).op.name == "and"
        assert run.ifexp(p, lambda: 1.0, lambda: x).type is Real


def test_a_number_is_not_a_condition():
    with building("f") as b, pytest.raises(TypeMismatch, match="`and` asks for a Bool, not a traced Real"):
        Run(Real).both(b.param(Real, "x"), fails)


def test_nothing_is_refused_outside_of_recorded_parts():
    run, there = Run(Real), [1, 2]
    run.refuse("raise", "return")
    run.stores(there, "there", local=False)
    run.calls(there, "there", "append", local=False)
    assert run.open == []

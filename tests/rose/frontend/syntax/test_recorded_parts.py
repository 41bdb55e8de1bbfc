"""Recorded parts: packing of variables, values that a compiled function can have, places."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from rose import Bool, Real, TypeMismatch, Unit, Vec
from rose.frontend.syntax.recorded_parts import Part, check_place, is_traced, lifted, pack, unpacked
from rose.ir import Builder, building, current_builder


@pytest.fixture
def b() -> Generator[Builder]:
    with building("f") as b:
        yield b


def test_packing_and_unpacking_are_inverse(b: Builder):
    x, p = b.param(Real, "x"), b.param(Bool, "p")
    assert unpacked(pack([x]), ["x"]) == {"x": x}
    assert pack([]).type is Unit
    assert {k: v.type for k, v in unpacked(pack([x, p]), ["x", "p"]).items()} == {"x": Real, "p": Bool}


@pytest.mark.parametrize(("x", "t"), [(1.0, Real), ([1.0], Vec[1]), ("text", None), (object(), None)])
def test_only_some_objects_can_be_values(b: Builder, x: Any, t: Any):
    v = lifted(x)
    assert (None if v is None else v.type) is t


def test_a_part_is_a_function_of_what_it_captures(b: Builder):
    x, open_ = b.param(Real, "x"), list[Part]()
    part = Part(open_, "if", "then", {"x": x})
    assert open_ == [part]
    y = current_builder().reach(x) * 2.0
    part.finish()
    assert (open_, current_builder()) == ([], b)
    f = part.func([], [x], y)
    assert ([p.type for p in f.params], f.result) == ([Real], Real)


def test_a_condition_is_a_bool(b: Builder):
    assert is_traced(b.param(Bool, "p"), "an `if`")
    assert not is_traced(True, "an `if`")
    with pytest.raises(TypeMismatch, match="an `if` asks for a Bool, not a traced Real"):
        is_traced(b.param(Real, "x"), "an `if`")


def test_a_try_holds_nothing_traced(b: Builder):
    check_place("", "if", b.loc)  # pyright: ignore
    with pytest.raises(TypeMismatch, match="a traced `if` inside of `try`"):
        check_place("try", "if", b.loc)  # pyright: ignore

"""The signature of a Python function: location, parameters, annotations."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from rose import Real, TypeMismatch, Vec
from rose.frontend.signatures import arity, check_plain, fresh_name, name_of, names_of, types_of, written


def two(x: Real, v: Vec[3]) -> Vec[3]:
    return v


def test_types_are_those_of_the_annotations():
    assert types_of(two, {}) == ([Real, Vec[3]], Vec[3])


def test_sizes_may_be_local_to_the_caller():
    def f(v: Vec[size]) -> Real:  # pyright: ignore  # noqa: F821
        return v[0]

    assert types_of(f, {"size": 7}) == ([Vec[7]], Real)
    with pytest.raises(TypeMismatch, match="the type of v cannot be evaluated: NameError"):
        types_of(f, {})


def test_names_and_numbers_of_parameters():
    assert (name_of(two), arity(two), names_of(two, 2)) == ("two", 2, ["x", "v"])
    assert arity(lambda *xs: xs) is None
    assert names_of(math.hypot, 2) == ["x0", "x1"]
    assert fresh_name("x", ["x", "x_"]) == "x__"


def test_a_function_is_located_at_its_definition():
    loc = written(two)
    assert loc.code is two.__code__


def keywords(*, x: Real) -> Real: ...
def defaults(x: Real = 0.0) -> Real: ...
def several(*x: Real) -> Real: ...
def untyped(x, y: Real): ...  # pyright: ignore


@pytest.mark.parametrize("f", [keywords, defaults, several, untyped, math.sin, dict])
def test_a_signature_that_cannot_be_compiled_is_refused(f: Any):
    with pytest.raises(TypeMismatch):
        types_of(f, {})


def test_a_generator_and_a_coroutine_are_refused():
    def yields() -> Any:
        yield 1

    async def waits() -> None: ...

    plain: Callable[..., Any] = two
    check_plain(plain)
    for f, said in ((yields, "yields"), (waits, "is async")):
        with pytest.raises(TypeMismatch, match=said):
            check_plain(f)

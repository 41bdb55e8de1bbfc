"""The signature of a Python function: location, parameters, annotations."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, TypeMismatch, Vec
from rose.frontend.signatures import arity, check_plain, fresh_name, name_of, names_of, parameters, types_of, written


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


def wrapped() -> Callable[..., Any]:
    @functools.wraps(two)
    def outer(*args: Any) -> Any: ...

    return outer


WRITTEN: list[Callable[..., Any]] = [
    two, lambda: 0, lambda *xs: xs, lambda **xs: xs, lambda x, y=1: x, lambda x, /, y, z=1: x, lambda *, x, y=1: x,
    lambda x, y=1, /, z=2, *xs, a, b=3, **ys: x, wrapped(), functools.partial(two, 1.0), math.sin, Vec.__getattribute__,
    two.__get__(1.0),
]  # fmt: skip


@pytest.mark.parametrize("f", WRITTEN)
def test_parameters_are_those_that_inspect_tells(f: Callable[..., Any]):
    there = [(p.name, p.kind, p.default is not p.empty) for p in inspect.signature(f).parameters.values()]
    assert parameters(f) == there


def test_closures_of_one_def_have_defaults_and_types_of_their_own():
    def of(t: Any, *defaults: Any) -> Callable[..., Any]:
        def f(x, k): ...

        f.__annotations__, f.__defaults__ = {"x": t, "return": t}, defaults
        return f

    assert of(Real).__code__ is of(Vec[2]).__code__
    assert types_of(of(Vec[2], 1), {}) == ([Vec[2]], Vec[2])
    assert types_of(of(Vec[3], 1), {}) == ([Vec[3]], Vec[3])
    assert (arity(of(Real), 1), arity(of(Real, 1), 1)) == (2, 1)
    with pytest.raises(TypeMismatch, match="f needs a type for k"):
        types_of(of(Real), {})
    with pytest.raises(TypeMismatch, match="x has a type and a default"):
        types_of(of(Real, 1, 2), {})


def test_one_text_means_what_its_names_mean_there():
    def of(n: int) -> Callable[..., Any]:
        def f(v: Vec[n]) -> Real: ...

        return rose.fn(f)

    class Local:
        pass

    assert [of(n).types for n in (2, 3)] == [(Vec[2],), (Vec[3],)]
    made: list[Any] = []
    for _ in range(2):

        @rose.struct
        class Local:  # noqa: F811
            x: Real

        @rose.fn
        def f(s: Local) -> Local:
            return s

        made.append((f, Local))
    assert [type(f(cls(1.0))) is cls for f, cls in made] == [True, True]


def test_a_dim_in_a_text_is_that_of_the_scope():
    def of(n: Any) -> Callable[..., Any]:
        @rose.fn
        def f(v: Vec[n]) -> Vec[n]:
            return v

        return f

    n = rose.dim("n")
    assert of(n)([1.0, 2.0]).tolist() == [1.0, 2.0]
    with pytest.raises(TypeMismatch, match="v must have 3 elements"):
        of(3)([1.0, 2.0])


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

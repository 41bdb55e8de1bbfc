"""The signature of a Python function: location, parameters, annotations."""

from __future__ import annotations

import functools
import inspect
import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import rose
from rose import Real, TypeMismatch, Vec
from rose.frontend.signatures import (
    arity,
    by_place,
    check_plain,
    defaults_of,
    fresh_name,
    name_of,
    names_of,
    parameters,
    types_of,
    written,
)  # fmt: skip


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
    there = [(p.name, p.kind, p.default) for p in inspect.signature(f).parameters.values()]
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
    assert types_of(of(Real, 1, 2), {}) == ([Real], Real)
    assert defaults_of(of(Real, 1, 2), ["x"]) == {"x": 1} and defaults_of(of(Real), ["x"]) == {}


def test_parameters_with_a_type_and_a_default_may_be_left_out():
    @rose.fn(syntax=True)
    def f(x: Real, y: Real = 2.0, *, a: Real = 3.0, b: Real) -> Real:
        if x > 0:
            return x * y * a * b
        return x

    assert by_place(f.body, 4) == 2
    assert repr(f) == "<fn f(x: Real, y: Real = 2.0, a: Real = 3.0, b: Real) -> Real>"
    assert f(1.0, b=2.0) == 12.0 and f(1.0, 5.0, b=1.0, a=1.0) == 5.0
    for derived in (rose.grad(f), rose.compile(rose.grad(f)), pickle.loads(pickle.dumps(rose.compile(rose.grad(f))))):
        assert derived(1.0, b=2.0) == 12.0 and derived(1.0, 1.0, b=1.0) == 3.0
    assert rose.fn([Real], Real)(lambda x: f(x, b=x))(2.0) == 24.0
    with rose.eager():
        assert f(1.0, b=2.0) == 12.0
    for g in (f, rose.compile(f)):
        with pytest.raises(TypeMismatch, match=r"f takes 4 arguments \(x, y, a, b\), got 1") as e:
            g(1.0)
        assert "b is missing" in str(e.value)
        with pytest.raises(TypeMismatch, match="c is unknown"):
            g(1.0, b=1.0, c=1.0)


def test_defaults_go_on_to_derivatives_with_the_same_parameters():
    @rose.fn
    def f(x: Vec[2], t: Vec[2] = (1.0, 2.0)) -> Real:
        return x @ t

    ones = [1.0, 1.0]
    assert rose.hvp(f)(ones, v=ones).tolist() == [0.0, 0.0] and rose.vjp(f)(ones).grad(1.0)[0].tolist() == [1.0, 2.0]
    assert "t" not in rose.vmap(f).defaults
    assert str(inspect.signature(rose.jacobian(f))).startswith("(x: Vec[2], t: Vec[2] = (1.0, 2.0))")
    n = rose.dim("n")
    g = rose.fn([Vec[n], Real], Real)(lambda x, k=3.0: rose.sum(x) * k)
    assert g(ones) == 6.0 and rose.grad(g)(ones).tolist() == [3.0, 3.0] and rose.compile(g, dynamic=True)(ones) == 6.0


def test_a_default_that_is_no_value_of_its_type_is_refused_where_it_is_used():
    f = rose.fn([Real, Real], Real)(lambda x, k="a": x)
    with pytest.raises(TypeMismatch, match="k must be a Real, got 'a'"):
        f(1.0)


def test_an_opaque_function_is_called_by_place():
    with pytest.raises(TypeMismatch, match="g takes named parameters"):

        @rose.opaque
        def g(x: Real, *, k: Real) -> Real:
            return x


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


def several(*x: Real) -> Real: ...
def named(**x: Real) -> Real: ...
def untyped(x, y: Real): ...  # pyright: ignore


@pytest.mark.parametrize("f", [several, named, untyped, math.sin, dict])
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

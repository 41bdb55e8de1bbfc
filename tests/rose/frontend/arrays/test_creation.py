"""New arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from against_numpy import agree

import rose
from rose import Bool, EscapedValue, OutOfRange, Real, RoseError, TypeMismatch, Vec, dim, fn

X = np.random.default_rng(0).normal(size=(2, 3))


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("zeros", (3,)), ("zeros", ((2, 0),)), ("ones", ((2, 3),)), ("ones", ([2, 1],)), ("full", ((2, 2), 1.5)),
        ("full", ((2, 3), [1.0, 2.0, 3.0])), ("eye", (3,)), ("eye", (2, 4)), ("eye", (3, 3, 1)), ("eye", (4, 2, -2)),
        ("arange", (5,)), ("arange", (2, 9, 3)), ("arange", (0.5, 3.0, 0.25)), ("arange", (9, 2, -2)), ("arange", (0,)),
        ("arange", (-3, 4)), ("arange", (3, 1)), ("arange", (0.1, 1.0, 0.3)), ("linspace", (0, 1, 5)),
        ("linspace", (2.5, -1, 7)), ("linspace", (0, 1, 1)), ("linspace", (0, 1, 0)), ("linspace", (0, 3, 3, False)),
    ],
)  # fmt: skip
def test_an_array_has_the_bits_of_numpys(name: str, args: tuple[Any, ...]):
    agree(lambda x: getattr(rose, name)(*args) * x, lambda x: getattr(np, name)(*args) * x, [1.0])


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "full_like"])
def test_an_array_has_the_shape_of_another(name: str):
    more = (2.5,) if name == "full_like" else ()
    agree(lambda x: getattr(rose, name)(x, *more) + 0.0, lambda x: getattr(np, name)(x, *more), [X])


def test_an_array_of_conditions_is_like_one_of_them():
    f = fn([Vec[2]], Vec[4, Bool])(lambda x: rose.concatenate([rose.zeros_like(x > 0.0), rose.ones_like(x > 0.0)]))
    assert list(f([1.0, 2.0])) == [False, False, True, True]


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_a_grid_has_the_coordinates_of_its_points(indexing: str):
    grid: Any = lambda of: lambda x, y: of.stack(of.meshgrid(x, y, indexing=indexing))
    agree(grid(rose), grid(np), [X[0], X[1, :2]])


def test_a_range_indexes_an_array():
    f = fn([Vec[5]], Vec[3])(lambda x: x[rose.arange(3)] * rose.arange(1, 4))
    assert list(f([1.0, 2.0, 3.0, 4.0, 5.0])) == [1.0, 4.0, 9.0]


def test_sizes_may_be_those_of_a_call():
    n = dim("n")
    f = fn([Vec[n]], Real)(lambda x: rose.sum(x * rose.arange(n) + rose.linspace(0.0, 1.0, n) + rose.ones(n)))
    x = np.array([1.0, 2.0, 4.0])
    assert rose.compile(f, dynamic=True)(x) == f(x) == 10.0 + 1.5 + 3.0
    assert rose.compile(f, dynamic=True)(x[:1]) == 1.0


def test_a_large_array_is_a_loop_and_no_data():
    f = fn([Real], Vec[10_000])(lambda x: x * rose.linspace(0.0, 1.0, 10_000) + rose.ones(10_000))
    assert len(rose.compile(f).wasm) < 400


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda x: rose.zeros(x), TypeMismatch, "takes integers as sizes"),
        (lambda x: rose.zeros(-1), OutOfRange, "an axis of -1 elements"),
        (lambda x: rose.full((2,), [1.0, 2.0, 3.0]), RoseError, "do not broadcast"),
        (lambda x: rose.full((1,), [1.0, 2.0]), TypeMismatch, "cannot be filled"),
        (lambda x: rose.arange(x), TypeMismatch, "a number that Python knows"),
        (lambda x: rose.arange(0.0, 1.0, 0.0), OutOfRange, "is zero"),
        (lambda x: rose.eye(2, 2, x), TypeMismatch, "is an integer"),
        (lambda x: rose.meshgrid([[x]]), TypeMismatch, "takes vectors"),
        (lambda x: rose.meshgrid([x], indexing="no"), TypeMismatch, "no indexing"),
    ],
)
def test_wrong_arguments_are_errors(make: Any, error: type[RoseError], match: str):
    with pytest.raises(error, match=match):
        _ = fn([Real], Real)(lambda x: rose.sum(make(x))).func


def test_outside_of_a_trace_there_are_no_arrays():
    with pytest.raises(EscapedValue):
        rose.zeros(3)

"""`rose.compile`: names, options, and the results of calls."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, TypeMismatch, Vec, fn
from rose.build import lowered


@fn
def square(x: Real) -> Real:
    """The square."""
    return x * x


@fn
def scaled(x: Real, v: Vec[2]) -> Vec[2]:
    return [x * v[0], x * v[1]]


def test_functions_have_their_own_names_or_those_of_a_mapping():
    other = fn([Real], Real)(lambda x: x + 1.0)
    module = rose.compile(square, scaled, other, other)
    assert module["square"](3.0) == module.square(3.0) == module(3.0) == 9.0
    assert repr(module).startswith("<compiled square, scaled, <lambda>, <lambda>_2: ")
    assert rose.compile({"f": square}).f(2.0) == 4.0
    with pytest.raises(rose.RoseError, match="the module has no function 'g'"):
        _ = module.g


def test_the_same_functions_have_the_same_bytes():
    assert rose.compile(square, scaled).wasm == rose.compile(square, scaled).wasm
    assert lowered({"f": square}).wasm == rose.compile({"f": square}).wasm


def test_a_module_travels():
    module = pickle.loads(pickle.dumps(rose.compile(square)))
    assert (module(3.0), module.__doc__, module.__name__) == (9.0, "The square.", "square")


def test_single_precision_rounds():
    assert rose.compile(square, dtype="f32")(0.1) == np.float32(0.1) * np.float32(0.1)


@pytest.mark.parametrize("options", [{"dtype": "f16"}, {"simd": "fast"}, {"simd": True, "dtype": "f32"}, {"n": 3}])
def test_wrong_options_are_refused(options: dict[str, Any]):
    with pytest.raises(TypeMismatch):
        rose.compile(square, **options)


@pytest.mark.parametrize("args", [({},), ({1: square},), ({"f": square}, scaled), ({"f": 3.0},), (3.0,)])
def test_wrong_functions_are_refused(args: Any):
    with pytest.raises(TypeMismatch):
        rose.compile(*args)


def test_a_function_of_outer_values_is_refused():
    def outer(x: Any) -> Any:
        rose.compile(fn([Real], Real)(lambda y: x * y))
        return x

    with pytest.raises(TypeMismatch, match="uses values of the function around it"):
        _ = fn([Real], Real)(outer).func


def test_a_call_outside_of_a_trace_gives_what_a_module_gives():
    with rose.eager():
        eager = scaled(2.0, [1.0, 3.0])
    assert isinstance(eager, np.ndarray)
    assert eager.tolist() == scaled(2.0, [1.0, 3.0]).tolist() == [2.0, 6.0]

"""The types in signatures, which readers and tools ask for."""

import inspect
import types
from typing import get_type_hints

import numpy as np
import pytest

import rose
from rose.frontend.typed import Array, ArrayLike, SupportsArray
from rose.ir import Value

LIBRARIES = [rose.implicit, rose.lib, rose.linalg, rose.nn, rose.random]
PUBLIC = [f for room in LIBRARIES for k in room.__all__ if isinstance(f := getattr(room, k), types.FunctionType)]


@pytest.mark.parametrize("f", PUBLIC, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_the_types_in_public_signatures_can_be_read_by_tools(f: types.FunctionType):
    assert {*inspect.signature(f).parameters} <= {*get_type_hints(inspect.unwrap(f))}


def test_a_signature_says_what_is_taken_and_given():
    assert str(inspect.signature(rose.linalg.solve)) == "(a: 'ArrayLike', b: 'ArrayLike') -> 'Array'"
    hints = get_type_hints(inspect.unwrap(rose.linalg.solve))
    assert hints == {"a": ArrayLike, "b": ArrayLike, "return": Array} and Array is Value


def test_what_can_be_given_as_an_array_has_numpys_method():
    assert hasattr(Value, "__array__") and hasattr(np.zeros(2), "__array__") and hasattr(SupportsArray, "__array__")

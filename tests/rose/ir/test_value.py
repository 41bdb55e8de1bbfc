"""Traced values: their operators, and what they refuse to Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rose
from rose import Real, RoseError, TypeMismatch, Vec
from rose.ir import building
from rose.ir.value import a_traced, bind_arguments, host_index, not_one_each


def trace(body: Any) -> Any:
    return rose.fn([Real], Real)(body).func


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (lambda x: [1.0, 2.0][x], "is not a Python integer"),
        (lambda x: math.sin(x), "is not a Python number"),
        (lambda x: 1.0 if x > 0.0 else 2.0, "known only when"),
        (lambda x: x.append, "append"),
    ],
)
def test_what_python_cannot_know_of_a_traced_value_is_an_error(body: Any, said: str):
    with pytest.raises(RoseError, match=said):
        trace(body)


def test_a_traced_vector_never_changes():
    def assign(v: Any) -> Any:
        v[0] = 1.0
        return v[0]

    with pytest.raises(TypeMismatch, match="traced values never change"):
        _ = rose.fn([Vec[2]], Real)(assign).func


def test_a_value_is_named_with_its_type_and_its_parameter():
    with building("f") as b:
        assert a_traced(b.param(Real, "x")) == "a traced Real (the parameter x)"


def test_an_integer_of_the_host_is_an_index_and_a_truth_value_is_not():
    assert [host_index(x) for x in (3, np.int64(3), True, 3.0, "3")] == [3, 3, None, None, None]
    assert [host_index(np.array(x)) for x in (3, True, 3.5, "3", [3])] == [3, None, None, None, None]


def test_arguments_that_are_not_one_each_are_named():
    assert "y is given twice" in str(not_one_each("f", ["x", "y"], 2, {"y": 1}))
    assert "z is unknown" in str(not_one_each("f", ["x", "y"], 2, {"z": 1}))
    assert "y is missing" in str(not_one_each("f", ["x", "y"], 1, {}))


def test_arguments_are_bound_by_place_and_by_name():
    assert bind_arguments("f", ["x", "y"], [1], {"y": 2}, {}) == [1, 2]
    assert bind_arguments("f", ["x", "y"], [1], {}, {"y": 3}) == [1, 3]
    for args, named in (([1], {}), ([1, 2, 3], {}), ([1, 2], {"y": 3}), ([1], {"z": 2})):
        with pytest.raises(TypeMismatch, match="f takes 2 arguments"):
            bind_arguments("f", ["x", "y"], args, named, {})

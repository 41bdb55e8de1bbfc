"""Kinds of elements: `x.astype(int)`, by any of NumPy's names for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Real, Vec, dim, fn
from rose.frontend.arrays.kinds import kind_of

NUMBERS = np.array([-1.5, -0.0, 0.25, 2.0])


@pytest.mark.parametrize("name", ["float", float, np.float32, "f8", np.dtype(float), "<f4", "double"])
def test_a_number_has_one_width(name: Any):
    assert fn([Vec[4]], Vec[4])(lambda x: x.astype(name))(NUMBERS).tolist() == NUMBERS.tolist()


@pytest.mark.parametrize("name", [int, "int", np.int64, np.intp, np.uint8, "i4", np.dtype("int16")])
def test_a_whole_number_is_towards_zero(name: Any):
    assert fn([Vec[4]], Vec[4])(lambda x: x.astype(name))(NUMBERS).tolist() == [-1.0, 0.0, 0.0, 2.0]


def test_conditions_are_numbers_and_numbers_conditions():
    assert fn([Vec[4]], Vec[4])(lambda x: (x > 0.0).astype(int))(NUMBERS).tolist() == [0.0, 0.0, 1.0, 1.0]
    assert fn([Vec[4]], Vec[4, Bool])(lambda x: x.astype(bool))(NUMBERS).tolist() == [True, False, True, True]
    assert kind_of("?") == "b"


def test_what_is_of_the_kind_already_is_not_converted():
    text = rose.compile(fn([Vec[4]], Vec[4])(lambda x: np.floor(x).astype(int).astype(float))).pretty()
    assert "floor" in text
    assert "trunc" not in text


def test_a_mask_of_numbers_is_a_constant_to_a_derivative_at_any_size_in_single_precision_too():
    n = dim("n")
    f = fn([Vec[n]], Real)(lambda x: np.sum((x > 0.0).astype(float) * x**2))
    assert rose.grad(f)(NUMBERS).tolist() == [0.0, 0.0, 0.5, 4.0]
    assert rose.compile(rose.grad(f), dynamic=True)(NUMBERS).tolist() == [0.0, 0.0, 0.5, 4.0]

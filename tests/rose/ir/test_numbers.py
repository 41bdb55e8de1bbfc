"""Numbers of the host as literals, and as messages spell them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rose import TypeMismatch
from rose.errors import here
from rose.ir.numbers import Numbers, as_number, as_single, digits, is_truth, shown


def test_literal_vectors_are_told_apart_by_their_bits():
    assert Numbers((0.0, 1.0)).bits == Numbers((0.0, 1.0)).bits
    assert Numbers((0.0,)).bits != Numbers((-0.0,)).bits


@pytest.mark.parametrize("x", [2, 2.0, np.float32(2.0), np.int8(2), np.array(2.0)])
def test_a_number_may_be_pythons_or_numpys(x: Any):
    assert as_number(x, here()) == 2.0


@pytest.mark.parametrize("x", [True, "2", None, [2.0], np.array([2.0]), 2j, 10**400])
def test_what_is_not_a_number_is_refused(x: Any):
    with pytest.raises(TypeMismatch):
        as_number(x, here())


def test_a_number_of_32_bits_is_the_nearest_one_also_of_long_integers():
    assert as_single(0.1, here()) == float(np.float32(0.1))
    n = 2**60 + 2**36 + 1  # as a float it is half way between two of 32 bits
    assert as_single(n, here()) == 2.0**60 + 2.0**37
    with pytest.raises(TypeMismatch):
        as_single(1e39, here())
    assert as_single(math.inf, here()) == math.inf


def test_truth_values_are_pythons_and_numpys():
    assert is_truth(True) and is_truth(np.bool_(False))
    assert not is_truth(1) and not is_truth(np.array([True]))


def test_a_host_value_is_shown_on_a_part_of_a_line():
    assert [shown(2), shown(None), shown(int), shown(len)] == ["2 (int)", "None", "the class int", "the function len"]
    assert len(shown("x" * 1000)) < 60 and shown(object()) == "an object"
    assert digits(12) == "12" and len(digits(10**5000)) < 60

"""Numbers as linear memory holds them."""

from __future__ import annotations

import numpy as np
import pytest

from wasm_backend.runtime.numbers import LARGEST_SINGLE, is_exact, nothing, numbers_of


def test_the_largest_number_in_single_precision():
    assert float(np.finfo(np.float32).max) == LARGEST_SINGLE


@pytest.mark.parametrize("n", [0, 2**53, -(2**53), 2**54, 2**1022, 3 * 2**900])
def test_integers_that_are_floats(n: int):
    assert is_exact(n) and float(n) == n


@pytest.mark.parametrize("n", [2**53 + 1, -(2**53) - 1, 2**1024, 10**400, 2**54 + 1])
def test_integers_that_are_no_floats(n: int):
    assert not is_exact(n)


def test_sizes_are_a_shape():
    assert numbers_of([2, 3]) == (2, 3) and numbers_of([]) == () and nothing() is None

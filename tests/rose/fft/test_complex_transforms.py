"""Transforms of rows of complex numbers."""

import numpy as np
import pytest
from transforms import SIZES, agree, numbers

from rose.fft.complex_transforms import backwards, dft, inverse


@pytest.mark.parametrize("n", SIZES)
def test_values_are_numpys(n: int):
    agree(dft, np.fft.fft(numbers(n)), numbers(n), interpreted=n < 40)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 17])
def test_rows_are_transformed_one_by_one(n: int):
    z = numbers(2, 3, n)
    agree(dft, np.fft.fft(z), z)
    agree(lambda z: inverse(z, 1.0 / n), np.fft.ifft(z), z)
    agree(lambda z: backwards(z, 2.0), 2.0 * np.roll(z[..., ::-1], 1, -1), z)


def test_arrays_without_rows_are_left():
    agree(dft, numbers(0, 4), numbers(0, 4))

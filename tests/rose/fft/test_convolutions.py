"""Convolutions with a chirp: transforms of any size, by those of friendlier ones."""

import numpy as np
import pytest
from transforms import agree, numbers

from rose import Complex, Vec, fn
from rose.fft.convolutions import by_convolution, chirp
from rose.fft.plans import friendly


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 17, 97])
def test_values_are_numpys(n: int):
    agree(lambda x: by_convolution(n, friendly(2 * n - 1))(x), np.fft.fft(numbers(n)), numbers(n), interpreted=n < 20)


def test_a_chirp_has_squares_as_angles():
    n = 50000  # whose squares are no indices
    got = np.asarray(fn([], Vec[n, Complex])(lambda: chirp(n)())())
    j = np.arange(n)
    assert abs(got - np.exp(-1j * np.pi * (j * j % (2 * n)) / n)).max() < 2e-15

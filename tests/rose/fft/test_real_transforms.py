"""Transforms of rows of real numbers, and halves of Hermitian ones."""

import numpy as np
import pytest
from transforms import SIZES, agree, numbers

from rose.fft.real_transforms import from_half, hermitian, to_half


@pytest.mark.parametrize("n", SIZES)
def test_halves_are_numpys(n: int):
    x = numbers(n, real=True)
    half = np.fft.rfft(x)
    agree(to_half, half, x, interpreted=n < 40)
    agree(lambda h: from_half(h, n), n * x, half, interpreted=n < 40)


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_what_is_its_own_conjugate_is_real(n: int):
    h = numbers(n // 2 + 1)
    agree(lambda h: from_half(h, n), n * np.fft.irfft(h, n), h)
    got = np.asarray(np.fft.rfft(numbers(n, real=True)))
    assert got[0].imag == 0.0 and (n % 2 or got[-1].imag == 0.0)


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_the_other_half_is_of_conjugates(n: int):
    x = numbers(3, n, real=True)
    half, whole = np.fft.rfft(x), np.fft.fft(x)
    agree(lambda h: hermitian(h, n, conjugate=False), whole, half)
    agree(lambda h: hermitian(h, n, conjugate=True, scale=2.0), 2.0 * whole.conj(), half)

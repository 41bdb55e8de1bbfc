"""Frequencies, and the order in which zero is in the middle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from transforms import agree, numbers

import rose
from rose import OutOfRange, Real, Vec, fn


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_frequencies_are_numpys_to_the_bit(n: int):
    f = fn([Real], tuple[Vec[n], Vec[n // 2 + 1]])(lambda d: (rose.fft.fftfreq(n, d), rose.fft.rfftfreq(n, d)))
    for got, wanted in zip(f(0.1), (np.fft.fftfreq(n, 0.1), np.fft.rfftfreq(n, 0.1)), strict=True):
        assert np.asarray(got).tobytes() == wanted.tobytes()


def test_of_a_step_of_python_they_are_known():
    f = fn([], Vec[4])(lambda: rose.fft.fftfreq(4))
    assert f().tolist() == [0.0, 0.25, -0.5, -0.25]
    with pytest.raises(OutOfRange, match=r"rose.fft.fftfreq transforms 1 number at least, not 0"):
        _ = fn([], Vec[0])(lambda: rose.fft.fftfreq(0)).func


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_are_numpys(name: str, axes: Any):
    for x in (numbers(4, 5), numbers(5, 2, real=True)):
        wanted = getattr(np.fft, name)(x, axes=axes)
        agree(lambda x: getattr(rose.fft, name)(x, axes=axes), wanted, x)
        agree(lambda x: getattr(np.fft, name)(x, axes), wanted, x)

"""Transforms in one module for every size: the values of NumPy, and gradients as those of known sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from transforms import error, numbers

import rose
from rose import Complex, Real, RoseError, Vec, fft, fn

n = rose.dim("n")
SIZES = (1, 2, 3, 8, 17, 64, 100, 1009)
OF_COMPLEX: dict[str, Any] = {
    "fft": lambda x: np.fft.fft(x), "ifft": lambda x: np.fft.ifft(x), "ortho": lambda x: np.fft.fft(x, norm="ortho"),
    "reversed": lambda x: np.fft.ifft(x[::-1], norm="ortho"),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_COMPLEX)
def test_values_are_numpys(name: str):
    module = rose.compile(fn([Vec[n, Complex]], Vec[n, Complex])(OF_COMPLEX[name]), dynamic=True)
    for k in SIZES:
        assert error(module(numbers(k)), OF_COMPLEX[name](numbers(k))) < 8 * 2.0**-52


def test_of_reals_there_are_halves():
    half = rose.compile(fn([Vec[n]], Vec[n // 2 + 1, Complex])(lambda x: fft.rfft(x)), dynamic=True)
    whole = rose.compile(fn([Vec[n]], Vec[n])(lambda x: fft.irfft(fft.rfft(x), n)), dynamic=True)
    for k in SIZES:
        x = numbers(k, real=True)
        assert error(half(x), np.fft.rfft(x)) < 8 * 2.0**-52 and error(whole(x), x) < 8 * 2.0**-52


def test_rows_share_their_tables():
    z = numbers(3, 10)
    module = rose.compile(fn([Vec[3, n, Complex]], Vec[3, n, Complex])(lambda z: fft.fft2(z)), dynamic=True)
    assert error(module(z), np.fft.fft2(z)) < 8 * 2.0**-52


def test_a_gradient_is_that_of_a_known_size():
    f = fn([Vec[n]], Real)(lambda x: rose.sum(abs(fft.rfft(rose.sin(x))) ** 4))
    slope = rose.compile(rose.grad(f), dynamic=True)
    for k in SIZES[1:5]:
        x = numbers(k, real=True)
        assert error(slope(x), np.asarray(rose.grad(f.at(n=k))(x))) < 1e-13


def test_a_vector_without_elements_is_refused():
    f = fn([Vec[n, Complex]], Vec[n, Complex])(lambda x: fft.fft(x))
    with pytest.raises(RoseError) as e:
        rose.compile(f, dynamic=True)(numbers(0))
    assert e.value.hint is not None and "give it an array with elements" in e.value.hint

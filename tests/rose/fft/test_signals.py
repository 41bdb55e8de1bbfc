"""Convolutions by transforms: SciPy's values of all modes and axes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.signal
from transforms import error, function, numbers

import rose
from rose import Real, TypeMismatch, Vec, fn

SHAPES = [((7,), (3,)), ((3,), (7,)), ((1,), (1,)), ((5, 4), (2, 4)), ((2, 3), (4, 5))]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("k", range(len(SHAPES)))
@pytest.mark.parametrize("real", [True, False])
def test_values_are_scipys(k: int, mode: Any, real: bool):
    x, y = [numbers(*shape, seed=j, real=real) for j, shape in enumerate(SHAPES[k])]
    wanted = scipy.signal.fftconvolve(x, y, mode)
    got = function(lambda x, y: rose.fft.fftconvolve(x, y, mode), wanted, x, y)(x, y)
    assert error(got, wanted) < 1e-14


@pytest.mark.parametrize("axes", [0, (1,), (-1, 0)])
def test_other_axes_are_broadcast(axes: Any):
    x, y = numbers(3, 4, real=True), numbers(3 if axes == (1,) else 2, 1 if axes == 0 else 3)
    wanted = scipy.signal.fftconvolve(x, y, axes=axes)
    got = function(lambda x, y: rose.fft.fftconvolve(x, y, axes=axes), wanted, x, y)(x, y)
    assert error(got, wanted) < 1e-14


def test_it_is_convolve():
    x, y = numbers(40, real=True), numbers(9, real=True)
    f = fn([Vec[40], Vec[9]], Real)(lambda x, y: rose.sum(rose.fft.fftconvolve(x, y) ** 2))
    g = fn([Vec[40], Vec[9]], Real)(lambda x, y: rose.sum(rose.convolve(x, y) ** 2))
    assert f(x, y) == pytest.approx(g(x, y))
    for one, other in zip(rose.grad(f, (0, 1))(x, y), rose.grad(g, (0, 1))(x, y), strict=True):
        assert np.asarray(one) == pytest.approx(np.asarray(other))


@pytest.mark.parametrize(
    ("shapes", "mode", "words"),
    [
        (((4,), (2, 2)), "full", "takes arrays of as many axes, not of the shapes (4,) and (2, 2)"),
        (((4,), (2,)), "fall", "has no mode 'fall'"),
        (((4, 2), (2, 4)), "valid", "none is as long as the other along each axis"),
    ],
)
def test_what_cannot_be_convolved_is_refused(shapes: Any, mode: str, words: str):
    with pytest.raises(TypeMismatch) as e:
        _ = fn([Vec[*s] for s in shapes], Real)(lambda x, y: rose.sum(rose.fft.fftconvolve(x, y, mode))).func
    assert words in e.value.message

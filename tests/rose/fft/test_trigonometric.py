"""Cosine and sine transforms: SciPy's values of all types and norms; each inverse undoes its transform."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.fft
from transforms import SHORT, agree, numbers

import rose
from rose import Complex, OutOfRange, Real, TypeMismatch, Vec, fn

NAMES = ("dct", "idct", "dst", "idst")
TYPES = (1, 2, 3, 4)


@pytest.mark.parametrize("n", [*SHORT, 64, 97, 100])
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_values_are_scipys(name: str, type: int, n: int):
    if n == 1 and type == 1 and name in ("dct", "idct"):
        return
    x = numbers(n, real=True)
    agree(lambda x: getattr(rose.fft, name)(x, type), getattr(scipy.fft, name)(x, type), x, interpreted=n < 10)


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("orthogonalize", [None, True, False])
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_norms_axes_and_sizes_are_scipys(name: str, type: int, orthogonalize: bool | None, norm: str | None):
    x = numbers(5, 3, real=True)
    more: Any = {"norm": norm, "orthogonalize": orthogonalize}
    for n, axis in ((None, 0), (4, -1), (2, 1)):
        wanted = getattr(scipy.fft, name)(x, type, n, axis, **more)
        agree(lambda x, n=n, axis=axis: getattr(rose.fft, name)(x, type, n, axis, **more), wanted, x)


@pytest.mark.parametrize("name", NAMES)
def test_of_complex_numbers_they_are_those_of_both_parts(name: str):
    z = numbers(6)
    agree(lambda z: getattr(rose.fft, name)(z), getattr(scipy.fft, name)(z), z)


@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("n", [2, 5, 8])
def test_an_orthogonal_transform_is_its_own_gradient(type: int, n: int):
    """The squares of an orthogonal transform sum to those of its argument, so that half of the gradient is that."""
    x = numbers(n, real=True)
    for transform in (rose.fft.dct, rose.fft.dst):
        f = fn([Vec[n]], Real)(lambda x, g=transform: rose.sum(g(x, type, norm="ortho") ** 2))
        if not (type == 1 and transform is rose.fft.dct):  # the ends of which count twice
            assert f(x) == pytest.approx(np.sum(x * x))
            assert rose.grad(f)(x) == pytest.approx(2.0 * x)
        g = fn([Vec[n]], Real)(lambda x, g=transform: rose.sum(g(x, type) ** 3))
        assert rose.testing.examine(g, points=1).ok


def test_the_transpose_of_type_2_is_type_3():
    f = fn([Vec[4], Vec[4]], Real)(lambda x, y: rose.dot(rose.fft.dct(x), y))
    matrix = scipy.fft.dct(np.eye(4), axis=0)
    y = numbers(4, real=True)
    assert rose.grad(f)(y, y) == pytest.approx(matrix.T @ y)


def test_what_is_no_transform_is_refused():
    with pytest.raises(TypeMismatch, match=r"rose.fft.dct has no type 5"):
        _ = fn([Vec[4]], Vec[4])(lambda x: rose.fft.dct(x, 5)).func
    with pytest.raises(OutOfRange, match=r"rose.fft.dct transforms 2 numbers at least, not 1"):
        _ = fn([Vec[1]], Vec[1])(lambda x: rose.fft.dct(x, 1)).func
    with pytest.raises(TypeMismatch, match=r"rose.fft.idst has no norm 'none'"):
        _ = fn([Vec[4, Complex]], Vec[4, Complex])(lambda x: rose.fft.idst(x, norm="none")).func

"""Zeros of polynomials, beside NumPy's, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import Complex, Real, TypeMismatch, Vec, fn


@pytest.mark.parametrize("p", [[2.0], [1.0, 2.0], [1.0, -3.0, 2.0], [2.0, 0.0, 0.0], [3.0, 1.0, -4.0, 2.0, 7.0, 1.0]])
def test_zeros_are_numpys(p: list[float]):
    n = len(p)
    f = fn([Vec[n]], Vec[n - 1, Complex])(lambda p: np.roots(p))
    close(np.sort_complex(f(p)), np.sort_complex(np.roots(p) + 0j), 1e-13)
    g = fn([Vec[n]], Vec[n + 1])(lambda p: np.poly(p))
    close(g(p), np.poly(p), 1e-15)


def test_complex_numbers_and_matrices():
    p = np.array([1.0, 2j, 3.0])
    f = fn([Vec[3, Complex]], Vec[2, Complex])(lambda p: np.roots(p))
    close(sorted(f(p), key=np.imag), sorted(np.roots(p), key=np.imag), 1e-14)
    assert np.allclose(fn([Vec[3, Complex]], Vec[4, Complex])(lambda p: np.poly(p))(p), np.poly(p))
    a = random(0, 4, 4)
    close(fn([matrix(4, 4)], Vec[5])(lambda a: np.poly(a))(a), np.poly(a), 1e-13)


def test_derivatives():
    derivatives_hold(lambda p: np.sum(np.cos(np.abs(np.roots(p)))), np.array([1.0, -3.0, 1.0, 0.5]))
    derivatives_hold(lambda z: np.sum(np.sin(np.poly(z))), np.array([0.5, -1.0, 2.0]))
    a = random(1, 3, 3)
    constant = fn([matrix(3, 3)], Real)(lambda a: np.poly(a)[3])
    close(rose.grad(constant)(a), -np.linalg.det(a) * np.linalg.inv(a).T, 1e-12)


@pytest.mark.parametrize("name", ["roots", "poly"])
def test_what_is_no_polynomial_is_an_error(name: str):
    of: Any = getattr(np, name)
    with pytest.raises(TypeMismatch, match=f"np.{name} takes a vector"):
        _ = fn([matrix(2, 2, 2)], Vec[2])(lambda p: of(p)).func

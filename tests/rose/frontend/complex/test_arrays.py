"""Arrays of complex numbers: their parts, constants, and elementwise arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

import rose
from rose import Complex, Real, Vec, dim, fn

Z = np.array([1.0 + 2.0j, -3.0j, 0.5])


def test_parts_are_arrays_and_make_one():
    turned = fn([Vec[3, Complex]], Vec[3, Complex])(lambda z: z.imag + 1j * z.real)
    assert turned(Z).tolist() == (Z.imag + 1j * Z.real).tolist()
    assert fn([Vec[3, Complex]], Vec[3])(lambda z: np.angle(z) + abs(z))(Z) == pytest.approx(np.angle(Z) + np.abs(Z))
    assert fn([Vec[3, Complex]], Vec[3])(lambda z: np.angle(z, deg=True))(Z) == pytest.approx(np.angle(Z, deg=True))
    assert fn([Vec[3, Complex]], Vec[3, Complex])(np.conj)(Z).tolist() == Z.conj().tolist()


def test_arrays_of_complex_numbers_and_of_reals_are_broadcast():
    response = fn([Vec[4]], Vec[4, 3, Complex])(lambda w: 1.0 / (1.0 + 1j * w[:, None] * Z))
    w = np.arange(4.0)
    assert response(w) == pytest.approx(1.0 / (1.0 + 1j * w[:, None] * Z), rel=1e-14)


def test_a_loop_stays_a_loop():
    n = 1000
    waves = fn([Vec[n]], Vec[n, Complex])(lambda t: np.exp(2j * t) * (1.0 + 1j))
    assert waves(np.zeros(n)).tolist() == [1.0 + 1.0j] * n
    assert sum(1 for v in waves.func.body.code if v.op.name == "for") == 1
    assert len(waves.func.body.code) < 20


def test_a_function_of_any_size_takes_them():
    n = dim("n")
    power = fn([Vec[n, Complex]], Real)(lambda z: np.sum(abs(z) ** 2))
    assert power(Z) == pytest.approx(14.25) and power(Z[:2]) == 14.0
    assert rose.grad(power)(Z) == pytest.approx(2.0 * Z.conj())

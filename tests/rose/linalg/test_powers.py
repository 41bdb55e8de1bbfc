"""Powers and exponentials of matrices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from matrices import close, derivatives_hold, matrix, random

import rose
from rose import fn, linalg


@pytest.mark.parametrize("power", [-2, -1, 0, 1, 2, 5, 12])
def test_powers_are_numpys(power: int):
    a = random(0, 3, 3)
    f = fn([matrix(3, 3)], matrix(3, 3))(lambda a: linalg.matrix_power(a, power))
    close(f(a) / np.abs(f(a)).max(), np.linalg.matrix_power(a, power) / np.abs(f(a)).max(), 1e-12)


@pytest.mark.parametrize("n", [0, 1, 3, 4])
@pytest.mark.parametrize("scale", [0.0, 1e-3, 1.0, 9.0])
def test_exponentials_are_scipys(n: int, scale: float):
    a = scale * random(n, n, n)
    wanted = scipy.linalg.expm(a)
    close(fn([matrix(n, n)], matrix(n, n))(linalg.expm)(a) / np.abs(wanted).max(initial=1.0),
          wanted / np.abs(wanted).max(initial=1.0), 1e-12)  # fmt: skip


@pytest.mark.parametrize("scale", [0.0, 0.3, 3.0])
def test_derivatives_of_exponentials(scale: float):
    derivatives_hold(lambda a: rose.sum(rose.sin(0.001 * linalg.expm(a))), scale * random(0, 3, 3))


def test_a_rotation_is_the_exponential_of_its_angle():
    f = fn([rose.Real], matrix(2, 2))(lambda t: linalg.expm([[0.0, -t], [t, 0.0]]))
    close(f(0.7), [[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]], 1e-15)
    close(rose.jacfwd(f)(0.7), [[-np.sin(0.7), -np.cos(0.7)], [np.cos(0.7), -np.sin(0.7)]], 1e-14)

"""Roots of unity: within an ulp, and what is 0, 1 or -1 exact."""

import mpmath
import numpy as np
import pytest

from rose import Complex, Fin, fn
from rose.fft.roots import PI, powers, roots, shape


def table(n: int, count: int | None = None) -> np.ndarray:
    made = roots(n, count)
    return np.asarray(fn([], made.result)(lambda: made())())


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, 64, 1009, 4096])
def test_roots_are_right_to_an_ulp(n: int):
    """Of one, which is their length: to three quarters of it."""
    with mpmath.workprec(200):
        wanted = [mpmath.expjpi(-2 * mpmath.mpf(k) / n) for k in range(n)]
        assert max([abs(mpmath.mpc(z) - w) for z, w in zip(table(n), wanted, strict=False)]) < 1.5 * 2.0**-53


@pytest.mark.parametrize("n", [4, 12, 64, 128, 4096])
def test_quarters_are_exact(n: int):
    w = table(n)
    assert [w[0], w[n // 4], w[n // 2], w[3 * n // 4]] == [1.0, -1j, -1.0, 1j]


def test_a_table_has_what_it_is_asked_for():
    assert [shape(n) for n in (1, 64, 65, 1024)] == [(1, 1), (64, 1), (5, 16), (32, 32)]
    assert len(table(1024, 9)) == 9 and len(table(65)) == 80
    assert roots(64) is roots(64)


def test_numbers_of_a_fixed_point_are_exact_where_roots_are():
    with mpmath.workprec(300):
        assert abs(mpmath.mpf(PI) / 2**224 - mpmath.pi) < mpmath.mpf(2) ** -222
    one = 1 << 160
    assert powers(4, 1, 4) == [(one, 0), (0, -one), (-one, 0), (0, one)]


def test_an_entry_alone_can_be_read():
    f = fn([Fin[64]], Complex)(lambda k: roots(64)()[k])
    assert f(16) == -1j

"""Special functions with several results, or with options."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import rose
from rose import Real, Vec, fn, special


@pytest.mark.parametrize("name", ["sici", "fresnel", "airy"])
@pytest.mark.parametrize("x", [0.3, 2.5, 11.0])
def test_all_results_are_scipys(name: str, x: float):
    assert np.allclose(getattr(special, name)(x), getattr(scipy.special, name)(x), rtol=1e-13)


def test_elliptic_functions_are_scipys():
    assert np.allclose(special.ellipj(0.7, 0.4), scipy.special.ellipj(0.7, 0.4), rtol=1e-13)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (1, 1), (3, -2), (5, 3), (6, -3)])
def test_spherical_harmonics_are_scipys(n: int, m: int):
    expected = scipy.special.sph_harm_y(n, m, 0.7, 1.9)
    assert np.allclose(special.sph_harm_y(n, m, 0.7, 1.9), (expected.real, expected.imag), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("derivative", [False, True])
def test_spherical_bessel_functions_are_scipys(n: int, derivative: bool):
    expected = scipy.special.spherical_jn(n, 2.3, derivative)
    assert math.isclose(special.spherical_jn(n, 2.3, derivative), expected, rel_tol=1e-13)
    x = np.array([-3.0, 1e-300, 1e-4, 0.7, 2.3, 40.0, np.inf, -np.inf, np.nan])
    of = fn([Vec[9]], Vec[9])(lambda x: special.spherical_yn(n, x, derivative))
    assert np.allclose(of(x), scipy.special.spherical_yn(n, x, derivative), rtol=1e-14, atol=0.0, equal_nan=True)
    assert derivative or special.spherical_yn(n, 0.0) == -np.inf


def test_the_multivariate_gamma_function_is_scipys():
    assert math.isclose(special.multigammaln(4.5, 3), scipy.special.multigammaln(4.5, 3), rel_tol=1e-14)


@pytest.mark.parametrize(("x", "k"), [(0.0, 0), (1.0, 0), (50.0, 0), (-0.2, 0), (-0.2, -1), (-0.01, -1)])
def test_lamberts_function_is_scipys_where_it_is_real(x: float, k: int):
    assert math.isclose(special.lambertw(x, k), scipy.special.lambertw(x, k).real, rel_tol=1e-14, abs_tol=1e-300)


def test_lamberts_function_is_nan_where_it_is_not_real():
    assert math.isnan(special.lambertw(-0.5)) and math.isnan(special.lambertw(0.5, -1))


def test_zeta_is_riemanns_or_hurwitzs():
    assert special.zeta(3.0) == scipy.special.zeta(3.0) and special.zeta(3.0, 1.5) == scipy.special.zeta(3.0, 1.5)


SLOPES: dict[str, tuple[Callable[[Any], Any], Callable[[float], float]]] = {
    "si": (lambda x: special.sici(x)[0], lambda x: math.sin(x) / x),
    "ci": (lambda x: special.sici(x)[1], lambda x: math.cos(x) / x),
    "fresnel": (lambda x: special.fresnel(x)[0], lambda x: math.sin(math.pi / 2 * x * x)),
    "airy": (lambda x: special.airy(x)[1], lambda x: x * scipy.special.airy(x)[0]),
    "sn": (lambda x: special.ellipj(x, 0.4)[0], lambda x: math.prod(scipy.special.ellipj(x, 0.4)[1:3])),
    "am": (lambda x: special.ellipj(x, 0.4)[3], lambda x: scipy.special.ellipj(x, 0.4)[2]),
    "lambertw": (special.lambertw, lambda x: 1 / (x + math.exp(special.lambertw(x)))),
    "spherical_jn": (lambda x: special.spherical_jn(2, x), lambda x: scipy.special.spherical_jn(2, x, True)),
    "spherical_yn": (lambda x: special.spherical_yn(3, x), lambda x: scipy.special.spherical_yn(3, x, True)),
    "multigammaln": (lambda x: special.multigammaln(x + 1.0, 2),
                     lambda x: scipy.special.digamma(x + 1.0) + scipy.special.digamma(x + 0.5)),
    "sph_harm_y": (lambda x: special.sph_harm_y(1, 0, x, 0.0)[0], lambda x: -math.sqrt(0.75 / math.pi) * math.sin(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", SLOPES)
def test_they_differentiate_twice_compiled_as_in_eager(name: str):
    f, slope = SLOPES[name]
    once = rose.grad(rose.fn([Real], Real)(f))
    twice, x, h = rose.grad(once), 1.3, 1e-5
    assert math.isclose(once(x), slope(x), rel_tol=1e-12)
    assert math.isclose(twice(x), (slope(x + h) - slope(x - h)) / (2 * h), rel_tol=1e-7, abs_tol=1e-7)
    with rose.eager():
        assert (rose.grad(rose.fn([Real], Real)(f))(x), rose.grad(rose.grad(rose.fn([Real], Real)(f)))(x)) == (
            once(x), twice(x),
        )  # fmt: skip


def test_derivatives_at_0_are_there():
    assert rose.grad(rose.fn([Real], Real)(lambda x: special.sici(x)[0]))(0.0) == 1.0
    assert rose.grad(rose.fn([Real], Real)(special.lambertw))(0.0) == 1.0
    assert math.isclose(rose.grad(rose.fn([Real], Real)(lambda x: special.spherical_jn(1, x)))(0.0), 1 / 3)


def test_scipys_own_take_traced_values():
    @fn
    def f(x: Vec[3]) -> Vec[3]:
        s, c = scipy.special.sici(x)
        ai, _, _, _ = scipy.special.airy(x)
        w = scipy.special.zeta(3.0, x) + scipy.special.zeta(x + 1.0)
        return s * c + ai + scipy.special.gammainc(2.0, x) + scipy.special.expit(x) + w

    x = np.array([0.5, 1.0, 2.5])
    s, c = scipy.special.sici(x)
    w = scipy.special.zeta(3.0, x) + scipy.special.zeta(x + 1.0)
    expected = s * c + scipy.special.airy(x)[0] + scipy.special.gammainc(2.0, x) + scipy.special.expit(x) + w
    assert np.allclose(f(x), expected, rtol=1e-13)


def refused(f: Callable[[], Any]) -> str:
    with pytest.raises(rose.TypeMismatch) as e:
        f()
    return str(e.value)


def test_what_is_no_whole_number_is_refused():
    assert "takes a whole number from 0 on for n, not 1.5 (float)" in refused(lambda: special.spherical_jn(1.5, 2.0))
    assert "spherical_yn takes a whole number" in refused(lambda: special.spherical_yn(-1, 2.0))
    assert "no order 3 (int) of degree 2" in refused(lambda: special.sph_harm_y(2, 3, 0.1, 0.2))
    assert "no real branch 2 (int)" in refused(lambda: special.lambertw(1.0, 2))

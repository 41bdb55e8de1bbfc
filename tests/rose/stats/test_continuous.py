"""Distributions over numbers beside SciPy's, at the ends of their supports and in their tails."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special
import scipy.stats
from scipy.integrate import quad

import rose
from rose import Real, Vec, fn, stats

SHAPES: dict[str, list[tuple[float, ...]]] = {
    "norm": [()], "lognorm": [(0.5,), (2.0,)], "gamma": [(0.5,), (3.2,)], "invgamma": [(2.5,), (0.7,)],
    "beta": [(0.5, 2.0), (3.0, 1.5)], "t": [(1.0,), (4.5,)], "cauchy": [()], "laplace": [()], "logistic": [()],
    "expon": [()], "weibull_min": [(0.7,), (2.5,)], "pareto": [(1.5,), (3.0,)], "uniform": [()],
    "chi2": [(1.0,), (5.0,)],
    "f": [(3.0, 7.0), (1.5, 2.5)], "gumbel_r": [()], "halfnorm": [()], "halfcauchy": [()], "vonmises": [(2.0,)],
    "truncnorm": [(-1.0, 2.0), (2.0, 5.0), (-7.0, -3.0)],
}  # fmt: skip
CASES = [(name, shapes) for name, sets in SHAPES.items() for shapes in sets]
XS = np.array([*np.linspace(-4.0, 6.0, 21), 1e-8, 30.0, -30.0, math.inf, -math.inf, math.nan])
QS = np.array([1e-3, 0.1, 0.25, 0.5, 0.77, 0.9, 1.0 - 1e-6, -0.1, 1.1, math.nan])
WIDE = {"vonmises"}  # at all angles, and without a variance or quantiles


def ours(name: str, what: str, x: Any, *args: float) -> Any:
    f = fn([Vec[len(x)]], Vec[len(x)])(lambda x: getattr(getattr(stats, name), what)(x, *args))
    return f(x)


@pytest.mark.parametrize(("loc", "scale"), [(0.0, 1.0), (0.5, 2.0)])
@pytest.mark.parametrize(("name", "shapes"), CASES)
def test_densities_and_probabilities_are_those_of_scipy(name: str, shapes: tuple[float, ...], loc: float, scale: float):
    theirs = getattr(scipy.stats, name)(*shapes, loc=loc, scale=scale)
    for what in ("pdf", "logpdf", *(() if name in WIDE else ("cdf", "sf", "logcdf", "logsf"))):
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            expected = getattr(theirs, what)(XS[:-3] if name in WIDE else XS)
        found = ours(name, what, XS[:-3] if name in WIDE else XS, *shapes, loc, scale)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-300, err_msg=what)


@pytest.mark.parametrize(("name", "shapes"), [x for x in CASES if x[0] not in WIDE])
def test_quantiles_are_those_of_scipy_and_of_the_probabilities(name: str, shapes: tuple[float, ...]):
    theirs = getattr(scipy.stats, name)(*shapes, loc=0.5, scale=2.0)
    for what in ("ppf", "isf"):
        found = ours(name, what, QS, *shapes, 0.5, 2.0)
        np.testing.assert_allclose(found, getattr(theirs, what)(QS), rtol=1e-7, err_msg=what)
        again = ours(name, "cdf" if what == "ppf" else "sf", found, *shapes, 0.5, 2.0)
        np.testing.assert_allclose(again[:7], QS[:7], rtol=1e-9)
    ends = ours(name, "ppf", np.array([0.0, 1.0]), *shapes)
    np.testing.assert_allclose(ends, getattr(scipy.stats, name)(*shapes).support(), atol=1e-15)


@pytest.mark.parametrize(("name", "shapes"), CASES)
def test_moments_are_those_of_scipy(name: str, shapes: tuple[float, ...]):
    theirs, family = getattr(scipy.stats, name)(*shapes, loc=0.5, scale=2.0), getattr(stats, name)
    for what in ("entropy",) if name in WIDE else ("mean", "var", "std", "entropy"):
        found = fn([Real], Real)(lambda s, what=what: getattr(family, what)(*shapes, loc=0.5, scale=s))(2.0)
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            expected = getattr(theirs, what)()
        np.testing.assert_allclose(found, expected, rtol=1e-9, err_msg=what)


@pytest.mark.parametrize(("name", "shapes"), CASES)
def test_the_density_has_derivatives_in_all_parameters(name: str, shapes: tuple[float, ...]):
    x0 = fn([Real], Real)(lambda s: getattr(stats, name).mean(*shapes, scale=s))(1.0)
    x = {"pareto": 2.0, "cauchy": 0.7, "halfcauchy": 0.7}.get(name, x0 if math.isfinite(x0) and x0 != 0.0 else 0.7)
    point = np.array([0.01 + 1.25 * x, *shapes, 0.01, 1.25])
    f = fn([Vec[len(point)]], Real)(lambda v: getattr(stats, name).logpdf(*[v[k] for k in range(len(point))]))
    gradient, h = rose.grad(f), 1e-6
    numeric = [(f(point + d) - f(point - d)) / (2 * h) for d in h * np.eye(len(point))]
    np.testing.assert_allclose(gradient(point), numeric, rtol=1e-5, atol=1e-7)
    assert np.array_equal(rose.compile(gradient)(point), gradient(point))
    second = [(gradient(point + d) - gradient(point - d)) / (2 * h) for d in h * np.eye(len(point))]
    np.testing.assert_allclose(rose.hessian(f)(point), second, rtol=1e-4, atol=1e-5)
    with rose.eager():
        assert np.array_equal(gradient(point), rose.compile(gradient)(point))


def test_the_derivative_of_a_probability_is_the_density():
    for name, shapes in CASES:
        if name not in WIDE:
            family = getattr(stats, name)
            x = float(getattr(scipy.stats, name)(*shapes).ppf(0.4))
            f = fn([Real], Real)(lambda x, family=family, shapes=shapes: family.cdf(x, *shapes))
            g = fn([Real], Real)(lambda x, family=family, shapes=shapes: family.pdf(x, *shapes))
            assert rose.grad(f)(x) == pytest.approx(g(x), rel=1e-9), name


@pytest.mark.parametrize(("name", "shapes"), [x for x in CASES if x[0] not in {*WIDE, "f"}])
def test_samples_are_of_the_distribution(name: str, shapes: tuple[float, ...]):
    key = rose.random.key(1)
    family = getattr(stats, name)
    xs = fn([Real], Vec[2000])(lambda s: family.sample(key, *shapes, loc=0.5, scale=s, shape=2000))(2.0)
    assert scipy.stats.kstest(xs, getattr(scipy.stats, name)(*shapes, loc=0.5, scale=2.0).cdf).pvalue > 1e-3


def test_samples_have_the_shape_of_the_parameters_and_derivatives():
    key = rose.random.key(2)
    f = fn([Vec[3], Real], Vec[3])(lambda a, s: stats.gamma.sample(key, a, scale=s))
    a = np.array([0.5, 2.0, 80.0])
    assert f(a, 1.0).shape == (3,) and np.array_equal(f(a, 2.0), 2.0 * f(a, 1.0))
    slope = rose.grad(fn([Vec[3]], Real)(lambda a: rose.sum(stats.beta.sample(key, a, 2.0))))(a)
    assert (slope > 0.0).all()


def test_parameters_that_are_none_give_nan():
    f = fn([Real, Real], Vec[3])(
        lambda a, s: [stats.gamma.logpdf(1.0, a, scale=s), stats.gamma.cdf(1.0, a, 0.0, s), stats.gamma.mean(a, 0.0, s)]
    )
    assert np.isnan(f(-1.0, 1.0)).all() and np.isnan(f(1.0, 0.0)).all() and np.isfinite(f(1.0, 1.0)).all()


def test_arrays_of_parameters_are_broadcast():
    x, mu = np.array([0.0, 1.0]), np.array([[0.0], [1.0], [2.0]])
    f = fn([Vec[2], Vec[3, 1]], Vec[3, 2])(lambda x, mu: stats.norm.logpdf(x, mu, 2.0))
    np.testing.assert_allclose(f(x, mu), scipy.stats.norm.logpdf(x, mu, 2.0), rtol=1e-14)


@pytest.mark.parametrize("kappa", [0.0, 0.5, 10.0, 119.0, 121.0, 1e4])
def test_angles_have_their_probabilities_and_count_turns(kappa: float):
    f = fn([Vec[7]], Vec[7])(lambda x: stats.vonmises.cdf(x, kappa))
    spread, xs = (1.0 + kappa) ** -0.5, np.array([-1.0, -0.3, 0.0, 0.1, 0.7, 1.0, 2.0])
    for x, found in zip(xs * spread, f(xs * spread), strict=True):
        within = quad(lambda t: float(np.exp(kappa * (np.cos(t) - 1.0))), 0.0, x, epsabs=1e-15, epsrel=1e-13)[0]
        assert found == pytest.approx(0.5 + within / (2.0 * np.pi * scipy.special.i0e(kappa)), abs=3e-12)
    turned = fn([Real], Real)(lambda x: stats.vonmises.cdf(x, kappa))
    assert turned(0.3 - 4.0 * np.pi) == pytest.approx(turned(0.3) - 2.0, abs=1e-13)
    slope = rose.jacfwd(fn([Real], Real)(lambda x: stats.vonmises.cdf(x, kappa)))(0.3 * spread)
    assert slope == pytest.approx(scipy.stats.vonmises.pdf(0.3 * spread, kappa), rel=1e-11)

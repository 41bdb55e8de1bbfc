"""Distributions over whole numbers beside SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import rose
from rose import Real, Vec, fn, stats

CASES = [
    ("poisson", (0.5,)), ("poisson", (4.0,)), ("poisson", (0.0,)), ("binom", (7.0, 0.3)), ("binom", (10.0, 1.0)),
    ("nbinom", (2.5, 0.4)), ("bernoulli", (0.3,)), ("geom", (0.2,)),
]  # fmt: skip
KS = np.array([-1.0, 0.0, 1.0, 2.0, 3.0, 4.5, 7.0, 10.0, 50.0])


@pytest.mark.parametrize("loc", [0.0, 1.0])
@pytest.mark.parametrize(("name", "shapes"), CASES)
def test_probabilities_are_those_of_scipy(name: str, shapes: tuple[float, ...], loc: float):
    theirs, family = getattr(scipy.stats, name)(*shapes, loc=loc), getattr(stats, name)
    for what in ("pmf", "logpmf", "cdf", "sf"):
        found = fn([Vec[9]], Vec[9])(lambda k, what=what: getattr(family, what)(k, *shapes, loc=loc))(KS)
        np.testing.assert_allclose(found, getattr(theirs, what)(KS), rtol=1e-10, atol=1e-300, err_msg=what)
    for what in ("mean", "var"):
        found = fn([Real], Real)(lambda loc, what=what: getattr(family, what)(*shapes, loc))(loc)
        assert found == pytest.approx(getattr(theirs, what)(), rel=1e-12)


QS = np.array([0.0, 1e-9, 0.1, 0.3, 0.5, 0.9, 0.999999, 1.0, -0.1, 1.1, np.nan])


@pytest.mark.parametrize("loc", [0.0, 2.0])
@pytest.mark.parametrize(("name", "shapes"), [*CASES, ("poisson", (1e6,)), ("nbinom", (200.0, 0.01))])
def test_quantiles_are_those_of_scipy(name: str, shapes: tuple[float, ...], loc: float):
    theirs, family = getattr(scipy.stats, name)(*shapes, loc=loc), getattr(stats, name)
    found = fn([Vec[11]], Vec[11])(lambda q: family.ppf(q, *shapes, loc=loc))(QS)
    np.testing.assert_array_equal(found, theirs.ppf(QS))


def test_a_quantile_is_the_least_number_that_reaches_a_probability():
    k = np.arange(1.0, 9.0)
    for name, shapes in CASES:
        family, n = getattr(stats, name), len(shapes)
        f = fn([Vec[8], Vec[n]], Vec[8])(lambda k, v, f=family, n=n: f.ppf(f.cdf(k, *[v[i] for i in range(n)]), *v))
        p = getattr(scipy.stats, name)(*shapes).cdf(k)
        np.testing.assert_array_equal(f(k, shapes)[(p > 0.0) & (p < 1.0)], k[(p > 0.0) & (p < 1.0)])


def test_a_quantile_moves_with_its_place_alone():
    f = fn([Real, Real], Real)(lambda q, m: stats.poisson.ppf(q, m, loc=m * m))
    assert rose.grad(f, (0, 1))(0.3, 4.0) == (0.0, 8.0)


@pytest.mark.parametrize(("name", "shapes"), [("bernoulli", (0.3,)), ("geom", (0.2,))])
def test_entropies_where_they_are_known(name: str, shapes: tuple[float, ...]):
    theirs, family = getattr(scipy.stats, name)(*shapes), getattr(stats, name)
    assert fn([Real], Real)(family.entropy)(*shapes) == pytest.approx(float(theirs.entropy()), rel=1e-12)


@pytest.mark.parametrize(("name", "shapes"), [x for x in CASES if 1.0 not in x[1] and 0.0 not in x[1]])
def test_the_logarithm_has_derivatives_in_the_parameters(name: str, shapes: tuple[float, ...]):
    point, n = np.array(shapes), len(shapes)
    f = fn([Vec[n]], Real)(lambda v: getattr(stats, name).logpmf(1.0, *[v[k] for k in range(n)]))
    numeric = [(f(point + d) - f(point - d)) / 2e-6 for d in 1e-6 * np.eye(n)]
    np.testing.assert_allclose(rose.grad(f)(point), numeric, rtol=1e-6)


def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(rose.RoseError, match=r"rose.stats.poisson has no entropy") as e:
        fn([Real], Real)(stats.poisson.entropy)(0.5)
    assert "there is cdf, logpmf, mean, sf, var" in str(e.value)

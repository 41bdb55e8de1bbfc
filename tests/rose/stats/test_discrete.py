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


@pytest.mark.parametrize(("name", "shapes"), [("bernoulli", (0.3,)), ("geom", (0.2,))])
def test_quantiles_and_entropies_where_they_are_known(name: str, shapes: tuple[float, ...]):
    qs, theirs, family = np.array([0.1, 0.3, 0.5, 0.9]), getattr(scipy.stats, name)(*shapes), getattr(stats, name)
    assert fn([Vec[4]], Vec[4])(lambda q: family.ppf(q, *shapes))(qs).tolist() == theirs.ppf(qs).tolist()
    assert fn([Real], Real)(family.entropy)(*shapes) == pytest.approx(float(theirs.entropy()), rel=1e-12)


@pytest.mark.parametrize(("name", "shapes"), [x for x in CASES if 1.0 not in x[1] and 0.0 not in x[1]])
def test_the_logarithm_has_derivatives_in_the_parameters(name: str, shapes: tuple[float, ...]):
    point, n = np.array(shapes), len(shapes)
    f = fn([Vec[n]], Real)(lambda v: getattr(stats, name).logpmf(1.0, *[v[k] for k in range(n)]))
    numeric = [(f(point + d) - f(point - d)) / 2e-6 for d in 1e-6 * np.eye(n)]
    np.testing.assert_allclose(rose.grad(f)(point), numeric, rtol=1e-6)


def test_what_is_not_known_is_refused_by_name():
    with pytest.raises(rose.RoseError, match=r"rose.stats.poisson has no ppf") as e:
        fn([Real], Real)(lambda q: stats.poisson.ppf(q, 2.0))(0.5)
    assert "there is cdf, logpmf, mean, sf, var" in str(e.value)

"""Distributions over vectors and matrices beside SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats
from matrices import derivatives_hold

import rose
from rose import Fin, Real, Vec, fn, stats

RANDOM = np.random.default_rng(0)
FACTOR = RANDOM.normal(size=(3, 3))
COV, MEAN, XS = FACTOR @ FACTOR.T + np.eye(3), RANDOM.normal(size=3), RANDOM.normal(size=(4, 3))
ALPHA = np.array([0.5, 2.0, 3.0])
SHARES = RANDOM.dirichlet(ALPHA, size=4)


def rows(f: Any, x: Any) -> Any:
    return fn([Vec[4, 3]], Vec[4])(f)(x)


def test_normal_vectors():
    theirs, ours = scipy.stats.multivariate_normal(MEAN, COV), stats.multivariate_normal
    np.testing.assert_allclose(rows(lambda x: ours.logpdf(x, MEAN, COV), XS), theirs.logpdf(XS), rtol=1e-12)
    np.testing.assert_allclose(rows(lambda x: ours.pdf(x, MEAN, COV), XS), theirs.pdf(XS), rtol=1e-12)
    assert fn([Vec[3]], Real)(lambda x: ours.logpdf(x, MEAN, COV))(XS[0]) == pytest.approx(theirs.logpdf(XS[0]))
    assert fn([Vec[3]], Real)(lambda m: ours.entropy(m, COV))(MEAN) == pytest.approx(theirs.entropy())
    derivatives_hold(lambda a: ours.logpdf(XS[0], MEAN, a @ a.T + np.eye(3)), FACTOR)


def test_samples_of_normal_vectors_have_their_mean_and_covariance():
    draw = fn([Vec[3]], Vec[20000, 3])(
        lambda m: stats.multivariate_normal.sample(rose.random.key(0), m, COV, shape=20000)
    )
    xs = draw(MEAN)
    np.testing.assert_allclose(xs.mean(0), MEAN, atol=0.05)
    np.testing.assert_allclose(np.cov(xs.T), COV, atol=0.15)


def test_student_s_vectors():
    theirs = scipy.stats.multivariate_t(MEAN, COV, 4.5)
    ours = rows(lambda x: stats.multivariate_t.logpdf(x, MEAN, COV, 4.5), XS)
    np.testing.assert_allclose(ours, theirs.logpdf(XS), rtol=1e-12)
    assert fn([Real], Vec[3])(lambda df: stats.multivariate_t.sample(rose.random.key(0), MEAN, COV, df))(4.0).shape == (
        3,
    )


def test_shares():
    theirs, ours = scipy.stats.dirichlet(ALPHA), stats.dirichlet
    expected = [theirs.logpdf(x) for x in SHARES]
    np.testing.assert_allclose(rows(lambda x: ours.logpdf(x, ALPHA), SHARES), expected, rtol=1e-12)
    for what in ("mean", "var"):
        found = fn([Vec[3]], Vec[3])(getattr(ours, what))(ALPHA)
        np.testing.assert_allclose(found, getattr(theirs, what)(), rtol=1e-13)
    assert fn([Vec[3]], Real)(ours.entropy)(ALPHA) == pytest.approx(theirs.entropy())
    shares = fn([Vec[3]], Vec[3])(lambda a: ours.sample(rose.random.key(5), a))(ALPHA)
    assert shares.sum() == pytest.approx(1.0) and (shares > 0).all()
    derivatives_hold(lambda a: ours.logpdf(SHARES[0], a), ALPHA)


def test_matrices():
    x = COV + np.eye(3)
    f = fn([Vec[3, 3]], Real)(lambda x: stats.wishart.logpdf(x, 5.5, COV))
    assert f(x) == pytest.approx(scipy.stats.wishart(5.5, COV).logpdf(x), rel=1e-12)
    assert fn([Real], Vec[3, 3])(lambda df: stats.wishart.mean(df, COV))(5.0).tolist() == (5.0 * COV).tolist()


def test_counts_and_indices():
    p = np.array([0.2, 0.3, 0.5])
    f = fn([Vec[3]], Real)(lambda x: stats.multinomial.logpmf(x, 6.0, p))
    assert f([1.0, 2.0, 3.0]) == pytest.approx(scipy.stats.multinomial(6, p).logpmf([1, 2, 3]), rel=1e-12)
    assert fn([Vec[3]], Vec[3])(lambda p: stats.multinomial.mean(6.0, p))(p).tolist() == (6.0 * p).tolist()
    g = fn([Fin[3], Vec[3]], Real)(stats.categorical.logpmf)
    assert g(2, p) == np.log(0.5) and rose.grad(g, 1)(2, p).tolist() == [0.0, 0.0, 2.0]
    assert fn([Vec[3]], Real)(stats.categorical.entropy)(p) == pytest.approx(scipy.stats.entropy(p))
    drawn = fn([Vec[3]], Fin[3])(lambda p: stats.categorical.sample(rose.random.key(0), p))
    assert drawn([0.0, 1.0, 0.0]) == 1

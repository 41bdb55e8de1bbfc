"""Statistics of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rose
from rose import Bool, Real, Vec, dim, fn


def test_conditions_are_counted():
    f = fn([Vec[2, 3, Bool]], Vec[2])(lambda c: np.count_nonzero(c, axis=1))
    assert f([[True, False, True], [False, False, False]]).tolist() == [2.0, 0.0]


def test_a_correlation_is_one_at_most():
    x = np.random.default_rng(0).normal(size=5)
    f = fn([Vec[5]], Vec[2, 2])(lambda x: np.corrcoef(x, 3.0 * x))
    assert np.array_equal(np.abs(f(x)) <= 1.0, np.full((2, 2), True))
    assert f(x) == pytest.approx(np.ones((2, 2)))


def test_covariances_of_samples_whose_number_a_call_decides():
    n = dim("n")
    f = rose.compile(fn([Vec[2, Vec[n]]], Vec[2, 2])(rose.cov), dynamic=True)
    for count in (2, 7):
        x = np.random.default_rng(count).normal(size=(2, count))
        np.testing.assert_allclose(f(x), np.cov(x), rtol=1e-14)


@pytest.mark.parametrize("named", [
    {"fweights": [2, 1, 3, 1]}, {"aweights": [0.5, 1.0, 2.0, 0.0]}, {"fweights": [2, 1, 3, 1], "ddof": 0},
    {"fweights": [2, 1, 3, 1], "aweights": [0.5, 1.0, 2.0, 0.1], "ddof": 2},
])  # fmt: skip
def test_covariances_with_weights_are_numpys(named: Any):
    x = np.random.default_rng(0).normal(size=(2, 4))
    of: Any = lambda x: np.cov(x, **named)
    np.testing.assert_allclose(fn([Vec[2, 4]], Vec[2, 2])(of)(x), of(x), rtol=1e-14)
    assert fn([Vec[4]], Real)(of)(x[0]) == pytest.approx(float(of(x[0])), rel=1e-14)


def test_weights_of_other_samples_are_an_error():
    with pytest.raises(rose.TypeMismatch, match="a weight for each of 4 samples, not"):
        _ = fn([Vec[2, 4], Vec[2]], Vec[2, 2])(lambda x, w: np.cov(x, aweights=w)).func


def test_quantiles_of_several_shares_are_stacked():
    x = np.random.default_rng(1).normal(size=(2, 5))
    f = fn([Vec[2, 5]], Vec[3, 2])(lambda x: rose.quantile(x, np.array([0.1, 0.5, 0.9]), 1))
    np.testing.assert_allclose(f(x), np.quantile(x, [0.1, 0.5, 0.9], 1), rtol=1e-15)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_with_more_degrees_of_freedom_than_samples_the_variance_is_infinite_or_nan(n: int):
    x = np.arange(1.0, n + 1.0)
    for ddof in range(6):
        for of in (np.var, np.std, np.cov):
            made: Any = lambda x, of=of, ddof=ddof: of(x, ddof=ddof)
            want = of(x, ddof=ddof)
            assert fn([Vec[n]], Real)(made)(x) == pytest.approx(want, nan_ok=True)
            assert rose.compile(fn([Vec[dim("n")]], Real)(made), dynamic=True)(x) == pytest.approx(want, nan_ok=True)

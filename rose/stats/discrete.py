# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownLambdaType=false
"""Distributions over whole numbers: see Johnson, Kemp and Kotz, Univariate discrete distributions (2005)."""

from __future__ import annotations

from typing import Any

from ..frontend.language.select import select
from ..ir import Value
from ..ir.ops import expm1, log, log1p
from ..ir.ops import lgamma as gammaln
from ..ir.special_ops import betainc, betaln, entr, gammainc, gammaincc, xlog1py, xlogy
from .family import Discrete


def _log_choose(n: Value, k: Value) -> Any:
    return -betaln(1.0 + k, 1.0 + n - k) - log(n + 1.0)


def _binomial(n: Value, p: Value) -> Any:
    return (n >= 0.0) & (p >= 0.0) & (p <= 1.0)


poisson = Discrete(
    "poisson", "mu", valid=lambda mu: mu >= 0.0,
    logpmf=lambda k, mu: xlogy(k, mu) - gammaln(k + 1.0) - mu,
    cdf=lambda k, mu: gammaincc(k + 1.0, mu), sf=lambda k, mu: gammainc(k + 1.0, mu),
    mean=lambda mu: mu, var=lambda mu: mu,
)  # fmt: skip
binom = Discrete(
    "binom", "n p", high=lambda n, p: n, valid=_binomial,
    logpmf=lambda k, n, p: _log_choose(n, k) + xlogy(k, p) + xlog1py(n - k, -p),
    cdf=lambda k, n, p: betainc(n - k, k + 1.0, 1.0 - p),
    sf=lambda k, n, p: betainc(k + 1.0, n - k, p),
    mean=lambda n, p: n * p, var=lambda n, p: n * p * (1.0 - p),
)  # fmt: skip
nbinom = Discrete(
    "nbinom", "n p", valid=lambda n, p: (n > 0.0) & (p > 0.0) & (p <= 1.0),
    logpmf=lambda k, n, p: gammaln(n + k) - gammaln(k + 1.0) - gammaln(n) + n * log(p) + xlog1py(k, -p),
    cdf=lambda k, n, p: betainc(n, k + 1.0, p), sf=lambda k, n, p: betainc(k + 1.0, n, 1.0 - p),
    mean=lambda n, p: n * (1.0 - p) / p, var=lambda n, p: n * (1.0 - p) / (p * p),
)  # fmt: skip
bernoulli = Discrete(
    "bernoulli", "p", high=1.0, valid=lambda p: (p >= 0.0) & (p <= 1.0),
    logpmf=lambda k, p: xlogy(k, p) + xlog1py(1.0 - k, -p),
    cdf=lambda k, p: 1.0 - p, sf=lambda k, p: p,
    mean=lambda p: p, var=lambda p: p * (1.0 - p), entropy=lambda p: entr(p) + entr(1.0 - p),
)  # fmt: skip
geom = Discrete(
    "geom", "p", low=1.0, valid=lambda p: (p > 0.0) & (p <= 1.0),
    logpmf=lambda k, p: xlog1py(k - 1.0, -p) + log(p),
    cdf=lambda k, p: -expm1(log1p(-p) * k), sf=lambda k, p: (1.0 - p) ** k, logsf=lambda k, p: k * log1p(-p),
    mean=lambda p: 1.0 / p, var=lambda p: (1.0 - p) / (p * p),
    entropy=lambda p: select(p == 1.0, 0.0, (entr(p) + entr(1.0 - p)) / p),
)  # fmt: skip

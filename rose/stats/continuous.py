# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownLambdaType=false
"""Distributions over numbers: see Johnson, Kotz and Balakrishnan, Continuous univariate distributions (1994, 1995)."""

from __future__ import annotations

import math
from typing import Any

from ..frontend.language import control
from ..frontend.language.select import select
from ..ir import Value
from ..ir.ops import (
    abs_,
    atan,
    atan2,
    cos,
    erf,
    erfc,
    exp,
    expm1,
    floor,
    log,
    log1p,
    pow_,
    sin,
    sqrt,
    tan,
)
from ..ir.ops import gamma as gamma_function
from ..ir.ops import lgamma as gammaln
from ..ir.ops import max_ as most
from ..ir.ops import min_ as least
from ..ir.ops import sigmoid as expit
from ..ir.special_ops import (
    betainc,
    betaincinv,
    betaln,
    digamma,
    erfcinv,
    erfinv,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    i0e,
    i1e,
    log_expit,
    log_ndtr,
    logit,
    ndtr,
    ndtri,
    xlog1py,
    xlogy,
)
from ..random import fold_in
from ..random import gamma as gamma_draws
from ..random import normal as normal_draws
from .family import Continuous

EULER = 0.5772156649015329  # Euler's constant
_LOG_2PI = math.log(2.0 * math.pi)
_ROOT_2 = math.sqrt(2.0)

norm = Continuous(
    "norm",
    logpdf=lambda z: -0.5 * z * z - 0.5 * _LOG_2PI,
    cdf=ndtr, sf=lambda z: ndtr(-z), logcdf=log_ndtr, logsf=lambda z: log_ndtr(-z),
    ppf=ndtri, isf=lambda q: -ndtri(q),
    mean=lambda: 0.0, var=lambda: 1.0, entropy=lambda: 0.5 * (1.0 + _LOG_2PI),
    draw=lambda key, size: normal_draws(key, size),
)  # fmt: skip
lognorm = Continuous(
    "lognorm", "s", low=0.0, valid=lambda s: s > 0.0,
    logpdf=lambda z, s: select(z == 0.0, -math.inf, -0.5 * (log(z) / s) ** 2 - log(s * z) - 0.5 * _LOG_2PI),
    cdf=lambda z, s: ndtr(log(z) / s), sf=lambda z, s: ndtr(-log(z) / s),
    logcdf=lambda z, s: log_ndtr(log(z) / s), logsf=lambda z, s: log_ndtr(-log(z) / s),
    ppf=lambda q, s: exp(s * ndtri(q)), isf=lambda q, s: exp(-s * ndtri(q)),
    mean=lambda s: exp(0.5 * s * s), var=lambda s: expm1(s * s) * exp(s * s),
    entropy=lambda s: 0.5 * (1.0 + _LOG_2PI) + log(s),
    draw=lambda key, size, s: exp(s * normal_draws(key, size)),
)  # fmt: skip
gamma = Continuous(
    "gamma", "a", low=0.0, valid=lambda a: a > 0.0,
    logpdf=lambda z, a: xlogy(a - 1.0, z) - z - gammaln(a),
    cdf=lambda z, a: gammainc(a, z), sf=lambda z, a: gammaincc(a, z),
    ppf=lambda q, a: gammaincinv(a, q), isf=lambda q, a: gammainccinv(a, q),
    mean=lambda a: a, var=lambda a: a, entropy=lambda a: a + gammaln(a) + (1.0 - a) * digamma(a),
    draw=lambda key, size, a: gamma_draws(key, a, size),
)  # fmt: skip
invgamma = Continuous(
    "invgamma", "a", low=0.0, valid=lambda a: a > 0.0,
    logpdf=lambda z, a: select(z == 0.0, -math.inf, -(a + 1.0) * log(z) - gammaln(a) - 1.0 / z),
    cdf=lambda z, a: gammaincc(a, 1.0 / z), sf=lambda z, a: gammainc(a, 1.0 / z),
    ppf=lambda q, a: 1.0 / gammainccinv(a, q), isf=lambda q, a: 1.0 / gammaincinv(a, q),
    mean=lambda a: select(a > 1.0, 1.0 / (a - 1.0), math.inf),
    var=lambda a: select(a > 2.0, 1.0 / ((a - 1.0) ** 2 * (a - 2.0)), math.inf),
    entropy=lambda a: a + gammaln(a) - (1.0 + a) * digamma(a),
    draw=lambda key, size, a: 1.0 / gamma_draws(key, a, size),
)  # fmt: skip
beta = Continuous(
    "beta", "a b", low=0.0, high=1.0, valid=lambda a, b: (a > 0.0) & (b > 0.0),
    logpdf=lambda z, a, b: xlog1py(b - 1.0, -z) + xlogy(a - 1.0, z) - betaln(a, b),
    cdf=lambda z, a, b: betainc(a, b, z), sf=lambda z, a, b: betainc(b, a, 1.0 - z),
    ppf=lambda q, a, b: betaincinv(a, b, q),
    isf=lambda q, a, b: 1.0 - betaincinv(b, a, q),
    mean=lambda a, b: a / (a + b), var=lambda a, b: a * b / ((a + b) ** 2 * (a + b + 1.0)),
    entropy=lambda a, b: betaln(a, b) - (a - 1.0) * digamma(a) - (b - 1.0) * digamma(b)
    + (a + b - 2.0) * digamma(a + b),
    draw=lambda key, size, a, b: _share(gamma_draws(key, a, size), gamma_draws(fold_in(key, 1), b, size)),
)  # fmt: skip


def _share(x: Value, y: Value) -> Any:
    return x / (x + y)


def _t_tail(z: Value, df: Value) -> Any:
    """The probability below -abs(z)."""
    middle = 0.5 - 0.5 * betainc(0.5, 0.5 * df, z * z / (df + z * z))
    return select(z * z < df, middle, 0.5 * betainc(0.5 * df, 0.5, df / (df + z * z)))


def _t_rest(z: Value, df: Value) -> Any:
    """The probability above -abs(z)."""
    middle = 0.5 + 0.5 * betainc(0.5, 0.5 * df, z * z / (df + z * z))
    return select(z * z < df, middle, 1.0 - 0.5 * betainc(0.5 * df, 0.5, df / (df + z * z)))


def _cauchy_quantile(q: Value) -> Any:
    middle = tan(math.pi * (q - 0.5))
    return select(q < 0.25, -1.0 / tan(math.pi * q), select(q > 0.75, 1.0 / tan(math.pi * (1.0 - q)), middle))


def _half_quantile(q: Value, rest: Value) -> Any:
    return select(q > 0.5, 1.0 / tan(0.5 * math.pi * rest), tan(0.5 * math.pi * q))


def _t_quantile(q: Value, df: Value) -> Any:
    tail = 2.0 * least(q, 1.0 - q)
    x, y = betaincinv(0.5 * df, 0.5, tail), betaincinv(0.5, 0.5 * df, 1.0 - tail)
    size = select(tail < 0.5, sqrt(df * (1.0 - x) / x), sqrt(df * y / (1.0 - y)))
    return select(q < 0.5, -size, size)


t = Continuous(
    "t", "df", valid=lambda df: df > 0.0,
    logpdf=lambda z, df: -betaln(0.5 * df, 0.5) - 0.5 * log(df) - 0.5 * (df + 1.0) * log1p(z * z / df),
    cdf=lambda z, df: select(z < 0.0, _t_tail(z, df), _t_rest(z, df)),
    sf=lambda z, df: select(z > 0.0, _t_tail(z, df), _t_rest(z, df)),
    ppf=_t_quantile, isf=lambda q, df: -_t_quantile(q, df),
    mean=lambda df: select(df > 1.0, 0.0, math.inf),
    var=lambda df: select(df > 2.0, df / (df - 2.0), select(df > 1.0, math.inf, math.nan)),
    entropy=lambda df: 0.5 * (df + 1.0) * (digamma(0.5 * (df + 1.0)) - digamma(0.5 * df))
    + 0.5 * log(df) + betaln(0.5 * df, 0.5),
    draw=lambda key, size, df: normal_draws(key, size) / sqrt(gamma_draws(fold_in(key, 1), 0.5 * df, size) * 2.0 / df),
)  # fmt: skip
cauchy = Continuous(
    "cauchy",
    logpdf=lambda z: -math.log(math.pi) - log1p(z * z),
    cdf=lambda z: atan2(1.0, -z) / math.pi, sf=lambda z: atan2(1.0, z) / math.pi,
    ppf=_cauchy_quantile, isf=lambda q: -_cauchy_quantile(q),
    mean=lambda: math.nan, var=lambda: math.nan, entropy=lambda: math.log(4.0 * math.pi),
)  # fmt: skip
laplace = Continuous(
    "laplace",
    logpdf=lambda z: -math.log(2.0) - abs_(z),
    cdf=lambda z: select(z < 0.0, 0.5 * exp(z), 1.0 - 0.5 * exp(-z)),
    sf=lambda z: select(z > 0.0, 0.5 * exp(-z), 1.0 - 0.5 * exp(z)),
    logcdf=lambda z: select(z < 0.0, z - math.log(2.0), log1p(-0.5 * exp(-z))),
    logsf=lambda z: select(z > 0.0, -z - math.log(2.0), log1p(-0.5 * exp(z))),
    ppf=lambda q: select(q < 0.5, log(2.0 * q), -log(2.0 * (1.0 - q))),
    isf=lambda q: select(q < 0.5, -log(2.0 * q), log(2.0 * (1.0 - q))),
    mean=lambda: 0.0, var=lambda: 2.0, entropy=lambda: 1.0 + math.log(2.0),
)  # fmt: skip
logistic = Continuous(
    "logistic",
    logpdf=lambda z: -abs_(z) - 2.0 * log1p(exp(-abs_(z))),
    cdf=expit, sf=lambda z: expit(-z), logcdf=log_expit, logsf=lambda z: log_expit(-z),
    ppf=logit, isf=lambda q: -logit(q),
    mean=lambda: 0.0, var=lambda: math.pi**2 / 3.0, entropy=lambda: 2.0,
)  # fmt: skip
expon = Continuous(
    "expon", low=0.0,
    logpdf=lambda z: -z, cdf=lambda z: -expm1(-z), sf=lambda z: exp(-z), logsf=lambda z: -z,
    ppf=lambda q: -log1p(-q), isf=lambda q: -log(q),
    mean=lambda: 1.0, var=lambda: 1.0, entropy=lambda: 1.0,
)  # fmt: skip
weibull_min = Continuous(
    "weibull_min", "c", low=0.0, valid=lambda c: c > 0.0,
    logpdf=lambda z, c: log(c) + xlogy(c - 1.0, z) - pow_(z, c),
    cdf=lambda z, c: -expm1(-pow_(z, c)), sf=lambda z, c: exp(-pow_(z, c)), logsf=lambda z, c: -pow_(z, c),
    ppf=lambda q, c: pow_(-log1p(-q), 1.0 / c), isf=lambda q, c: pow_(-log(q), 1.0 / c),
    mean=lambda c: gamma_function(1.0 + 1.0 / c),
    var=lambda c: gamma_function(1.0 + 2.0 / c) - gamma_function(1.0 + 1.0 / c) ** 2,
    entropy=lambda c: EULER * (1.0 - 1.0 / c) - log(c) + 1.0,
)  # fmt: skip
pareto = Continuous(
    "pareto", "b", low=1.0, valid=lambda b: b > 0.0,
    logpdf=lambda z, b: log(b) - (b + 1.0) * log(z),
    cdf=lambda z, b: -expm1(-b * log(z)), sf=lambda z, b: exp(-b * log(z)), logsf=lambda z, b: -b * log(z),
    ppf=lambda q, b: exp(-log1p(-q) / b), isf=lambda q, b: exp(-log(q) / b),
    mean=lambda b: select(b > 1.0, b / (b - 1.0), math.inf),
    var=lambda b: select(b > 2.0, b / ((b - 1.0) ** 2 * (b - 2.0)), math.inf),
    entropy=lambda b: 1.0 + 1.0 / b - log(b),
)  # fmt: skip
uniform = Continuous(
    "uniform", low=0.0, high=1.0,
    logpdf=lambda z: 0.0 * z, cdf=lambda z: z, sf=lambda z: 1.0 - z, ppf=lambda q: q, isf=lambda q: 1.0 - q,
    mean=lambda: 0.5, var=lambda: 1.0 / 12.0, entropy=lambda: 0.0,
)  # fmt: skip
chi2 = Continuous(
    "chi2", "df", low=0.0, valid=lambda df: df > 0.0,
    logpdf=lambda z, df: xlogy(0.5 * df - 1.0, z) - 0.5 * z - gammaln(0.5 * df) - 0.5 * math.log(2.0) * df,
    cdf=lambda z, df: gammainc(0.5 * df, 0.5 * z), sf=lambda z, df: gammaincc(0.5 * df, 0.5 * z),
    ppf=lambda q, df: 2.0 * gammaincinv(0.5 * df, q), isf=lambda q, df: 2.0 * gammainccinv(0.5 * df, q),
    mean=lambda df: df, var=lambda df: 2.0 * df,
    entropy=lambda df: 0.5 * df + math.log(2.0) + gammaln(0.5 * df) + (1.0 - 0.5 * df) * digamma(0.5 * df),
    draw=lambda key, size, df: 2.0 * gamma_draws(key, 0.5 * df, size),
)  # fmt: skip
f = Continuous(
    "f", "dfn dfd", low=0.0, valid=lambda n, m: (n > 0.0) & (m > 0.0),
    logpdf=lambda z, n, m: 0.5 * m * log(m) + 0.5 * n * log(n) + xlogy(0.5 * n - 1.0, z)
    - 0.5 * (n + m) * log(m + n * z) - betaln(0.5 * n, 0.5 * m),
    cdf=lambda z, n, m: betainc(0.5 * n, 0.5 * m, n * z / (m + n * z)),
    sf=lambda z, n, m: betainc(0.5 * m, 0.5 * n, m / (m + n * z)),
    ppf=lambda q, n, m: _f_quantile(betaincinv(0.5 * n, 0.5 * m, q), n, m),
    isf=lambda q, n, m: m / (n * _f_quantile(betaincinv(0.5 * m, 0.5 * n, q), 1.0, 1.0)),
    mean=lambda n, m: select(m > 2.0, m / (m - 2.0), math.inf),
    var=lambda n, m: select(
        m > 4.0, 2.0 * m * m * (n + m - 2.0) / (n * (m - 2.0) ** 2 * (m - 4.0)), math.inf
    ),
    entropy=lambda n, m: (1.0 - 0.5 * n) * digamma(0.5 * n) - (1.0 + 0.5 * m) * digamma(0.5 * m)
    + 0.5 * (n + m) * digamma(0.5 * (n + m)) + betaln(0.5 * n, 0.5 * m) + log(m) - log(n),
    draw=lambda key, size, n, m: gamma_draws(key, 0.5 * n, size) / n
    / (gamma_draws(fold_in(key, 1), 0.5 * m, size) / m),
)  # fmt: skip


def _f_quantile(y: Value, n: Value | float, m: Value | float) -> Any:
    return m * y / (n * (1.0 - y))


gumbel_r = Continuous(
    "gumbel_r",
    logpdf=lambda z: -z - exp(-z),
    cdf=lambda z: exp(-exp(-z)), sf=lambda z: -expm1(-exp(-z)), logcdf=lambda z: -exp(-z),
    ppf=lambda q: -log(-log(q)), isf=lambda q: -log(-log1p(-q)),
    mean=lambda: EULER, var=lambda: math.pi**2 / 6.0, entropy=lambda: EULER + 1.0,
)  # fmt: skip
halfnorm = Continuous(
    "halfnorm", low=0.0,
    logpdf=lambda z: 0.5 * math.log(2.0 / math.pi) - 0.5 * z * z,
    cdf=lambda z: erf(z / _ROOT_2), sf=lambda z: erfc(z / _ROOT_2),
    ppf=lambda q: _ROOT_2 * erfinv(q), isf=lambda q: _ROOT_2 * erfcinv(q),
    mean=lambda: math.sqrt(2.0 / math.pi), var=lambda: 1.0 - 2.0 / math.pi,
    entropy=lambda: 0.5 * math.log(0.5 * math.pi) + 0.5,
)  # fmt: skip
halfcauchy = Continuous(
    "halfcauchy", low=0.0,
    logpdf=lambda z: math.log(2.0 / math.pi) - log1p(z * z),
    cdf=lambda z: 2.0 / math.pi * atan(z), sf=lambda z: 2.0 / math.pi * atan2(1.0, z),
    ppf=lambda q: _half_quantile(q, 1.0 - q), isf=lambda q: _half_quantile(1.0 - q, q),
    mean=lambda: math.inf, var=lambda: math.inf, entropy=lambda: math.log(2.0 * math.pi),
)  # fmt: skip
vonmises = Continuous(  # at all angles, as SciPy's density is; its cdf counts turns, as SciPy's does
    "vonmises", "kappa", valid=lambda kappa: kappa >= 0.0,
    logpdf=lambda z, kappa: kappa * (cos(z) - 1.0) - _LOG_2PI - log(i0e(kappa)),
    cdf=lambda z, kappa: _von_mises(z, kappa), sf=lambda z, kappa: 1.0 - _von_mises(z, kappa),
    mean=lambda kappa: 0.0 * kappa,
    entropy=lambda kappa: kappa * (1.0 - i1e(kappa) / i0e(kappa)) + _LOG_2PI + log(i0e(kappa)),
)  # fmt: skip


def _von_mises(z: Value, kappa: Value) -> Any:
    """The probability up to an angle, and 1 for each turn, to some 1e-12.

    Up to a concentration by Fourier's series, backwards, and beyond by a function of a normal number: Hill, Algorithm
    518, Incomplete Bessel function (1977).
    """
    turns = floor(z / (2.0 * math.pi) + 0.5)
    x = z - 2.0 * math.pi * turns
    is_wide = kappa <= _WIDE
    k = select(is_wide, kappa, _WIDE)

    def step(i: Value, state: tuple[Value, Value]) -> Any:
        n = _TERMS - (i + 0.0)
        ratio = k / (2.0 * n + k * state[0])
        return ratio, ratio * (sin(n * x) / n + state[1])

    series = 0.5 + x / (2.0 * math.pi) + control.scan(step, (0.0, 0.0), int(_TERMS))[1] / math.pi
    c = 24.0 * select(is_wide, _WIDE, kappa)
    v = c - 56.0
    y = sin(0.5 * x) * sqrt((54.0 / (347.0 / v + 26.0 - c) - 6.0 + c) / 12.0)
    s = 2.0 * y * y
    by = ((s + 1.75) * s + 83.5) / (v - s + 3.0) - (c - 2.0 * s - 16.0) / 3.0
    return turns + select(is_wide, series, 0.5 * erf(y - s / (by * by) * y) + 0.5)


_TERMS, _WIDE = 96.0, 120.0  # of the series, and up to which concentration they are enough


def _log_between(a: Value, b: Value) -> Any:
    """The logarithm of the normal probability between `a` and `b`, from the tail in which they lie."""
    right, left = a > 0.0, b < 0.0
    more = log_ndtr(select(right, -a, b))
    less = log_ndtr(select(right, -b, a))
    return select(right | left, more + log1p(-exp(less - more)), log1p(-ndtr(a) - ndtr(-b)))


def _truncated_quantile(q: Value, a: Value, b: Value) -> Any:
    low, high = ndtr(a), ndtr(b)
    from_left, from_right = ndtri(low + q * (high - low)), -ndtri(ndtr(-a) - q * (ndtr(-a) - ndtr(-b)))
    return least(most(select(a > 0.0, from_right, from_left), a), b)


def _truncated_mean(a: Value, b: Value) -> Any:
    return exp(-0.5 * a * a - 0.5 * _LOG_2PI - _log_between(a, b)) - exp(
        -0.5 * b * b - 0.5 * _LOG_2PI - _log_between(a, b)
    )


def _truncated_edges(a: Value, b: Value) -> Any:
    """`a` times the density there, less `b` times that there."""
    pa = exp(-0.5 * a * a - 0.5 * _LOG_2PI - _log_between(a, b))
    pb = exp(-0.5 * b * b - 0.5 * _LOG_2PI - _log_between(a, b))
    return select(abs_(a) == math.inf, 0.0, a * pa) - select(abs_(b) == math.inf, 0.0, b * pb)


def _truncated_var(a: Value, b: Value) -> Any:
    return 1.0 + _truncated_edges(a, b) - _truncated_mean(a, b) ** 2


truncnorm = Continuous(
    "truncnorm", "a b", low=lambda a, b: a, high=lambda a, b: b, valid=lambda a, b: a < b,
    logpdf=lambda z, a, b: -0.5 * z * z - 0.5 * _LOG_2PI - _log_between(a, b),
    cdf=lambda z, a, b: exp(_log_between(a, z) - _log_between(a, b)),
    sf=lambda z, a, b: exp(_log_between(z, b) - _log_between(a, b)),
    logcdf=lambda z, a, b: _log_between(a, z) - _log_between(a, b),
    logsf=lambda z, a, b: _log_between(z, b) - _log_between(a, b),
    ppf=_truncated_quantile, mean=_truncated_mean, var=_truncated_var,
    entropy=lambda a, b: 0.5 * (1.0 + _LOG_2PI) + _log_between(a, b) + 0.5 * _truncated_edges(a, b),
)  # fmt: skip

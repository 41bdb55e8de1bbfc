# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Distributions over vectors and matrices: see Kotz, Balakrishnan and Johnson, Continuous multivariate ones (2000)."""

from __future__ import annotations

import math
from typing import Any

from ..errors import TypeMismatch, here
from ..frontend.arrays.elementwise import array_function
from ..frontend.arrays.products import matmul
from ..frontend.arrays.reductions import trace
from ..frontend.arrays.shapes import ShapeLike, as_array, shape_given, shape_of
from ..frontend.arrays.shaping import diagonal, swapaxes
from ..frontend.language.loops import sum as total
from ..frontend.typed import Operand
from ..ir import Value, a_traced
from ..ir.ops import exp, log, log1p, sqrt
from ..ir.ops import lgamma as gammaln
from ..ir.special_ops import digamma, entr, xlogy
from ..linalg import cholesky, solve_triangular
from ..random import categorical as index_drawn
from ..random import gamma, normal
from ..random.keys import Key
from ..special import multigammaln
from .continuous import gamma as gamma_family

_LOG_2PI = math.log(2.0 * math.pi)


class MultivariateNormal:
    """Normal distributions of vectors, `N(mean, cov)`. Of the covariance only the lower half is read."""

    @staticmethod
    @array_function
    def logpdf(x: Operand, mean: Operand, cov: Operand) -> Any:
        """The logarithm of the density at a vector, or at each row of an array."""
        factor = _factor(cov)
        z = _whitened(factor, as_array(x) - mean)
        d = shape_of(factor.type)[-1]
        return -0.5 * total(z * z, -1) - total(log(diagonal(factor))) - 0.5 * _LOG_2PI * d

    @staticmethod
    @array_function
    def pdf(x: Operand, mean: Operand, cov: Operand) -> Any:
        """The density."""
        return exp(MultivariateNormal.logpdf(x, mean, cov))

    @staticmethod
    @array_function
    def entropy(mean: Operand, cov: Operand) -> Any:
        """The differential entropy."""
        factor = _factor(cov)
        return total(log(diagonal(factor))) + 0.5 * (1.0 + _LOG_2PI) * shape_of(factor.type)[-1]

    @staticmethod
    @array_function
    def sample(key: Key, mean: Operand, cov: Operand, shape: ShapeLike = ()) -> Any:
        """Vectors drawn by a key; they have derivatives by the mean and the covariance."""
        factor = _factor(cov)
        z = normal(key, (*shape_given(shape, "rose.stats.multivariate_normal.sample"), shape_of(factor.type)[-1]))
        return matmul(z, swapaxes(factor, -1, -2)) + mean


class MultivariateT:
    """Student's distributions of vectors, with a location, a shape (a positive definite matrix) and `df`."""

    @staticmethod
    @array_function
    def logpdf(x: Operand, loc: Operand, shape: Operand, df: Operand) -> Any:
        """The logarithm of the density at a vector, or at each row of an array."""
        factor, df = _factor(shape), as_array(df)
        z = _whitened(factor, as_array(x) - loc)
        d = shape_of(factor.type)[-1]
        scaled = total(z * z, -1) / df
        constant = gammaln(0.5 * (df + d)) - gammaln(0.5 * df) - 0.5 * d * log(df * math.pi)
        return constant - total(log(diagonal(factor))) - 0.5 * (df + d) * log1p(scaled)

    @staticmethod
    @array_function
    def pdf(x: Operand, loc: Operand, shape: Operand, df: Operand) -> Any:
        """The density."""
        return exp(MultivariateT.logpdf(x, loc, shape, df))

    @staticmethod
    @array_function
    def sample(key: Key, loc: Operand, shape: Operand, df: Operand) -> Any:
        """A vector drawn by a key."""
        z, df = MultivariateNormal.sample(key, 0.0, shape), as_array(df)
        return loc + z / sqrt(gamma(key, 0.5 * df) * 2.0 / df)


def _factor(a: Operand) -> Value:
    """The Cholesky factor of a positive definite matrix."""
    return as_array(cholesky(as_array(a)))


def _whitened(factor: Value, x: Operand) -> Any:
    """The rows `x`, each solved by the factor of a covariance."""
    v = as_array(x)
    if len(shape_of(v.type)) == 1:
        return solve_triangular(factor, v, lower=True)
    return swapaxes(solve_triangular(factor, swapaxes(v, -1, -2), lower=True), -1, -2)


class Dirichlet:
    """Distributions of vectors of shares, with a concentration above 0 for each."""

    @staticmethod
    @array_function
    def logpdf(x: Operand, alpha: Operand) -> Any:
        """The logarithm of the density at a vector of shares, whose sum is 1, or at each row of an array."""
        a = as_array(alpha)
        return gammaln(total(a)) - total(gammaln(a)) + total(xlogy(a - 1.0, x), -1)

    @staticmethod
    @array_function
    def pdf(x: Operand, alpha: Operand) -> Any:
        """The density."""
        return exp(Dirichlet.logpdf(x, alpha))

    @staticmethod
    @array_function
    def mean(alpha: Operand) -> Any:
        """The mean of each share."""
        a = as_array(alpha)
        return a / total(a)

    @staticmethod
    @array_function
    def var(alpha: Operand) -> Any:
        """The variance of each share."""
        a = as_array(alpha)
        s = total(a)
        return a * (s - a) / (s * s * (s + 1.0))

    @staticmethod
    @array_function
    def entropy(alpha: Operand) -> Any:
        """The differential entropy."""
        a = as_array(alpha)
        s, k = total(a), shape_of(a.type)[-1]
        return total(gammaln(a)) - gammaln(s) + (s - k) * digamma(s) - total((a - 1.0) * digamma(a))

    @staticmethod
    @array_function
    def sample(key: Key, alpha: Operand) -> Any:
        """A vector of shares drawn by a key; it has derivatives by `alpha`."""
        g = gamma_family.sample(key, alpha)
        return g / total(g)


class Wishart:
    """Distributions of positive definite matrices, with `df` and a scale matrix."""

    @staticmethod
    @array_function
    def logpdf(x: Operand, df: Operand, scale: Operand) -> Any:
        """The logarithm of the density at a matrix."""
        of_scale, of_x, df = _factor(scale), _factor(x), as_array(df)
        d = shape_of(of_scale.type)[-1]
        inner = solve_triangular(of_scale, of_x, lower=True)
        log_x, log_scale = 2.0 * total(log(diagonal(of_x))), 2.0 * total(log(diagonal(of_scale)))
        spread = trace(matmul(inner, swapaxes(inner, -1, -2)))
        return (
            0.5 * (df - d - 1.0) * log_x - 0.5 * spread - 0.5 * df * d * math.log(2.0)
            - 0.5 * df * log_scale - multigammaln(0.5 * df, _known(d, "wishart"))
        )  # fmt: skip

    @staticmethod
    @array_function
    def pdf(x: Operand, df: Operand, scale: Operand) -> Any:
        """The density."""
        return exp(Wishart.logpdf(x, df, scale))

    @staticmethod
    @array_function
    def mean(df: Operand, scale: Operand) -> Any:
        """The mean, `df * scale`."""
        return df * as_array(scale)


def _known(d: object, name: str) -> int:
    if isinstance(d, int):
        return d
    what = f"rose.stats.{name} of matrices of any size"
    raise TypeMismatch(what, here(), "give the size: its density has as many gamma functions")


class Multinomial:
    """Distributions of counts: of `n` trials, each with a result of probability `p[i]`."""

    @staticmethod
    @array_function
    def logpmf(x: Operand, n: Operand, p: Operand) -> Any:
        """The logarithm of the probability of counts, whose sum is `n`, or of each row of an array."""
        v, n = as_array(x), as_array(n)
        return gammaln(n + 1.0) - total(gammaln(v + 1.0), -1) + total(xlogy(v, p), -1)

    @staticmethod
    @array_function
    def pmf(x: Operand, n: Operand, p: Operand) -> Any:
        """The probability."""
        return exp(Multinomial.logpmf(x, n, p))

    @staticmethod
    @array_function
    def mean(n: Operand, p: Operand) -> Any:
        """The mean of each count."""
        return n * as_array(p)


class Categorical:
    """Distributions of an index, each with a probability. SciPy has them as `multinomial` of one trial."""

    @staticmethod
    @array_function
    def logpmf(k: Operand, p: Operand) -> Any:
        """The logarithm of the probability of an index, or of each of an array of them."""
        return log(_probability(k, p))

    @staticmethod
    @array_function
    def pmf(k: Operand, p: Operand) -> Any:
        """The probability."""
        return _probability(k, p)

    @staticmethod
    @array_function
    def entropy(p: Operand) -> Any:
        """The entropy, in units of e."""
        return total(entr(as_array(p)))

    @staticmethod
    @array_function
    def sample(key: Key, p: Operand) -> Any:
        """An index drawn by a key."""
        return index_drawn(key, log(as_array(p)))


def _probability(k: Operand, p: Operand) -> Any:
    v = as_array(p)
    if len(shape_of(v.type)) != 1:
        what = f"rose.stats.categorical takes a vector of probabilities, not {a_traced(v)}"
        raise TypeMismatch(what, here(), "give one for each index")
    return v[k]


multivariate_normal, multivariate_t, dirichlet = MultivariateNormal(), MultivariateT(), Dirichlet()
wishart, multinomial, categorical = Wishart(), Multinomial(), Categorical()

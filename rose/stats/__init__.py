"""Probability distributions by the names and the parameters of SciPy, with derivatives in all of these.

`norm.logpdf(x, loc=0.0, scale=1.0)` is a function of arrays, which are broadcast, in an `@fn` function. A distribution
over numbers has `pdf`, `logpdf`, `cdf`, `logcdf`, `sf`, `logsf`, `ppf`, `isf`, `mean`, `var`, `std`, `entropy` and
`sample(key, …)`, as far as they are known in closed form; one over whole numbers has `pmf` and `logpmf`. Where the
parameters are none of the distribution, all of them are nan.

    family          what distributions share: `loc`, `scale`, the support
    continuous      those over numbers
    discrete        those over whole numbers
    multivariate    those over vectors and matrices
"""

from typing import TYPE_CHECKING

from ..errors.advice import listed, missing
from .continuous import (
    beta,
    cauchy,
    chi2,
    expon,
    f,
    gamma,
    gumbel_r,
    halfcauchy,
    halfnorm,
    invgamma,
    laplace,
    logistic,
    lognorm,
    norm,
    pareto,
    t,
    truncnorm,
    uniform,
    vonmises,
    weibull_min,
)
from .discrete import bernoulli, binom, geom, nbinom, poisson
from .multivariate import categorical, dirichlet, multinomial, multivariate_normal, multivariate_t, wishart

__all__ = [
    "bernoulli", "beta", "binom", "categorical", "cauchy", "chi2", "dirichlet", "expon", "f", "gamma", "geom",
    "gumbel_r", "halfcauchy", "halfnorm", "invgamma", "laplace", "logistic", "lognorm", "multinomial",
    "multivariate_normal", "multivariate_t", "nbinom", "norm", "pareto", "poisson", "t", "truncnorm", "uniform",
    "vonmises", "weibull_min", "wishart",
]  # fmt: skip

if not TYPE_CHECKING:  # to a checker, what is not there is an error
    __getattr__, __dir__ = missing(__name__), listed(__name__)

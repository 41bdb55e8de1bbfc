"""Regression of rates, which are distributed as beta, by their mean and a precision.

After Ferrari and Cribari-Neto (2004), "Beta regression for modelling rates and proportions": the logit of the mean is
linear. The derivatives of the likelihood have digamma, those of the derivatives trigamma.
"""

import numpy as np
from scipy.special import expit, gammaln

import rose
from rose import Real, Vec, fn

n = 20


@fn
def log_likelihood(v: Vec[3], x: Vec[n, 2], y: Vec[n]) -> Real:
    """Of two coefficients and the logarithm of the precision."""
    mu, phi = expit(x @ v[:2]), np.exp(v[2])
    p, q = mu * phi, (1 - mu) * phi
    return np.sum(gammaln(phi) - gammaln(p) - gammaln(q) + (p - 1) * np.log(y) + (q - 1) * np.log(1 - y))


def fitted(x: Vec[n, 2], y: Vec[n]) -> tuple[Vec[3], Vec[3]]:
    """The likeliest parameters, by Newton's method, and their standard errors."""
    slope, bend = rose.grad(log_likelihood), rose.hessian(log_likelihood)
    v = np.append(np.linalg.lstsq(x, np.log(y / (1 - y)))[0], 1.0)
    for _ in range(20):
        v = v - np.linalg.solve(bend(v, x, y), slope(v, x, y))
    return v, np.sqrt(np.diag(np.linalg.inv(-bend(v, x, y))))


rng = np.random.RandomState(0)
x = np.stack([np.ones(n), np.linspace(-1, 1, n)], 1)
mean = expit(x @ np.array([-0.5, 1.5]))
y = rng.beta(10 * mean, 10 * (1 - mean))

if __name__ == "__main__":
    found, errors = fitted(x, y)
    print("parameters:", found.round(6), "with errors:", errors.round(6))

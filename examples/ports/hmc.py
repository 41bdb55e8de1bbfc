"""Bayesian logistic regression by Hamiltonian Monte Carlo: leapfrog steps along the gradient of a log posterior.

The model is that of NumPyro's example `covtype`. Random numbers are drawn outside, so that a run can be repeated.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

n, m = 60, 3  # observations, and coefficients


@fn
def log_posterior(w: Vec[m], x: Vec[n, m], y: Vec[n]) -> Real:
    z = x @ w
    return y @ z - np.log1p(np.exp(z)) @ np.ones(n) - w @ w / 2


@fn
def leapt(w: Vec[m], p: Vec[m], x: Vec[n, m], y: Vec[n], step: Real) -> tuple[Vec[m], Vec[m]]:
    """Where a walk of 20 steps ends, and with which momentum."""
    slope = rose.grad(log_posterior)

    def leap(_: int, state: tuple[Vec[m], Vec[m]]) -> tuple[Vec[m], Vec[m]]:
        w, p = state
        half = p + step / 2 * slope(w, x, y)
        there = w + step * half
        return there, half + step / 2 * slope(there, x, y)

    end: tuple[Vec[m], Vec[m]] = rose.scan(leap, (w, p), 20)
    return end


@fn
def walk(w: Vec[m], p: Vec[m], u: Real, x: Vec[n, m], y: Vec[n], step: Real) -> Vec[m]:
    """The next sample: the end of the walk if it is likely enough, else the start."""
    there, q = leapt(w, p, x, y, step)
    gain = log_posterior(there, x, y) - q @ q / 2 - log_posterior(w, x, y) + p @ p / 2
    return np.where(np.log(u) < gain, there, w)


rng = np.random.RandomState(0)
x = rng.randn(n, m)
y = (rng.rand(n) < 1 / (1 + np.exp(-(x @ np.array([1.0, -2.0, 0.5]))))).astype(float)
momenta, chances = rng.randn(200, m), rng.rand(200)


def samples() -> list[Vec[m]]:
    walked: list[Vec[m]] = [np.zeros(m)]
    for p, u in zip(momenta, chances, strict=True):
        walked.append(walk(walked[-1], p, u, x, y, 0.1))
    return walked[1:]


if __name__ == "__main__":
    print("means:", np.mean(samples()[50:], 0).round(4))

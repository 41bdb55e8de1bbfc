"""Regression by a Gaussian process: its likelihood, the slope by its parameters, and what it predicts.

After autograd's example `gaussian_process`.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

n, m = 20, 7  # points, and places where the process is asked for


@rose.struct
class Kernel:
    """The logarithms of a scale of heights, of lengths, and of noise."""

    height: Real
    length: Real
    noise: Real


def covariance(k: Kernel, a: Vec[n], b: Vec[m]) -> Vec[n, m]:
    far = (a[:, None] - b) / np.exp(k.length)
    return np.exp(2 * k.height) * np.exp(-0.5 * far**2)


@fn
def log_likelihood(k: Kernel, x: Vec[n], y: Vec[n]) -> Real:
    lower = rose.lib.cholesky(covariance(k, x, x) + np.exp(2 * k.noise) * np.eye(n))
    weights = rose.lib.cholesky_solve(covariance(k, x, x) + np.exp(2 * k.noise) * np.eye(n), y)
    det = rose.sum(np.log(lower[i, i]) for i in rose.range(n))
    return -0.5 * (y @ weights) - det - n / 2 * np.log(2 * np.pi)


@fn
def predicted(k: Kernel, x: Vec[n], y: Vec[n], at: Vec[m]) -> Vec[m]:
    weights = rose.lib.cholesky_solve(covariance(k, x, x) + np.exp(2 * k.noise) * np.eye(n), y)
    return covariance(k, at, x) @ weights


x = np.linspace(-3, 3, n)
y = np.sin(x) + 0.1 * np.cos(17 * x)
at = np.linspace(-2, 4, m)
kernel = Kernel(0.1, -0.2, -1.5)

if __name__ == "__main__":
    print(f"log likelihood: {log_likelihood(kernel, x, y):.6f}, by {rose.grad(log_likelihood)(kernel, x, y)}")
    print("predicted:", np.asarray(predicted(kernel, x, y, at)).round(4))

"""Clotting times of blood, as gamma distributions whose means depend on the logarithm of a concentration.

After an example of McCullagh and Nelder (1989), which is that of R's `glm`. There the reciprocals of the means are
linear, and here the logarithms, too.
"""

import numpy as np
from scipy.special import gammaln

import rose
from rose import Fn, Real, Vec, fn

n = 9


def log_likelihood(mean: Vec[n], shape: Real, y: Vec[n]) -> Real:
    return np.sum(shape * np.log(shape * y / mean) - shape * y / mean - np.log(y) - gammaln(shape))


@fn
def by_reciprocals(b: Vec[2], shape: Real, x: Vec[n, 2], y: Vec[n]) -> Real:
    return log_likelihood(1 / (x @ b), shape, y)


@fn
def by_logarithms(b: Vec[2], shape: Real, x: Vec[n, 2], y: Vec[n]) -> Real:
    return log_likelihood(np.exp(x @ b), shape, y)


def fitted(f: Fn[[Vec[2], Real, Vec[n, 2], Vec[n]], Real], b: Vec[2]) -> tuple[Vec[2], Real]:
    """The likeliest coefficients, which are the same for every shape, and then the shape: by Newton's method."""
    shape = 1.0
    for _ in range(20):
        b = b - np.linalg.solve(rose.hessian(f)(b, shape, x, y), rose.grad(f)(b, shape, x, y))
    for _ in range(30):
        shape = shape - rose.grad(f, 1)(b, shape, x, y) / rose.hessian(f, 1)(b, shape, x, y)
    return b, shape


concentration = np.array([5, 10, 15, 20, 30, 40, 60, 80, 100])
x = np.stack([np.ones(n), np.log(concentration)], 1)
y = np.array([118.0, 58, 42, 35, 27, 25, 21, 19, 18])  # seconds

if __name__ == "__main__":
    for f, b in ((by_reciprocals, [0.0, 0.01]), (by_logarithms, [4.0, 0.0])):
        b, shape = fitted(f, np.array(b))
        print(f"{f.name}: coefficients {b.round(6)}, shape {shape:.4f}")

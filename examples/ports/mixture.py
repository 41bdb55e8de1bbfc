"""A mixture of Gaussians in the plane: how likely points are, and steps that make them likelier.

After autograd's example `gmm`, with a square root of each precision in the place of one of each covariance.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

n, k = 30, 3  # points, and Gaussians


@rose.struct
class Mixture:
    weights: Vec[k]  # logarithms of them, up to a constant
    means: Vec[k, 2]
    roots: Vec[k, 2, 2]  # of the precisions


def log_density(x: Vec[2], weight: Real, mean: Vec[2], root: Vec[2, 2]) -> Real:
    far = root @ (x - mean)
    det = root[0, 0] * root[1, 1] - root[0, 1] * root[1, 0]
    density: Real = weight - 0.5 * (far @ far) + np.log(abs(det)) - np.log(2 * np.pi)
    return density


@fn
def log_likelihood(q: Mixture, points: Vec[n, 2]) -> Real:
    def of_point(x: Vec[2]) -> Real:
        each = rose.vmap(log_density, (None, 0, 0, 0))(x, q.weights - rose.logsumexp(q.weights), q.means, q.roots)
        likely: Real = rose.logsumexp(each)
        return likely

    return rose.sum(rose.vmap(of_point)(points))


@fn
def improved(q: Mixture, points: Vec[n, 2], rate: Real) -> Mixture:
    """After 50 steps along the gradient."""
    last: Mixture = rose.scan(lambda _, q: step(q, rose.grad(log_likelihood)(q, points), rate), q, 50)
    return last


def step(q: Mixture, d: Mixture, rate: Real) -> Mixture:
    return Mixture(q.weights + rate * d.weights, q.means + rate * d.means, q.roots + rate * d.roots)


angles = np.linspace(0, 6, n)
points = np.stack([np.cos(angles) * (1 + angles), np.sin(2 * angles) * angles], 1)
start = Mixture(np.zeros(k), np.array([[-1.0, 0.0], [0.5, 1.0], [2.0, -1.0]]), np.stack([np.eye(2)] * k) / 2)

if __name__ == "__main__":
    print(f"before: {log_likelihood(start, points):.6f}")
    print(f"after: {log_likelihood(improved(start, points, 0.002), points):.6f}")

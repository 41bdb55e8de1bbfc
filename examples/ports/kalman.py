"""A Kalman filter in its steady state: how fast it forgets, by the eigenvalues of what an error becomes.

After Anderson and Moore (1979), "Optimal filtering": the gain is that of Riccati's equation, and the spectral radius of
what it leaves of an error is below 1. The model is a spring with a damper, pushed at random, whose place is measured.
"""

import numpy as np

import rose
from rose import Complex, Real, Vec, fn, linalg

DT = 0.1


def model(stiffness: Real, damping: Real) -> Vec[2, 2]:
    return np.eye(2) + DT * np.stack([np.array([0.0, 1.0]), np.stack([-stiffness, -damping])])


@fn
def poles(stiffness: Real, damping: Real, push: Real, noise: Real) -> Vec[2, Complex]:
    """Of deviations of the push and of the measurement."""
    a, c = model(stiffness, damping), np.array([[1.0, 0.0]])
    pushed = DT * push**2 * np.array([[0.0, 0.0], [0.0, 1.0]])
    p = linalg.solve_discrete_are(a.T, c.T, pushed, noise**2 * np.eye(1))
    gain: Vec[2, 1] = a @ p @ c.T / (c @ p @ c.T + noise**2)
    return linalg.eigvals(a - gain @ c)


@fn
def radius(stiffness: Real, damping: Real, push: Real, noise: Real) -> Real:
    return np.max(np.abs(poles(stiffness, damping, push, noise)))


at = (2.0, 0.1, 0.5, 0.2)

if __name__ == "__main__":
    slope = rose.grad(radius, (0, 1, 2, 3))(*at)
    print(f"poles: {poles(*at).round(6)}, radius: {radius(*at):.6f}, by the parameters: {np.round(slope, 6)}")

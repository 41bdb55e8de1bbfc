"""Ising's ring of magnets, by the eigenvalues of its transfer matrix: energy and heat capacity are derivatives.

After Kramers and Wannier (1941), "Statistics of the two-dimensional ferromagnet", whose first example is the ring.
"""

import numpy as np

import rose
from rose import Real, fn

SPINS = 10


@fn
def log_z(beta: Real, field: Real) -> Real:
    """The logarithm of the partition function, of bonds of energy -1 or 1."""
    spin = np.array([1, -1])
    transfer = np.exp(beta * (spin[:, None] * spin + field * (spin[:, None] + spin) / 2))
    low, high = np.linalg.eigvalsh(transfer)
    return SPINS * np.log(high) + np.log1p((low / high) ** SPINS)


@fn
def energy(beta: Real, field: Real) -> Real:
    return -rose.grad(log_z)(beta, field)


@fn
def heat_capacity(beta: Real, field: Real) -> Real:
    return -(beta**2) * rose.grad(energy)(beta, field)


@fn
def magnetisation(beta: Real, field: Real) -> Real:
    return rose.grad(log_z, 1)(beta, field) / beta


if __name__ == "__main__":
    for beta in (0.2, 0.5, 1.0):
        found = [f(beta, 0.1) / SPINS for f in (energy, heat_capacity, magnetisation)]
        print(f"at {beta}: energy {found[0]:.6f}, heat capacity {found[1]:.6f}, magnetisation {found[2]:.6f}")

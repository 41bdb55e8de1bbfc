"""Density functionals: energies of a density of electrons, and their potentials, which are functional derivatives.

The exchange of the local density approximation, that of Perdew, Burke and Ernzerhof, and the kinetic energy of von
Weizsaecker, all in atomic units. A potential is a function of place, and compiles to a module; the second derivative
along a change of the density is how the potential answers to it.
"""

import math
from typing import TypeAlias

import rose
from rose import Real, Vec, fn
from rose import functional as F

Density: TypeAlias = F.Map[Real, Vec[3]]

radial = F.Grid.gauss_legendre(0.0, 8.0, 200)
space = F.Grid(  # of densities that depend on the distance alone: shells, each with a node
    [[0.0, 0.0, r] for r in radial.nodes],
    [4.0 * math.pi * r * r * w for r, w in zip(radial.nodes, radial.weights, strict=True)],
)


def exchange(n):
    return -0.75 * (3.0 / math.pi) ** (1 / 3) * n ** (4 / 3)


@F.functional
def local(n: Density) -> Real:
    return F.integrate(exchange(n), space)


@F.functional
def perdew(n: Density) -> Real:
    kappa, mu = 0.804, 0.2195149727645171
    s = rose.norm(F.nabla(n)) / (2.0 * (3.0 * math.pi**2) ** (1 / 3) * n ** (4 / 3))
    return F.integrate(exchange(n) * (1 + kappa - kappa / (1 + mu * s**2 / kappa)), space)


@F.functional
def weizsaecker(n: Density) -> Real:
    slope = F.nabla(n)
    return F.integrate(rose.dot(slope, slope) / (8 * n), space)


@fn
def density(r: Vec[3]) -> Real:
    return math.pi**-1.5 * rose.exp(-rose.dot(r, r))


@fn
def change(r: Vec[3]) -> Real:
    return rose.exp(-2.0 * rose.dot(r, r))


functionals = {"local": local, "Perdew": perdew, "Weizsaecker": weizsaecker}
potentials = rose.compile({name: rose.grad(energy)(density) for name, energy in functionals.items()})
answers = {name: rose.hvp(energy)(density, change) for name, energy in functionals.items()}

if __name__ == "__main__":
    at = [0.1, 0.2, 0.3]
    for name, energy in functionals.items():
        numbers = energy(density), potentials[name](at), answers[name](at)
        print(f"{name}: energy {numbers[0]:.8f}, potential {numbers[1]:.8f}, its answer {numbers[2]:.8f}")

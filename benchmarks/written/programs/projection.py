"""Plants by their sizes, year by year, with an integral projection model: ecology.

A kernel of survival, growth and recruitment on a mesh of sizes, by the midpoint rule (Easterling, Ellner and Dixon),
fitted to the sizes that were counted in each year.
"""

import math

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

MESH, YEARS = 50, 8
WIDTH = 6.0 / MESH
SIZES = (np.arange(MESH) + 0.5) * WIDTH


def density(x, mean, spread):
    return np.exp(-0.5 * ((x - mean) / spread) ** 2) / (spread * math.sqrt(2 * math.pi))


def logistic(x):
    return 1 / (1 + np.exp(-x))


def kernel(p):
    """How many plants of each size (a row) come next year of one of each size (a column)."""
    s0, s1, g0, g1, g_spread, f0, f1, n0, n1, recruits, r_mean, r_spread = p
    next_year, size = SIZES[:, None], SIZES[None, :]
    growth = density(next_year, g0 + g1 * size, np.exp(g_spread))
    growth = growth / (growth.sum(axis=0, keepdims=True) * WIDTH)  # nobody grows out of the mesh
    seeds = logistic(f0 + f1 * size) * np.exp(n0 + n1 * size)
    newborn = np.exp(recruits) * density(next_year, r_mean, np.exp(r_spread))
    return WIDTH * (logistic(s0 + s1 * size) * growth + seeds * newborn)


@fn
def loss(p: Vec[12], first: Vec[MESH], counts: Vec[YEARS, MESH]) -> Real:
    k = kernel(p)

    def year(_, n):
        n = k @ n
        return n, n

    _, n = rose.scan(year, first, YEARS)
    shares = n / n.sum(axis=1, keepdims=True)
    sizes = -np.mean(np.sum(counts * np.log(shares + 1e-9), axis=1))
    growth = np.log(n.sum(axis=1)) - np.log(counts.sum(axis=1))
    return sizes + 50 * np.mean(growth**2)


def written() -> Written:
    r = np.random.default_rng(203)
    params = [-1.0, 0.8, 0.9, 0.75, -0.7, -4.0, 1.1, 0.5, 0.25, -3.0, 0.8, -0.9]
    first = 80 * WIDTH * density(SIZES, 2.5, 1.2)
    counts = r.poisson(1.0 + 60 * WIDTH * np.exp(-0.5 * ((SIZES - 1.5) / 1.3) ** 2), (YEARS, MESH)).astype(float)
    data = (first.tolist(), counts.ravel().tolist())
    sizes = {"MESH": MESH, "YEARS": YEARS}
    program = Program("projection", source("projection"), sizes, params, {"text": loss}, data)
    return Written("projection", "ecology", "arrays", program)

"""Welfare and emissions of an economy of sectors that buy from one another, under taxes, by Leontief: economics."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

SECTORS = 20


@rose.struct
class Policy:
    tax: Vec[SECTORS]
    log_productivity: Vec[SECTORS]


@fn
def loss(
    p: Policy, inputs: Vec[SECTORS, SECTORS], labour: Vec[SECTORS], tastes: Vec[SECTORS], carbon: Vec[SECTORS]
) -> Real:
    productivity = np.exp(p.log_productivity)
    bought = inputs / productivity
    unit = np.eye(SECTORS)
    costs = (1 + p.tax)[:, None] * bought
    prices = np.linalg.solve((unit - costs).T, labour / productivity)
    demand = tastes / prices
    output = np.linalg.solve(unit - bought, demand)
    emitted = carbon @ output
    welfare = np.sum(tastes * np.log(demand))
    effort = np.sum(p.log_productivity**2) + np.sum(p.tax**2)
    return -welfare + 0.2 * (emitted - 1.5) ** 2 + 0.5 * effort


def written() -> Written:
    r = np.random.default_rng(122)
    inputs = r.uniform(0, 1, (SECTORS, SECTORS)) * (r.uniform(size=(SECTORS, SECTORS)) < 0.6)
    inputs *= r.uniform(0.3, 0.6, SECTORS) / inputs.sum(axis=0)
    tastes = r.dirichlet(np.full(SECTORS, 2.0))
    params = [*r.uniform(0, 0.2, SECTORS).tolist(), *r.normal(0, 0.05, SECTORS).tolist()]
    labour, carbon = r.uniform(0.4, 0.7, SECTORS), r.gamma(1.0, 1.0, SECTORS)
    data = (inputs.ravel().tolist(), labour.tolist(), tastes.tolist(), carbon.tolist())
    program = Program("leontief", source("leontief"), {"SECTORS": SECTORS}, params, {"text": loss}, data)
    return Written("leontief", "economics", "linalg", program)

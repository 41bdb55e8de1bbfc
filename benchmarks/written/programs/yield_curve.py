"""The yield curve of Nelson, Siegel and Svensson, fitted to the prices of bonds: finance."""

import numpy as np

from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

BONDS, DATES = 40, 30
TIMES = 0.5 * np.arange(1, DATES + 1)


def discounts(p):
    level, slope, hump, second, tau1, tau2 = p
    a, b = TIMES / tau1, TIMES / tau2
    near, far = np.exp(-a), np.exp(-b)
    load = (1 - near) / a
    rate = level + slope * load + hump * (load - near) + second * ((1 - far) / b - far)
    return np.exp(-rate * TIMES)


@fn
def loss(p: Vec[6], flows: Vec[BONDS, DATES], prices: Vec[BONDS]) -> Real:
    d = discounts(p)
    values = flows @ d
    durations = (flows @ (TIMES * d)) / values
    return np.mean(((values - prices) / durations) ** 2)


def written() -> Written:
    r = np.random.default_rng(101)
    flows = np.zeros((BONDS, DATES))
    for bond in flows:
        last = r.integers(2, DATES)
        bond[: last + 1] = 100 * r.uniform(0.005, 0.03)
        bond[last] += 100.0
    prices = flows @ discounts([0.04, -0.02, 0.015, 0.01, 1.6, 7.0]) + r.normal(0, 0.3, BONDS)
    params = [0.035, -0.012, 0.01, 0.02, 1.4, 6.0]
    data = (flows.ravel().tolist(), prices.tolist())
    sizes = {"BONDS": BONDS, "DATES": DATES}
    program = Program("yield_curve", source("yield_curve"), sizes, params, {"text": loss}, data)
    return Written("yield_curve", "finance", "arrays", program)

"""The likelihood of a GARCH model with leverage, of Glosten, Jagannathan and Runkle, for daily returns: finance."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

DAYS = 1000


@rose.struct
class Garch:
    mean: Real
    omega: Real
    alpha: Real
    gamma: Real
    beta: Real


@fn(syntax=True)
def loss(m: Garch, returns: Vec[DAYS]) -> Real:
    variance, total = np.mean(returns**2), 0.0
    for t in rose.range(DAYS):
        e = returns[t] - m.mean
        total += rose.log(variance) + e * e / variance
        shock = m.alpha + m.gamma if e < 0 else m.alpha
        variance = m.omega + shock * e * e + m.beta * variance
    return 0.5 * total / DAYS


def written() -> Written:
    r = np.random.default_rng(102)
    returns, h = [], 1.0
    for z in r.standard_normal(DAYS):
        e = h**0.5 * z
        returns.append(0.03 + e)
        h = 0.05 + (0.04 + 0.1 * (e < 0)) * e * e + 0.85 * h
    params = [0.05, 0.08, 0.06, 0.07, 0.8]
    data = ([float(x) for x in returns],)
    program = Program("garch", source("garch"), {"DAYS": DAYS}, params, {"text": loss}, data)
    return Written("garch", "finance", "loops", program)

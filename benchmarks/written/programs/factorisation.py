"""A factorisation machine of second order, with logistic loss, on samples of a few active features: machine learning.

The model is that of Rendle (2010).
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Fin, Real, Vec, fn

SAMPLES, ACTIVE, FEATURES, RANK = 400, 6, 120, 8
RNG = np.random.default_rng(103)
TABLE = [[20 * a + int(RNG.integers(20)) for a in range(ACTIVE)] for _ in range(SAMPLES)]


@rose.struct
class Machine:
    bias: Real
    weights: Vec[FEATURES]
    factors: Vec[FEATURES, RANK]


@fn
def score(m: Machine, active: Vec[ACTIVE, Fin[FEATURES]]) -> Real:
    linear = rose.sum(m.weights[active[a]] for a in rose.range(ACTIVE))
    pairs = rose.accum(0.0)
    for k in rose.range(RANK):
        total, squares = rose.accum(0.0), rose.accum(0.0)
        for a in rose.range(ACTIVE):
            v = m.factors[active[a], k]
            total += v
            squares += v * v
        pairs += total.value**2 - squares.value
    return m.bias + linear + 0.5 * pairs.value


@fn
def loss(m: Machine, labels: Vec[SAMPLES]) -> Real:
    table = rose.constant(Vec[SAMPLES, ACTIVE, Fin[FEATURES]], TABLE)
    fit = rose.accum(0.0)
    for s in rose.range(SAMPLES):
        fit += rose.softplus(-labels[s] * score(m, table[s]))
    return fit.value / SAMPLES + 0.001 * rose.sum(m.factors**2)


def written() -> Written:
    r = np.random.default_rng(104)
    params = [0.1, *r.normal(0, 0.3, FEATURES).tolist(), *r.normal(0, 0.3, FEATURES * RANK).tolist()]
    labels = r.choice([-1.0, 1.0], SAMPLES).tolist()
    sizes = {"SAMPLES": SAMPLES, "ACTIVE": ACTIVE, "FEATURES": FEATURES, "RANK": RANK}
    tables = {"table": [i for row in TABLE for i in row]}
    program = Program("factorisation", source("factorisation"), sizes, params, {"text": loss}, (labels,), tables)
    return Written("factorisation", "machine learning", "loops", program)

"""The likelihood of a zero-inflated Poisson regression, with a ridge: statistics."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

CASES, COVARIATES, INFLATING = 300, 6, 3


@rose.struct
class Model:
    beta: Vec[COVARIATES]
    gamma: Vec[INFLATING]


@fn
def loss(m: Model, x: Vec[CASES, COVARIATES], counts: Vec[CASES]) -> Real:
    log_rate = x @ m.beta
    rate = np.exp(log_rate)
    logit = x[:, :INFLATING] @ m.gamma
    log_extra, log_counted = -rose.softplus(-logit), -rose.softplus(logit)
    zero = np.logaddexp(log_extra, log_counted - rate)
    positive = log_counted + counts * log_rate - rate - rose.lgamma(counts + 1)
    return -np.mean(np.where(counts == 0, zero, positive)) + 0.01 * np.sum(m.beta**2)


def written() -> Written:
    r = np.random.default_rng(109)
    x = np.column_stack([np.ones(CASES), r.standard_normal((CASES, COVARIATES - 1))])
    counts = r.poisson(np.exp(x @ [0.5, 0.4, -0.3, 0.2, 0.0, 0.1])) * (r.uniform(size=CASES) > 0.3)
    params = [0.3, 0.2, -0.1, 0.1, 0.05, 0.0, -0.5, 0.2, 0.1]
    data = (x.ravel().tolist(), [float(k) for k in counts])
    sizes = {"CASES": CASES, "COVARIATES": COVARIATES, "INFLATING": INFLATING}
    program = Program("zero_inflated", source("zero_inflated"), sizes, params, {"text": loss}, data)
    return Written("zero_inflated", "statistics", "arrays", program)

"""The likelihood of a mixed model of growth curves, each subject with an intercept and a slope of its own: statistics.

The model is that of Laird and Ware (1982).
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn, linalg

SUBJECTS, VISITS = 30, 6


@rose.struct
class Model:
    beta: Vec[3]
    root: Vec[3]  # of the covariance of intercepts and slopes: two logarithms, and what is below
    log_noise: Real


@fn
def deviance(m: Model, times: Vec[VISITS], sizes: Vec[VISITS], treated: Real) -> Real:
    root = rose.array([[np.exp(m.root[0]), 0.0], [m.root[2], np.exp(m.root[1])]])
    z = rose.stack([np.ones(VISITS), times], axis=1)
    zr = z @ root
    covariance = zr @ zr.T + np.exp(2 * m.log_noise) * np.eye(VISITS)
    residual = sizes - (m.beta[0] + (m.beta[1] + m.beta[2] * treated) * times)
    factor = linalg.cholesky(covariance)
    white = linalg.solve_triangular(factor, residual, lower=True)
    return 2 * np.sum(np.log(np.diagonal(factor))) + white @ white


@fn
def loss(m: Model, times: Vec[SUBJECTS, VISITS], sizes: Vec[SUBJECTS, VISITS], treated: Vec[SUBJECTS]) -> Real:
    return 0.5 * rose.sum(deviance(m, times[i], sizes[i], treated[i]) for i in rose.range(SUBJECTS))


def written() -> Written:
    r = np.random.default_rng(108)
    times = np.sort(r.uniform(0, 3, (SUBJECTS, VISITS)), axis=1)
    treated = np.arange(SUBJECTS) % 2.0
    own = r.normal(0, [0.8, 0.3], (SUBJECTS, 2))
    sizes = 2.0 + own[:, :1] + (1.0 + own[:, 1:] + 0.4 * treated[:, None]) * times
    sizes += r.normal(0, 0.2, sizes.shape)
    params = [1.8, 1.1, 0.3, -0.3, -1.0, 0.1, -1.4]
    data = (times.ravel().tolist(), sizes.ravel().tolist(), treated.tolist())
    shape = {"SUBJECTS": SUBJECTS, "VISITS": VISITS}
    program = Program("growth_curves", source("growth_curves"), shape, params, {"text": loss}, data)
    return Written("growth_curves", "statistics", "linalg", program)

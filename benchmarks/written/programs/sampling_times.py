"""When to take blood, so that a trial tells most about a drug, a D-optimal design: pharmacology.

The information of a population model of one compartment with absorption, of the first order in the effects of people,
as PopED and PFIM have it.
"""

import numpy as np

from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

GROUPS, TIMES = 4, 8
KA, CL, V = 1.1, 3.5, 28.0
K = CL / V
OMEGA = np.array([[0.25, 0.02, 0.0], [0.02, 0.09, 0.03], [0.0, 0.03, 0.06]])  # of the logarithms of ka, cl and v
ADDITIVE, PROPORTIONAL = 0.1, 0.15


@fn
def cost(times: Vec[GROUPS, TIMES], doses: Vec[GROUPS], people: Vec[GROUPS]) -> Real:
    """Less the logarithm of the determinant, and a price of samples that follow each other too fast."""
    scale = (doses * KA / (V * (KA - K)))[:, None]
    slow, fast = np.exp(-K * times), np.exp(-KA * times)
    f = scale * (slow - fast)
    by_ka = f - KA * f / (KA - K) + KA * scale * times * fast
    by_cl = K * f / (KA - K) - K * scale * times * slow
    slopes = np.stack([by_ka, by_cl, -f - by_cl], axis=-1)
    noise = (ADDITIVE + PROPORTIONAL * f) ** 2
    v = np.einsum("gti,ij,gsj->gts", slopes, OMEGA, slopes) + noise[:, :, None] * np.eye(TIMES)
    information = np.einsum("g,gti,gtj->ij", people, slopes, np.linalg.solve(v, slopes))
    gaps = times[:, 1:] - times[:, :-1]
    return -np.log(np.linalg.det(information)) / 3 + 0.1 * np.sum(np.exp(-gaps / 0.25))


def written() -> Written:
    r = np.random.default_rng(213)
    times = np.cumsum(r.uniform(0.3, 2.5, (GROUPS, TIMES)), axis=1)
    doses, people = np.array([50.0, 100.0, 200.0, 300.0]), np.array([12.0, 10.0, 10.0, 8.0])
    sizes, tables = {"GROUPS": GROUPS, "TIMES": TIMES}, {"OMEGA": OMEGA.ravel().tolist()}
    data, params = (doses.tolist(), people.tolist()), times.ravel().tolist()
    program = Program("sampling_times", source("sampling_times"), sizes, params, {"text": cost}, data, tables)
    return Written("sampling_times", "pharmacology", "linalg", program)

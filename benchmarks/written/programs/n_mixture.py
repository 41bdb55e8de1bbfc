"""Birds that are counted repeatedly and not always seen, an N-mixture model: ecology.

After Royle (2004): how many live at a site is Poisson, and each visit sees a binomial part of them; the likelihood
sums over how many there may be.
"""

import math

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Fin, Real, Vec, fn

SITES, VISITS, MOST = 60, 4, 50


@rose.struct
class Model:
    abundance: Vec[3]  # intercept, elevation, its square
    detection: Vec[3]  # intercept, wind, hour


def nll_of(counts):
    """The negative log likelihood of these counts."""
    lowest = counts.max(axis=1).tolist()
    ways = [[math.prod(math.comb(n, y) for y in row) / math.factorial(n) for n in range(MOST + 1)] for row in counts]

    @fn
    def nll(
        m: Model, elevation: Vec[SITES], wind: Vec[SITES, VISITS], hour: Vec[SITES, VISITS], seen: Vec[SITES, VISITS]
    ) -> Real:
        from_ = rose.constant(Vec[SITES, Fin[MOST]], lowest)
        choices = rose.constant(Vec[SITES, MOST + 1], ways)  # of who is seen, over n!
        total = rose.accum(0.0)
        for i in rose.range(SITES):
            x = elevation[i]
            log_mean = m.abundance[0] + m.abundance[1] * x + m.abundance[2] * x * x
            mean = rose.exp(log_mean)
            odds = rose.vec(
                m.detection[0] + m.detection[1] * wind[i][j] + m.detection[2] * hour[i][j] for j in rose.range(VISITS)
            )
            missed = rose.sum(rose.softplus(odds[j]) for j in rose.range(VISITS))  # -log(1 - p)
            at_odds = rose.sum(seen[i][j] * odds[j] for j in rose.range(VISITS))
            likelihood = rose.accum(0.0)
            for n in rose.range(from_[i], MOST + 1):
                likelihood += choices[i][n] * rose.exp(n * (log_mean - missed) + at_odds - mean)
            total -= rose.log(likelihood.value)
        return total.value

    return nll, lowest, ways


def written() -> Written:
    r = np.random.default_rng(204)
    elevation, wind, hour = r.normal(0, 1, SITES), r.normal(0, 1, (SITES, VISITS)), r.uniform(-1, 1, (SITES, VISITS))
    alive = r.poisson(np.exp(2.0 + 0.5 * elevation - 0.3 * elevation**2))
    seen = r.binomial(np.minimum(alive, MOST - 10)[:, None], 1 / (1 + np.exp(0.4 + 0.5 * wind)))
    f, lowest, ways = nll_of(seen)
    data = tuple([x.ravel().astype(float).tolist() for x in (elevation, wind, hour, seen)])
    sizes = {"SITES": SITES, "VISITS": VISITS, "MOST": MOST}
    tables = {"lowest": lowest, "choices": [float(x) for row in ways for x in row]}
    params = [1.8, 0.4, -0.2, -0.2, -0.4, 0.1]
    program = Program("n_mixture", source("n_mixture"), sizes, params, {"text": f}, data, tables)
    return Written("n_mixture", "ecology", "loops", program)

"""The reproduction number of each week, by the renewal equation and late reports: epidemiology.

As in EpiNow2 and epidemia: infections of the past make new ones, which are reported after a delay, fewer on some days
of the week; counts are negative binomial, and the reproduction number is a random walk.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

WEEKS, SERIAL, DELAY = 16, 14, 10
DAYS = 7 * WEEKS


@rose.struct
class Outbreak:
    log_r: Vec[WEEKS]
    log_seed: Real
    weekday: Vec[7]
    log_size: Real


@fn
def infections(p: Outbreak, serial: Vec[SERIAL]) -> Vec[SERIAL + DAYS]:
    seed = rose.exp(p.log_seed)
    start = rose.vec(seed for _ in rose.range(SERIAL + DAYS))

    def day(t, infected):
        pressure = rose.accum(0.0)
        for s in rose.range(SERIAL):
            pressure += serial[s] * infected[t + (SERIAL - 1) - s]
        return infected.at[t + SERIAL].set(rose.exp(p.log_r[t // 7]) * pressure.value)

    return rose.scan(day, start, DAYS)


@fn
def loss(p: Outbreak, serial: Vec[SERIAL], delay: Vec[DELAY], reports: Vec[DAYS]) -> Real:
    infected = infections(p, serial)
    size = rose.exp(p.log_size)
    total = rose.accum(0.0)
    for t in rose.range(DAYS):
        due = rose.sum(delay[d] * infected[t + SERIAL - d] for d in rose.range(DELAY))
        mean = due * rose.exp(p.weekday[t % 7])
        y = reports[t]
        total += rose.lgamma(size) - rose.lgamma(y + size) + (y + size) * rose.log(size + mean)
        total -= size * p.log_size + y * rose.log(mean)
    for w in rose.range(WEEKS - 1):
        total += 0.5 * ((p.log_r[w + 1] - p.log_r[w]) / 0.2) ** 2
    for d in rose.range(7):
        total += 0.5 * (p.weekday[d] / 0.5) ** 2
    return total.value


def weights(mean: float, spread: float, n: int):
    """A gamma density at whole days, which sums to 1."""
    days = np.arange(1, n + 1)
    shape = (mean / spread) ** 2
    w = days ** (shape - 1) * np.exp(-days * shape / mean)
    return w / w.sum()


def written() -> Written:
    r = np.random.default_rng(202)
    trend = 60 * np.exp(1.2 * np.sin(np.arange(DAYS) / 18)) * np.tile([1.1, 1.2, 1.1, 1.0, 1.0, 0.7, 0.5], WEEKS)
    reports = r.negative_binomial(10, 10 / (10 + trend)).astype(float)
    log_r = 0.25 * np.cos(7 * np.arange(WEEKS) / 18) + r.normal(0, 0.05, WEEKS)
    params = [*log_r.tolist(), 4.0, *r.normal(0, 0.2, 7).tolist(), 2.0]
    data = (weights(5.0, 2.5, SERIAL).tolist(), weights(4.0, 2.0, DELAY).tolist(), reports.tolist())
    sizes = {"WEEKS": WEEKS, "SERIAL": SERIAL, "DELAY": DELAY}
    program = Program("renewal", source("renewal"), sizes, params, {"text": loss}, data)
    return Written("renewal", "epidemiology", "loops", program)

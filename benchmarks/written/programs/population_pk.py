"""The concentrations of a drug in a group of people, a mixed-effects model of two compartments: pharmacology.

Absorption of the first order, elimination that saturates (Michaelis and Menten), by Runge-Kutta between the samples;
each person has effects of their own. The objective is that of penalised likelihood.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

PEOPLE, SAMPLES, SUBSTEPS = 12, 12, 6
HOURS = 24.0
H = HOURS / (SAMPLES * SUBSTEPS)


@rose.struct
class Model:
    """Logarithms, all but the effects."""

    typical: Vec[6]  # ka, vmax, km, v, q, v2
    effects: Vec[PEOPLE, 3]  # on ka, vmax and v
    spread: Vec[3]
    error: Real


@rose.struct
class Person:
    ka: Real
    vmax: Real
    km: Real
    v: Real
    q: Real
    v2: Real


@rose.struct
class Amounts:
    gut: Real
    central: Real
    outer: Real

    def plus(self, h, rate):
        return Amounts(self.gut + h * rate.gut, self.central + h * rate.central, self.outer + h * rate.outer)


@fn
def rate(p: Person, a: Amounts) -> Amounts:
    absorbed = p.ka * a.gut
    c = a.central / p.v
    cleared = p.vmax * c / (p.km + c)
    flow = p.q * (c - a.outer / p.v2)
    return Amounts(-absorbed, absorbed - cleared - flow, flow)


@fn
def step(p: Person, a: Amounts) -> Amounts:
    k1 = rate(p, a)
    k2 = rate(p, a.plus(H / 2, k1))
    k3 = rate(p, a.plus(H / 2, k2))
    k4 = rate(p, a.plus(H, k3))
    return a.plus(H / 6, k1).plus(H / 3, k2).plus(H / 3, k3).plus(H / 6, k4)


@fn
def objective(m: Model, doses: Vec[PEOPLE, SAMPLES], seen: Vec[PEOPLE, SAMPLES]) -> Real:
    total = rose.accum(0.0)
    t = m.typical
    for i in rose.range(PEOPLE):
        e = m.effects[i]
        p = Person(
            rose.exp(t[0] + e[0]), rose.exp(t[1] + e[1]), rose.exp(t[2]), rose.exp(t[3] + e[2]), rose.exp(t[4]),
            rose.exp(t[5]),
        )  # fmt: skip

        def until_sample(k, a, i=i, p=p):
            a = Amounts(a.gut + doses[i][k], a.central, a.outer)
            a = rose.scan(lambda _, a: step(p, a), a, SUBSTEPS)
            return a, a.central / p.v

        _, predicted = rose.scan(until_sample, Amounts(0.0, 0.0, 0.0), SAMPLES)
        for k in rose.range(SAMPLES):
            off = (rose.log(seen[i][k]) - rose.log(predicted[k])) / rose.exp(m.error)
            total += 0.5 * off**2 + m.error
        for j in rose.range(3):
            total += 0.5 * (e[j] / rose.exp(m.spread[j])) ** 2 + m.spread[j]
    return total.value


def written() -> Written:
    r = np.random.default_rng(212)
    doses = np.zeros((PEOPLE, SAMPLES))
    doses[:, [0, 6]] = r.uniform(80, 120, (PEOPLE, 1))
    hours = HOURS / SAMPLES * np.arange(1, SAMPLES + 1)
    since = np.where(hours > 12, hours - 12, hours)
    seen = 4.0 * (np.exp(-0.15 * since) - 0.7 * np.exp(-1.2 * since)) * r.lognormal(0, 0.25, (PEOPLE, SAMPLES))
    typical = np.log([0.9, 8.0, 3.0, 20.0, 3.0, 30.0])
    effects = r.normal(0, 0.2, (PEOPLE, 3))
    params = [*typical.tolist(), *effects.ravel().tolist(), -1.2, -1.4, -1.5, -1.3]
    data = (doses.ravel().tolist(), seen.ravel().tolist())
    sizes = {"PEOPLE": PEOPLE, "SAMPLES": SAMPLES, "SUBSTEPS": SUBSTEPS}
    program = Program("population_pk", source("population_pk"), sizes, params, {"text": objective}, data)
    return Written("population_pk", "pharmacology", "structs", program)

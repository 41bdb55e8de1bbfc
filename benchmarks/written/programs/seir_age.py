"""An epidemic by age groups, fitted to the cases of each week: epidemiology.

The chain-binomial SEIR model in its mean, with a contact matrix between age groups, as in POLYMOD studies.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

AGES, WEEKS = 8, 20
DAYS = 7 * WEEKS


@fn
def loss(theta: Vec[AGES + 4], contacts: Vec[AGES, AGES], people: Vec[AGES], seen: Vec[WEEKS, AGES]) -> Real:
    """The negative log likelihood of Poisson, per cell."""
    susceptibility = np.exp(theta[:AGES])
    latent, recovery, seed, ascertained = np.exp(theta[AGES:])
    becomes_ill, recovers = 1 - np.exp(-latent), 1 - np.exp(-recovery)

    def day(_, state):
        s, e, i = state
        force = susceptibility * (contacts @ (i / people))
        infected = s * (1 - np.exp(-force))
        ill = becomes_ill * e
        return (s - infected, e + infected - ill, i + ill - recovers * i), ill

    start = seed * people / people.sum()
    _, ill = rose.scan(day, (people - start, start, 0.5 * start), DAYS)
    cases = ascertained * ill.reshape(WEEKS, 7, AGES).sum(axis=1) + 0.1
    return np.mean(cases - seen * np.log(cases))


def written() -> Written:
    r = np.random.default_rng(201)
    people = 1e4 * r.uniform(0.5, 1.5, AGES)
    age = np.arange(AGES)
    contacts = 3 * np.exp(-0.5 * abs(age[:, None] - age)) + r.uniform(0.2, 0.6, (AGES, AGES))
    seen = r.poisson(40 * np.exp(-(((np.arange(WEEKS)[:, None] - 9 - 0.3 * age) / 4) ** 2))).astype(float)
    params = [*(-3.2 + 0.15 * age + r.normal(0, 0.1, AGES)).tolist(), -1.2, -1.5, 2.5, -1.0]
    data = (contacts.ravel().tolist(), people.tolist(), seen.ravel().tolist())
    program = Program("seir_age", source("seir_age"), {"AGES": AGES, "WEEKS": WEEKS}, params, {"text": loss}, data)
    return Written("seir_age", "epidemiology", "arrays", program)

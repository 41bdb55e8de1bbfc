"""What a chain of four suppliers shall keep in store, by the simulated costs of a year: operations research.

Each stage orders a part of what it lacks to its base stock, the mean demand of a lead time and a safety stock, and is
supplied after a lead time by the next one if that can; what is not delivered is owed. The gradient is that of
infinitesimal perturbation analysis.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

STAGES, LEAD, DAYS = 4, 3, 250
MEAN, SPREAD = 10.0 * (LEAD + 1), 4.0 * (LEAD + 1) ** 0.5  # of the demand in a lead time
HOLDING, PENALTY, CAPACITY = [1.0, 0.6, 0.4, 0.25], 9.0, 16.0


@rose.struct
class Policy:
    safety: Vec[STAGES]  # in units of the spread
    part: Vec[STAGES]


@rose.struct
class Chain:
    store: Vec[STAGES]
    owed: Vec[STAGES]
    transit: Vec[STAGES, LEAD]


@fn
def cost(policy: Policy, demand: Vec[DAYS]) -> Real:
    base = rose.vec(MEAN + SPREAD * policy.safety[k] for k in rose.range(STAGES))

    def day(t, state):
        chain, total = state
        order = demand[t]
        store, owed, sent = [], [], []
        for k in range(STAGES):  # from the customers up
            there = chain.store[k] + chain.transit[k, 0]
            wanted = chain.owed[k] + order
            sent.append(rose.min(there, wanted))
            store.append(there - sent[k])
            owed.append(wanted - sent[k])
            position = store[k] - owed[k]
            for l in range(1, LEAD):
                position = position + chain.transit[k, l]
            if k + 1 < STAGES:
                position = position + chain.owed[k + 1]
            order = rose.max(policy.part[k] * (base[k] - position), 0.0)
            total = total + HOLDING[k] * store[k]
        total = total + PENALTY * owed[0]
        supply = [*sent[1:], rose.min(order, CAPACITY)]
        transit = [[*[chain.transit[k, l] for l in range(1, LEAD)], supply[k]] for k in range(STAGES)]
        return Chain(store, owed, transit), total

    start = Chain(base, [0.0] * STAGES, [[0.0] * LEAD] * STAGES)
    _, total = rose.scan(day, (start, 0.0), DAYS)
    return total / DAYS


def written() -> Written:
    r = np.random.default_rng(220)
    demand = r.gamma(6.0, 10.0 / 6.0, DAYS) * (1 + 0.2 * np.sin(np.arange(DAYS) / 20))
    params = [1.0, 0.75, 0.5, 0.9, 0.8, 0.7, 0.75, 0.9]
    sizes = {"STAGES": STAGES, "LEAD": LEAD, "DAYS": DAYS}
    program = Program("supply_chain", source("supply_chain"), sizes, params, {"text": cost}, (demand.tolist(),))
    return Written("supply_chain", "operations research", "loops", program)

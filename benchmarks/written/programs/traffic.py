"""Where drivers go who do not know the fastest way for certain, stochastic user equilibrium: operations research.

Fisk's objective: the integrals of the travel times on the roads (BPR), and the entropy of the choices of routes.
"""

import math

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

SIDE, PAIRS, ROUTES, LONGEST = 6, 40, 4, 10
ROADS = 2 * SIDE * (SIDE - 1)
THETA = 0.8  # how well drivers know the times


def routes():
    """Some ways on a grid for each pair of an origin and a destination; ROADS stands for no road."""
    r = np.random.default_rng(218)
    found = np.full((PAIRS, ROUTES, LONGEST), ROADS)
    for pair in range(PAIRS):
        down, right = 0, 0
        while math.comb(down + right, down) < ROUTES:
            top, left = r.integers(0, SIDE - 1, 2)
            down, right = r.integers(1, SIDE - top), r.integers(1, SIDE - left)
        ways = set()
        while len(ways) < ROUTES:
            ways.add(tuple(r.permutation([0] * down + [1] * right).tolist()))
        for route, way in enumerate(sorted(ways)):
            i, j = top, left
            for step, turn in enumerate(way):
                found[pair, route, step] = SIDE * (SIDE - 1) + i * (SIDE - 1) + j if turn else i * SIDE + j
                i, j = i + 1 - turn, j + turn
    return found


TAKEN = routes()


@fn
def objective(logits: Vec[PAIRS, ROUTES], demand: Vec[PAIRS], free: Vec[ROADS], capacity: Vec[ROADS]) -> Real:
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    drivers = demand[:, None] * e / e.sum(axis=1, keepdims=True)
    volume = rose.zeros(ROADS + 1).at[TAKEN].add(drivers[:, :, None])[:ROADS]
    times = free * (volume + 0.15 / 5 * capacity * (volume / capacity) ** 5)
    return np.sum(times) + np.sum(drivers * np.log(drivers)) / THETA


def written() -> Written:
    r = np.random.default_rng(219)
    demand, free, capacity = r.uniform(1, 5, PAIRS), r.uniform(1, 3, ROADS), r.uniform(6, 15, ROADS)
    params = r.normal(0, 0.7, PAIRS * ROUTES).tolist()
    sizes = {"PAIRS": PAIRS, "ROUTES": ROUTES, "LONGEST": LONGEST, "ROADS": ROADS}
    data, tables = (demand.tolist(), free.tolist(), capacity.tolist()), {"TAKEN": TAKEN.ravel().tolist()}
    program = Program("traffic", source("traffic"), sizes, params, {"text": objective}, data, tables)
    return Written("traffic", "operations research", "arrays", program)

"""The bump of water that made the waves of a later time, by the shallow-water equations: fluid mechanics.

Conservation of height and momentum on a square with periodic sides, by the scheme of Lax and Friedrichs.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

CELLS, STEPS = 24, 20
GRAVITY, RATIO = 9.81, 0.15  # RATIO is dt / dx


def around(q):
    return 0.25 * (np.roll(q, 1, axis=0) + np.roll(q, -1, axis=0) + np.roll(q, 1, axis=1) + np.roll(q, -1, axis=1))


def central(f, axis):
    return np.roll(f, -1, axis=axis) - np.roll(f, 1, axis=axis)


def step(h, hu, hv):
    u, v = hu / h, hv / h
    pressure = 0.5 * GRAVITY * h**2
    h_after = around(h) - 0.5 * RATIO * (central(hu, 0) + central(hv, 1))
    hu_after = around(hu) - 0.5 * RATIO * (central(hu * u + pressure, 0) + central(hu * v, 1))
    hv_after = around(hv) - 0.5 * RATIO * (central(hv * u, 0) + central(hv * v + pressure, 1))
    return h_after, hu_after, hv_after


@fn
def loss(bump: Vec[CELLS, CELLS], seen: Vec[CELLS, CELLS]) -> Real:
    still = np.zeros((CELLS, CELLS))
    h, _, _ = rose.scan(lambda _, q: step(*q), (1.0 + bump, still, still), STEPS)
    rough = np.mean(central(bump, 0) ** 2 + central(bump, 1) ** 2)
    return np.mean((h - seen) ** 2) + 0.01 * rough


def written() -> Written:
    r = np.random.default_rng(205)
    x, y = np.meshgrid(np.arange(CELLS) / CELLS, np.arange(CELLS) / CELLS, indexing="ij")
    true = 0.3 * np.exp(-60 * ((x - 0.4) ** 2 + (y - 0.55) ** 2))
    state = (1.0 + true, np.zeros((CELLS, CELLS)), np.zeros((CELLS, CELLS)))
    for _ in range(STEPS):
        state = step(*state)
    seen = state[0] + r.normal(0, 0.002, (CELLS, CELLS))
    bump = 0.2 * np.exp(-30 * ((x - 0.5) ** 2 + (y - 0.5) ** 2)) + r.normal(0, 0.01, (CELLS, CELLS))
    sizes = {"CELLS": CELLS, "STEPS": STEPS}
    data = (seen.ravel().tolist(),)
    program = Program("shallow_water", source("shallow_water"), sizes, bump.ravel().tolist(), {"text": loss}, data)
    return Written("shallow_water", "fluid mechanics", "arrays", program)

"""The conductances of a nerve cell, from the voltage while a current flows in: neuroscience.

The equations of Hodgkin and Huxley, with the gates by exponential Euler steps.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

STEPS, DT = 1500, 0.02  # ms


@rose.struct
class Channels:
    sodium: Real
    potassium: Real
    leak: Real
    e_sodium: Real
    e_potassium: Real
    e_leak: Real
    capacity: Real


@rose.struct
class Cell:
    v: Real
    m: Real
    h: Real
    n: Real


def gate(x, opens, closes):
    rate = opens + closes
    rest = opens / rate
    return rest + (x - rest) * np.exp(-rate * DT)


def step(p, s, current):
    v = s.v
    m = gate(s.m, 0.1 * (v + 40) / (1 - np.exp(-(v + 40) / 10)), 4 * np.exp(-(v + 65) / 18))
    h = gate(s.h, 0.07 * np.exp(-(v + 65) / 20), 1 / (1 + np.exp(-(v + 35) / 10)))
    n = gate(s.n, 0.01 * (v + 55) / (1 - np.exp(-(v + 55) / 10)), 0.125 * np.exp(-(v + 65) / 80))
    sodium = p.sodium * s.m**3 * s.h * (v - p.e_sodium)
    potassium = p.potassium * s.n**4 * (v - p.e_potassium)
    leak = p.leak * (v - p.e_leak)
    return Cell(v + DT / p.capacity * (current - sodium - potassium - leak), m, h, n)


REST = Cell(-65.0, 0.053, 0.596, 0.318)


@fn
def misfit(p: Channels, current: Vec[STEPS], seen: Vec[STEPS]) -> Real:
    def body(t, s):
        after = step(p, s, current[t])
        return after, after.v

    _, v = rose.scan(body, REST, STEPS)
    return rose.sum((v[t] - seen[t]) ** 2 for t in rose.range(STEPS)) / STEPS


def written() -> Written:
    r = np.random.default_rng(216)
    current = np.where(np.arange(STEPS) * DT < 4, 0.0, 9.0) + r.normal(0, 0.5, STEPS)
    cell, seen = REST, []
    for t in range(STEPS):
        cell = step(Channels(120.0, 36.0, 0.3, 50.0, -77.0, -54.4, 1.0), cell, current[t])
        seen.append(float(cell.v + r.normal(0, 0.5)))
    params = [112.0, 33.0, 0.33, 52.0, -76.0, -55.0, 1.05]
    data = (current.tolist(), seen)
    program = Program("hodgkin_huxley", source("hodgkin_huxley"), {"STEPS": STEPS}, params, {"text": misfit}, data)
    return Written("hodgkin_huxley", "neuroscience", "structs", program)

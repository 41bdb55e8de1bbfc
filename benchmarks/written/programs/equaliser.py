"""A cascade of recursive filters of second order, fitted to what it should make of a signal: signal processing."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

SECTIONS, LENGTH = 3, 512


@rose.struct
class Section:
    b0: Real
    b1: Real
    b2: Real
    a1: Real
    a2: Real


@fn
def filtered(s: Section, x: Vec[LENGTH]) -> Vec[LENGTH]:
    """In the transposed direct form II."""

    def step(i, state):
        first, second = state
        y = s.b0 * x[i] + first
        return (s.b1 * x[i] - s.a1 * y + second, s.b2 * x[i] - s.a2 * y), y

    return rose.scan(step, (0.0, 0.0), LENGTH)[1]


@fn
def loss(sections: Vec[SECTIONS, Section], signal: Vec[LENGTH], wanted: Vec[LENGTH]) -> Real:
    y = signal
    for k in range(SECTIONS):
        y = filtered(sections[k], y)
    return rose.sum((y[i] - wanted[i]) ** 2 for i in rose.range(LENGTH)) / LENGTH


def written() -> Written:
    r = np.random.default_rng(110)
    signal = r.standard_normal(LENGTH)
    wanted = np.convolve(signal, [0.4, 0.3, 0.2, 0.1, -0.05])[:LENGTH]
    params = [1.0, 0.3, 0.1, -0.4, 0.2, 0.8, -0.2, 0.15, 0.3, 0.1, 0.5, 0.2, -0.1, -0.7, 0.35]
    data = (signal.tolist(), wanted.tolist())
    sizes = {"SECTIONS": SECTIONS, "LENGTH": LENGTH}
    program = Program("equaliser", source("equaliser"), sizes, params, {"text": loss}, data)
    return Written("equaliser", "signal processing", "structs", program)

"""A filter of coils and capacitors that shall pass some frequencies and stop others: electrical engineering.

A lossy ladder between two resistors, computed from the load back to the source with complex voltages and currents.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

SECTIONS, POINTS = 5, 80
QUALITY = 120.0  # of the coils, at frequency 1


@rose.struct
class Complex:
    re: Real
    im: Real

    def __add__(self, other):
        return Complex(self.re + other.re, self.im + other.im)

    def __mul__(self, other):
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def power(self):
        return self.re * self.re + self.im * self.im


@rose.struct
class Ladder:
    """Logarithms, from the source to the load."""

    coils: Vec[SECTIONS]
    capacitors: Vec[SECTIONS]


@fn
def decibels(ladder: Ladder, w: Real) -> Real:
    """What arrives at the load of what the source could give."""

    def section(i, at):
        k = SECTIONS - 1 - i
        volts, amperes = at
        inductance = rose.exp(ladder.coils[k])
        amperes = amperes + Complex(0.0, w * rose.exp(ladder.capacitors[k])) * volts
        volts = volts + Complex(inductance / QUALITY, w * inductance) * amperes
        return volts, amperes

    volts, amperes = rose.scan(section, (Complex(1.0, 0.0), Complex(1.0, 0.0)), SECTIONS)
    return 10 * rose.log10(4 / (volts + amperes).power())


@fn
def misfit(ladder: Ladder, frequencies: Vec[POINTS], wanted: Vec[POINTS], weights: Vec[POINTS]) -> Real:
    total = rose.accum(0.0)
    for i in rose.range(POINTS):
        over = decibels(ladder, frequencies[i]) - wanted[i]
        stopped = wanted[i] < -3.0
        total += weights[i] * rose.select(stopped, rose.max(over, 0.0), over) ** 2
    return total.value / POINTS


def written() -> Written:
    r = np.random.default_rng(211)
    frequencies = np.linspace(0.05, 2.0, POINTS)
    wanted = np.where(frequencies < 1, -0.3, np.where(frequencies < 1.15, -2.0, -45.0))
    weights = np.where(frequencies < 1, 4.0, np.where(frequencies < 1.15, 0.1, 1.0))
    params = np.log([1.1, 1.7, 1.8, 1.6, 1.3, 1.4, 1.6, 1.7, 1.6, 0.9]) + r.normal(0, 0.05, 2 * SECTIONS)
    data = (frequencies.tolist(), wanted.tolist(), weights.tolist())
    sizes = {"SECTIONS": SECTIONS, "POINTS": POINTS}
    program = Program("ladder", source("ladder"), sizes, params.tolist(), {"text": misfit}, data)
    return Written("ladder", "electrical engineering", "structs", program)

"""An equaliser of two peaking filters, fitted to a response in decibels.

After R. Bristow-Johnson's "Cookbook formulae for audio equalizer biquad filter coefficients".
"""

import numpy as np

import rose
from rose import Real, Vec, fn

FILTERS, POINTS, RATE = 2, 24, 48_000.0
frequencies = np.geomspace(50, 16_000, POINTS)


def peaking(f0: Real, gain: Real, q: Real) -> tuple[list[Real], list[Real]]:
    """The coefficients above and below, of a gain in decibels at a frequency."""
    a = 10 ** (gain / 40)
    w0 = 2 * np.pi * f0 / RATE
    alpha = np.sin(w0) / (2 * q)
    return [1 + alpha * a, -2 * np.cos(w0), 1 - alpha * a], [1 + alpha / a, -2 * np.cos(w0), 1 - alpha / a]


@fn
def decibels(filters: Vec[FILTERS, 3]) -> Vec[POINTS]:
    """Of filters with the logarithm of a frequency, a gain, and the logarithm of a quality."""
    z = np.exp(-2j * np.pi * frequencies / RATE)
    response = np.ones(POINTS, complex)
    for f0, gain, q in filters:
        b, a = peaking(np.exp(f0), gain, np.exp(q))
        response = response * (b[0] + b[1] * z + b[2] * z**2) / (a[0] + a[1] * z + a[2] * z**2)
    return 20 * np.log10(np.abs(response))


@fn
def misfit(filters: Vec[FILTERS, 3], target: Vec[POINTS]) -> Real:
    return ((decibels(filters) - target) ** 2).mean()


true = np.array([[np.log(200), 6.0, 0.0], [np.log(4_000), -9.0, 0.5]])
guess = np.array([[np.log(300), 1.0, 0.0], [np.log(3_000), -1.0, 0.0]])

if __name__ == "__main__":
    found = rose.lib.lbfgs(misfit)(guess, decibels(true)).x
    print("frequencies:", np.exp(found[:, 0]).round(3), "gains:", found[:, 1].round(6))

"""Linear prediction of a signal from what was before: its coefficients, by Levinson's and Durbin's recursion.

After J. Makhoul (1975), "Linear prediction: a tutorial review", by the method of autocorrelation.
"""

import numpy as np

import rose
from rose import Real, Vec, fn

n, ORDER = 32, 4


@fn
def correlated(signal: Vec[n]) -> Vec[ORDER + 1]:
    windowed = signal * np.hamming(n)
    return np.correlate(windowed, windowed, "full")[n - 1 : n + ORDER]


def levinson(r: Vec[ORDER + 1]) -> tuple[Vec[ORDER + 1], Real]:
    """The filter that leaves the error, whose first coefficient is 1, and the energy of the error."""
    a, error = np.ones(1), r[0]
    for order in range(1, ORDER + 1):
        k = -(a @ r[order:0:-1]) / error
        a = np.append(a, 0.0) + k * np.append(0.0, a[::-1])
        error = error * (1 - k**2)
    return a, error


@fn
def coefficients(signal: Vec[n]) -> Vec[ORDER + 1]:
    return levinson(correlated(signal))[0]


@fn
def flatness(signal: Vec[n]) -> Real:
    """The logarithm of the part of the energy that no prediction explains."""
    r = correlated(signal)
    return np.log(levinson(r)[1] / r[0])


t = np.arange(n)
signal = np.sin(0.5 * t) + 0.5 * np.cos(1.3 * t) + 0.1 * np.random.RandomState(0).randn(n)

if __name__ == "__main__":
    print("coefficients:", coefficients(signal).round(6))
    print(f"flatness: {flatness(signal):.6f}, by the first numbers: {rose.grad(flatness)(signal)[:3].round(6)}")

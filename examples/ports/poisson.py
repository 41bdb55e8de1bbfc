"""Waves that attract themselves on a torus: Schrödinger's equation with Poisson's, both by Fourier transforms.

After P. Mocz's program `quantumspectral-python`: half a kick by the potential, a drift among the frequencies, and half
a kick by the potential that is then. That of a density solves Poisson's equation, frequency by frequency.
"""

import numpy as np

import rose
from rose import Complex, Real, Vec, fn

SIDE, STEPS, DT, GRAVITY = 8, 3, 0.01, 4.0

k = 2 * np.pi * np.fft.fftfreq(SIDE, 1 / SIDE)
SQUARES = k[:, None] ** 2 + k**2


@fn
def potential(density: Vec[SIDE, SIDE]) -> Vec[SIDE, SIDE]:
    """The solution of Poisson's equation whose mean is 0."""
    sources = np.fft.fftn(4 * np.pi * GRAVITY * (density - np.mean(density)))
    return np.real(np.fft.ifftn(-sources / (SQUARES + (SQUARES == 0))))


@fn
def moved(wave: Vec[SIDE, SIDE, Complex]) -> Vec[SIDE, SIDE, Complex]:
    for _ in range(STEPS):
        wave = np.exp(-0.5j * DT * potential(np.abs(wave) ** 2)) * wave
        wave = np.fft.ifftn(np.exp(-0.5j * DT * SQUARES) * np.fft.fftn(wave))
        wave = np.exp(-0.5j * DT * potential(np.abs(wave) ** 2)) * wave
    return wave


@fn
def energy(wave: Vec[SIDE, SIDE, Complex]) -> Real:
    """Of the field, after some steps."""
    density = np.abs(moved(wave)) ** 2
    return 0.5 * (density * potential(density)).mean()


at = np.arange(SIDE) / SIDE
start = np.sqrt(1 + 0.5 * np.cos(2 * np.pi * at)) * np.exp(0.2j * np.sin(2 * np.pi * at[:, None]))

if __name__ == "__main__":
    slope = rose.grad(energy)(start)
    print(f"energy: {energy(start):.6f}, by the first numbers of the wave: {slope[0, :3].round(6)}")

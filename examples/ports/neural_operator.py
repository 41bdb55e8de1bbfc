"""A Fourier neural operator: layers that multiply the low frequencies of functions by complex weights.

After Li and others (2021), whose example is Burgers' equation: a function is lifted to channels, moved through layers,
and projected to a function.
"""

import numpy as np

import rose
from rose import Complex, Real, Vec, fn

POINTS, CHANNELS, MODES = 16, 3, 5


@rose.struct
class Layer:
    spectral: Vec[CHANNELS, CHANNELS, MODES, Complex]
    local: Vec[CHANNELS, CHANNELS]
    bias: Vec[CHANNELS]


@rose.struct
class Operator:
    lift: Vec[2, CHANNELS]  # of the height, and of the place
    first: Layer
    second: Layer
    project: Vec[CHANNELS]


def convolved(x: Vec[CHANNELS, POINTS], weights: Vec[CHANNELS, CHANNELS, MODES, Complex]) -> Vec[CHANNELS, POINTS]:
    low = np.fft.rfft(x)[:, :MODES]
    return np.fft.irfft(np.einsum("ik,iok->ok", low, weights), n=POINTS)


def gelu(x: Vec[CHANNELS, POINTS]) -> Vec[CHANNELS, POINTS]:
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def through(x: Vec[CHANNELS, POINTS], layer: Layer) -> Vec[CHANNELS, POINTS]:
    return convolved(x, layer.spectral) + layer.local @ x + layer.bias[:, None]


@fn
def mapped(net: Operator, u: Vec[POINTS]) -> Vec[POINTS]:
    x = net.lift.T @ np.stack([u, np.linspace(0, 1, POINTS)])
    return net.project @ through(gelu(through(x, net.first)), net.second)


@fn
def loss(net: Operator, u: Vec[POINTS], target: Vec[POINTS]) -> Real:
    """The relative error of the function that the net makes of another."""
    return np.sqrt(np.sum((mapped(net, u) - target) ** 2) / np.sum(target**2))


rng = np.random.RandomState(0)


def random_layer() -> Layer:
    parts = rng.rand(2, CHANNELS, CHANNELS, MODES) / CHANNELS**2
    return Layer(parts[0] + 1j * parts[1], rng.randn(CHANNELS, CHANNELS), 0.1 * rng.randn(CHANNELS))


start = Operator(rng.randn(2, CHANNELS), random_layer(), random_layer(), rng.randn(CHANNELS))
at = np.arange(POINTS) / POINTS
u, target = np.sin(2 * np.pi * at), np.sin(2 * np.pi * (at - 0.1)) ** 3

if __name__ == "__main__":
    slope = rose.grad(loss)(start, u, target)
    print(f"loss: {loss(start, u, target):.6f}, by weights: {np.asarray(slope.first.spectral)[0, 0, :2].round(6)}")

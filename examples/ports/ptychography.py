"""Ptychography: an object, found from the intensities of light behind it, where a probe lights overlapping parts.

After Guizar-Sicairos and Fienup (2008), "Phase retrieval with transverse translation diversity", by steps along the
gradient, in complex numbers.
"""

import numpy as np

import rose
from rose import Complex, Real, Vec, fn

SIDE, WIDE, SHOTS, STEPS = 8, 4, 9, 30
PLACES = [(i, j) for i in (0, 2, 4) for j in (0, 2, 4)]


@fn
def intensities(thing: Vec[SIDE, SIDE, Complex], probe: Vec[WIDE, WIDE, Complex]) -> Vec[SHOTS, WIDE, WIDE]:
    exits = np.stack([probe * thing[i : i + WIDE, j : j + WIDE] for i, j in PLACES])
    return np.abs(np.fft.fft2(exits, norm="ortho")) ** 2


@fn
def misfit(thing: Vec[SIDE, SIDE, Complex], probe: Vec[WIDE, WIDE, Complex], seen: Vec[SHOTS, WIDE, WIDE]) -> Real:
    return np.sum((intensities(thing, probe) - seen) ** 2)


def found(thing: Vec[SIDE, SIDE, Complex], rate: Real) -> Vec[SIDE, SIDE, Complex]:
    """After steps against the conjugate of the gradient."""
    slope = rose.grad(misfit)
    for _ in range(STEPS):
        thing = thing - rate * np.conj(slope(thing, probe, seen))
    return thing


rng = np.random.RandomState(0)
far = np.arange(WIDE) - (WIDE - 1) / 2
probe = np.exp(-(far[:, None] ** 2 + far**2) / 4 + 0.3j * far**2)
true = (0.5 + 0.5 * rng.rand(SIDE, SIDE)) * np.exp(1j * rng.rand(SIDE, SIDE))
seen = intensities(true, probe)
start = np.ones((SIDE, SIDE)) + 0j

if __name__ == "__main__":
    after = found(start, 0.05)
    print(f"misfit: {misfit(start, probe, seen):.6f}, and after {STEPS} steps: {misfit(after, probe, seen):.6f}")

"""Nerve cells that excite each other and see a stimulus, a point-process model of their spikes: neuroscience.

After Pillow and others (2008): each cell has a filter of the stimulus, and filters of the past spikes of all cells,
which are sums of a few raised cosines.
"""

import numpy as np

from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

BINS, CELLS, LAGS, PAST, BUMPS = 300, 5, 12, 16, 4
DT = 0.1


def raised_cosines():
    time = np.log(np.arange(PAST) + 1.5)
    centres = np.linspace(time[0], time[-2], BUMPS)
    width = 2 * (centres[1] - centres[0])
    return 0.5 * (1 + np.cos(np.clip(np.pi * (time - centres[:, None]) / width, -np.pi, np.pi)))


BASIS = raised_cosines()


def windows(x, lags):
    """What was so many bins before each of BINS bins, along axis 1."""
    return np.stack([x[lags - 1 - lag : lags - 1 - lag + BINS] for lag in range(lags)], axis=1)


@fn
def loss(
    w: Vec[CELLS + CELLS * LAGS + CELLS * CELLS * BUMPS],
    stimulus: Vec[BINS + LAGS - 1],
    spikes: Vec[BINS + PAST, CELLS],
) -> Real:
    bias, rest = w[:CELLS], w[CELLS:]
    filters = rest[: CELLS * LAGS].reshape(CELLS, LAGS)
    coupling = rest[CELLS * LAGS :].reshape(CELLS, CELLS, BUMPS)
    seen = windows(stimulus, LAGS) @ filters.T
    after_spikes = np.einsum("nmb,bl->nml", coupling, BASIS)
    heard = np.einsum("tlm,nml->tn", windows(spikes[:-1], PAST), after_spikes)
    drive = bias + seen + heard
    rate = np.log(1 + np.exp(drive))
    nll = DT * np.sum(rate) - np.sum(spikes[PAST:] * np.log(rate))
    return nll + 0.5 * np.sum((filters[:, 1:] - filters[:, :-1]) ** 2) + 0.1 * np.sum(coupling**2)


def written() -> Written:
    r = np.random.default_rng(217)
    stimulus = r.normal(0, 1, BINS + LAGS - 1)
    spikes = r.poisson(DT * np.exp(r.normal(0.3, 0.5, (BINS + PAST, CELLS)))).astype(float)
    params = [*r.normal(0.3, 0.2, CELLS), *r.normal(0, 0.2, CELLS * LAGS), *r.normal(0, 0.2, CELLS * CELLS * BUMPS)]
    sizes = {"BINS": BINS, "CELLS": CELLS, "LAGS": LAGS, "PAST": PAST, "BUMPS": BUMPS}
    data, tables = (stimulus.tolist(), spikes.ravel().tolist()), {"BASIS": BASIS.ravel().tolist()}
    params = [float(x) for x in params]
    program = Program("spike_trains", source("spike_trains"), sizes, params, {"text": loss}, data, tables)
    return Written("spike_trains", "neuroscience", "arrays", program)

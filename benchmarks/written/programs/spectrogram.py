"""A spectrogram as spectra of notes times their loudness, by Kullback and Leibler's divergence: signal processing.

Factors that are positive, few notes at once, and no sudden changes, as Virtanen (2007) has them.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

BINS, FRAMES, NOTES = 40, 60, 4


@rose.struct
class Factors:
    spectra: Vec[BINS, NOTES]
    loudness: Vec[NOTES, FRAMES]


@fn
def loss(log: Factors, power: Vec[BINS, FRAMES]) -> Real:
    spectra, loudness = np.exp(log.spectra), np.exp(log.loudness)
    spectra = spectra / np.sum(spectra, axis=0)
    model = spectra @ loudness + 1e-6
    divergence = np.sum(model - power * np.log(model))
    jumps = np.sum(np.diff(loudness, axis=1) ** 2, axis=1) / np.mean(loudness**2, axis=1)
    return divergence + 0.1 * np.sum(loudness) + 0.5 * np.sum(jumps)


def written() -> Written:
    r = np.random.default_rng(111)
    power = r.gamma(0.5, 1.0, (BINS, NOTES)) @ r.gamma(0.5, 1.0, (NOTES, FRAMES)) * r.gamma(4, 0.25, (BINS, FRAMES))
    params = r.normal(0, 0.5, (BINS + FRAMES) * NOTES).tolist()
    sizes = {"BINS": BINS, "FRAMES": FRAMES, "NOTES": NOTES}
    program = Program("spectrogram", source("spectrogram"), sizes, params, {"text": loss}, (power.ravel().tolist(),))
    return Written("spectrogram", "signal processing", "arrays", program)

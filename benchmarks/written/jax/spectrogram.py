"""A spectrogram as spectra of notes times their loudness."""

import jax.numpy as jnp
from program import BINS, FRAMES, NOTES


def value(params, power):
    spectra = jnp.exp(params[: BINS * NOTES].reshape(BINS, NOTES))
    loudness = jnp.exp(params[BINS * NOTES :].reshape(NOTES, FRAMES))
    spectra = spectra / jnp.sum(spectra, axis=0)
    model = spectra @ loudness + 1e-6
    divergence = jnp.sum(model - power.reshape(BINS, FRAMES) * jnp.log(model))
    jumps = jnp.sum(jnp.diff(loudness, axis=1) ** 2, axis=1) / jnp.mean(loudness**2, axis=1)
    return divergence + 0.1 * jnp.sum(loudness) + 0.5 * jnp.sum(jumps)

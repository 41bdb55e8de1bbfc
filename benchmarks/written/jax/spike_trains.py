"""Nerve cells that excite each other and see a stimulus, a point-process model of their spikes."""

import jax.numpy as jnp
import numpy as np
from program import BASIS, BINS, BUMPS, CELLS, LAGS, PAST

BASIS = np.array(BASIS).reshape(BUMPS, PAST)
DT = 0.1


def windows(x, lags):
    return jnp.stack([x[lags - 1 - lag : lags - 1 - lag + BINS] for lag in range(lags)], axis=1)


def value(params, stimulus, spikes):
    spikes = spikes.reshape(BINS + PAST, CELLS)
    bias, rest = params[:CELLS], params[CELLS:]
    filters = rest[: CELLS * LAGS].reshape(CELLS, LAGS)
    coupling = rest[CELLS * LAGS :].reshape(CELLS, CELLS, BUMPS)
    seen = windows(stimulus, LAGS) @ filters.T
    after_spikes = jnp.einsum("nmb,bl->nml", coupling, BASIS)
    heard = jnp.einsum("tlm,nml->tn", windows(spikes[:-1], PAST), after_spikes)
    rate = jnp.log(1 + jnp.exp(bias + seen + heard))
    nll = DT * jnp.sum(rate) - jnp.sum(spikes[PAST:] * jnp.log(rate))
    return nll + 0.5 * jnp.sum((filters[:, 1:] - filters[:, :-1]) ** 2) + 0.1 * jnp.sum(coupling**2)

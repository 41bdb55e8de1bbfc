"""Birds that are counted repeatedly and not always seen, an N-mixture model."""

import jax
import jax.numpy as jnp
import numpy as np
from program import MOST, SITES, VISITS, choices, lowest

CHOICES = np.array(choices).reshape(SITES, MOST + 1)
POSSIBLE = np.arange(MOST + 1) >= np.array(lowest)[:, None]
N = np.arange(MOST + 1.0)


def value(params, elevation, wind, hour, seen):
    wind, hour, seen = (x.reshape(SITES, VISITS) for x in (wind, hour, seen))
    log_mean = params[0] + params[1] * elevation + params[2] * elevation**2
    odds = params[3] + params[4] * wind + params[5] * hour
    missed = jax.nn.softplus(odds).sum(axis=1)
    each = (log_mean - missed)[:, None] * N + (jnp.sum(seen * odds, axis=1) - jnp.exp(log_mean))[:, None]
    likelihood = jnp.sum(jnp.where(POSSIBLE, CHOICES, 0.0) * jnp.exp(each), axis=1)
    return -jnp.sum(jnp.log(likelihood))

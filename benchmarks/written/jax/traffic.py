"""Where drivers go who do not know the fastest way for certain, stochastic user equilibrium."""

import jax
import jax.numpy as jnp
import numpy as np
from program import LONGEST, PAIRS, ROADS, ROUTES, TAKEN

TAKEN = np.array(TAKEN).reshape(PAIRS, ROUTES, LONGEST)
THETA = 0.8


def value(params, demand, free, capacity):
    drivers = demand[:, None] * jax.nn.softmax(params.reshape(PAIRS, ROUTES), axis=1)
    volume = jnp.zeros(ROADS + 1).at[TAKEN].add(drivers[:, :, None])[:ROADS]
    times = free * (volume + 0.15 / 5 * capacity * (volume / capacity) ** 5)
    return jnp.sum(times) + jnp.sum(drivers * jnp.log(drivers)) / THETA

"""A factorisation machine of second order, with logistic loss."""

import jax
import jax.numpy as jnp
from program import ACTIVE, FEATURES, RANK, SAMPLES, table

TABLE = table.reshape(SAMPLES, ACTIVE)


def value(params, labels):
    bias, weights, factors = params[0], params[1 : 1 + FEATURES], params[1 + FEATURES :].reshape(FEATURES, RANK)
    v = factors[TABLE]
    pairs = jnp.sum(jnp.sum(v, axis=1) ** 2 - jnp.sum(v**2, axis=1), axis=1)
    scores = bias + jnp.sum(weights[TABLE], axis=1) + 0.5 * pairs
    return jnp.mean(jax.nn.softplus(-labels * scores)) + 0.001 * jnp.sum(factors**2)

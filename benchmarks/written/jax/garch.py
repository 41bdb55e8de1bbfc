"""The likelihood of a GARCH model with leverage."""

import jax
import jax.numpy as jnp


def value(params, returns):
    mean, omega, alpha, gamma, beta = params

    def day(variance, x):
        e = x - mean
        shock = jnp.where(e < 0, alpha + gamma, alpha)
        return omega + shock * e * e + beta * variance, jnp.log(variance) + e * e / variance

    _, terms = jax.lax.scan(day, jnp.mean(returns**2), returns)
    return 0.5 * jnp.mean(terms)

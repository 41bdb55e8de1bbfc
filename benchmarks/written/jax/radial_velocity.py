"""The likelihood of two planets, by the radial velocities of their star."""

import jax
import jax.numpy as jnp
from program import PLANETS


def solved(mean, e):
    """The eccentric anomaly: a last step of Newton's has the derivatives."""

    def step(anomaly):
        return anomaly - (anomaly - e * jnp.sin(anomaly) - mean) / (1 - e * jnp.cos(anomaly))

    start = jax.lax.stop_gradient(mean + e * jnp.sin(mean))
    found = jax.lax.stop_gradient(jax.lax.fori_loop(0, 8, lambda _, x: step(x), start))
    return step(found)


def velocity(planet, time):
    log_amplitude, log_period, phase, e, periastron = planet
    anomaly = solved(2 * jnp.pi * time / jnp.exp(log_period) + phase, e)
    near = 1 - e * jnp.cos(anomaly)
    cosine, sine = (jnp.cos(anomaly) - e) / near, jnp.sqrt(1 - e * e) * jnp.sin(anomaly) / near
    return jnp.exp(log_amplitude) * (jnp.cos(periastron) * (cosine + e) - jnp.sin(periastron) * sine)


def value(params, times, seen, errors):
    planets, (offset, trend, log_jitter) = params[: 5 * PLANETS].reshape(PLANETS, 5), params[5 * PLANETS :]
    each = jax.vmap(jax.vmap(velocity, in_axes=(0, None)), in_axes=(None, 0))
    model = offset + trend * times + jnp.sum(each(planets, times), axis=1)
    variance = errors**2 + jnp.exp(2 * log_jitter)
    return 0.5 * jnp.sum(jnp.log(variance) + (seen - model) ** 2 / variance)

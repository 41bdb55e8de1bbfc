"""The yield curve of Nelson, Siegel and Svensson, fitted to the prices of bonds."""

import jax.numpy as jnp
from program import BONDS, DATES

TIMES = 0.5 * jnp.arange(1, DATES + 1)


def value(params, flows, prices):
    level, slope, hump, second, tau1, tau2 = params
    a, b = TIMES / tau1, TIMES / tau2
    near, far = jnp.exp(-a), jnp.exp(-b)
    load = (1 - near) / a
    rate = level + slope * load + hump * (load - near) + second * ((1 - far) / b - far)
    d = jnp.exp(-rate * TIMES)
    flows = flows.reshape(BONDS, DATES)
    values = flows @ d
    durations = (flows @ (TIMES * d)) / values
    return jnp.mean(((values - prices) / durations) ** 2)

"""Welfare and emissions of an economy of sectors that buy from one another, under taxes."""

import jax.numpy as jnp
from program import SECTORS


def value(params, inputs, labour, tastes, carbon):
    tax, log_productivity = params.reshape(2, SECTORS)
    productivity = jnp.exp(log_productivity)
    bought = inputs.reshape(SECTORS, SECTORS) / productivity
    unit = jnp.eye(SECTORS)
    costs = (1 + tax)[:, None] * bought
    prices = jnp.linalg.solve((unit - costs).T, labour / productivity)
    demand = tastes / prices
    output = jnp.linalg.solve(unit - bought, demand)
    emitted = carbon @ output
    welfare = jnp.sum(tastes * jnp.log(demand))
    effort = jnp.sum(log_productivity**2) + jnp.sum(tax**2)
    return -welfare + 0.2 * (emitted - 1.5) ** 2 + 0.5 * effort

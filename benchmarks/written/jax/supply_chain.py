"""What a chain of four suppliers shall keep in store, by the simulated costs of a year."""

import jax
import jax.numpy as jnp
from program import LEAD, STAGES

MEAN, SPREAD = 10.0 * (LEAD + 1), 4.0 * (LEAD + 1) ** 0.5
HOLDING, PENALTY, CAPACITY = [1.0, 0.6, 0.4, 0.25], 9.0, 16.0


def value(params, demand):
    base, part = MEAN + SPREAD * params[:STAGES], params[STAGES:]

    def day(state, order):
        store, owed, transit = state
        stores, owes, sent = [], [], []
        for k in range(STAGES):
            there = store[k] + transit[k, 0]
            wanted = owed[k] + order
            sent.append(jnp.minimum(there, wanted))
            stores.append(there - sent[k])
            owes.append(wanted - sent[k])
            position = stores[k] - owes[k] + jnp.sum(transit[k, 1:])
            if k + 1 < STAGES:
                position = position + owed[k + 1]
            order = jnp.maximum(part[k] * (base[k] - position), 0.0)
        stores, owes = jnp.stack(stores), jnp.stack(owes)
        supply = jnp.stack([*sent[1:], jnp.minimum(order, CAPACITY)])
        transit = jnp.concatenate([transit[:, 1:], supply[:, None]], axis=1)
        return (stores, owes, transit), jnp.dot(jnp.array(HOLDING), stores) + PENALTY * owes[0]

    start = (base, jnp.zeros(STAGES), jnp.zeros((STAGES, LEAD)))
    return jnp.mean(jax.lax.scan(day, start, demand)[1])

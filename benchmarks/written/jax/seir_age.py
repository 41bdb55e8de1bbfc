"""An epidemic by age groups, fitted to the cases of each week."""

import jax
import jax.numpy as jnp
from program import AGES, WEEKS


def value(theta, contacts, people, seen):
    contacts, seen = contacts.reshape(AGES, AGES), seen.reshape(WEEKS, AGES)
    susceptibility = jnp.exp(theta[:AGES])
    latent, recovery, seed, ascertained = jnp.exp(theta[AGES:])
    becomes_ill, recovers = 1 - jnp.exp(-latent), 1 - jnp.exp(-recovery)

    def day(state, _):
        s, e, i = state
        force = susceptibility * (contacts @ (i / people))
        infected = s * (1 - jnp.exp(-force))
        ill = becomes_ill * e
        return (s - infected, e + infected - ill, i + ill - recovers * i), ill

    start = seed * people / people.sum()
    _, ill = jax.lax.scan(day, (people - start, start, 0.5 * start), length=7 * WEEKS)
    cases = ascertained * ill.reshape(WEEKS, 7, AGES).sum(axis=1) + 0.1
    return jnp.mean(cases - seen * jnp.log(cases))

"""From which populations the genomes of people come, by their genotypes."""

import jax
import jax.numpy as jnp
from program import LOCI, PEOPLE, POPULATIONS


def value(params, genotypes):
    q = jax.nn.softmax(params[: PEOPLE * POPULATIONS].reshape(PEOPLE, POPULATIONS), axis=1)
    f = jax.nn.sigmoid(params[PEOPLE * POPULATIONS :].reshape(POPULATIONS, LOCI))
    genotypes = genotypes.reshape(PEOPLE, LOCI)
    p = q @ f
    likelihood = jnp.sum(genotypes * jnp.log(p) + (2 - genotypes) * jnp.log(1 - p))
    prior = 0.5 * jnp.sum(jnp.log(f) + jnp.log(1 - f)) + 0.1 * jnp.sum(jnp.log(q))
    return -(likelihood + prior) / PEOPLE

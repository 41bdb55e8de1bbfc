"""How a gene that nobody has seen makes people ill, from the illnesses in families, by peeling."""

import jax
import jax.numpy as jnp
import numpy as np
from program import FAMILIES, FIRST, PASSES

PASSES = np.array(PASSES).reshape(3, 3, 3)
OF = np.repeat(np.arange(FAMILIES), np.diff(FIRST))  # the family of each child


def value(params, age, sex, ill):
    logit, base, additive, dominance, by_age, by_sex = params
    q = jax.nn.sigmoid(logit)
    prior = jnp.stack([(1 - q) ** 2, 2 * q * (1 - q), q**2])
    gene = jnp.stack([0.0 * additive, additive + dominance, 2 * additive])
    p = jax.nn.sigmoid(base + gene + (by_age * age + by_sex * sex)[:, None])
    chance = jnp.where(ill[:, None] > 0.5, p, 1 - p)
    parents, children = chance[: 2 * FAMILIES].reshape(FAMILIES, 2, 3), chance[2 * FAMILIES :]
    each = jnp.einsum("abc,ic->iab", PASSES, children)
    together = jnp.exp(jax.ops.segment_sum(jnp.log(each), OF, FAMILIES))
    likelihood = jnp.einsum("fa,fb,fab->f", prior * parents[:, 0], prior * parents[:, 1], together)
    return -jnp.sum(jnp.log(likelihood))

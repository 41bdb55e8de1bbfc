"""The energy of a planar conjugated molecule by Hueckel's method, and springs for its bonds."""

import jax.numpy as jnp
from program import ATOMS, NITROGEN, PAIRS, first, second


def value(params):
    atoms = params.reshape(ATOMS, 2)
    stretch = jnp.linalg.norm(atoms[first] - atoms[second], axis=1) - 1.4
    hop = -jnp.exp(-2.2 * stretch)
    h = jnp.zeros((ATOMS, ATOMS)).at[NITROGEN, NITROGEN].set(-0.5)
    h = h.at[first, second].add(hop).at[second, first].add(hop)
    levels = jnp.linalg.eigvalsh(h)
    return 2 * jnp.sum(levels[:PAIRS]) + jnp.sum(8.0 * (stretch + 0.05) ** 2)

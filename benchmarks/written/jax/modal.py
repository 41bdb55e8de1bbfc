"""The stiffnesses of storeys from the frequencies and shapes in which a building swings."""

import jax.numpy as jnp
import numpy as np
from program import MASS, MODES, STOREYS

SCALE = 1 / np.sqrt(np.array(MASS))


def value(damage, frequencies, shapes):
    shapes = shapes.reshape(STOREYS, MODES)
    stiffness = 900.0 * (1 - damage)
    above = jnp.append(stiffness[1:], 0.0)
    k = jnp.diag(stiffness + above) - jnp.diag(stiffness[1:], 1) - jnp.diag(stiffness[1:], -1)
    squares, vectors = jnp.linalg.eigh(SCALE[:, None] * k * SCALE)
    found, vectors = jnp.sqrt(squares[:MODES]) / (2 * jnp.pi), SCALE[:, None] * vectors[:, :MODES]
    off = jnp.mean((found / frequencies - 1) ** 2)
    alike = jnp.sum(vectors * shapes, axis=0) ** 2
    mac = alike / (jnp.sum(vectors**2, axis=0) * jnp.sum(shapes**2, axis=0))
    return 100 * off + jnp.mean(1 - mac) + 0.001 * jnp.sum(jnp.sqrt(damage**2 + 1e-4))

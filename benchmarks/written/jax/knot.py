"""The Moebius energy of a knot that is a polygon, with distances along it."""

import jax.numpy as jnp
from program import POINTS


def value(params):
    x = params.reshape(POINTS, 3)
    edges = jnp.roll(x, -1, axis=0) - x
    lengths = jnp.sqrt(jnp.sum(edges**2, axis=1))
    weights = 0.5 * (lengths + jnp.roll(lengths, 1))
    whole = jnp.sum(lengths)
    at = jnp.cumsum(lengths) - lengths
    along = jnp.abs(at[:, None] - at[None, :])
    along = jnp.minimum(along, whole - along)
    apart = jnp.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    same = jnp.eye(POINTS)
    density = 1 / (apart + same) - 1 / (along**2 + same)
    spread = jnp.mean((lengths / jnp.mean(lengths) - 1) ** 2)
    return jnp.einsum("i,ij,j->", weights, density, weights) + 10.0 * spread

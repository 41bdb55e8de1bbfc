"""Plants by their sizes, year by year, with an integral projection model."""

import jax
import jax.numpy as jnp
from program import MESH, YEARS

WIDTH = 6.0 / MESH
SIZES = (jnp.arange(MESH) + 0.5) * WIDTH


def kernel(p):
    s0, s1, g0, g1, g_spread, f0, f1, n0, n1, recruits, r_mean, r_spread = p
    next_year, size = SIZES[:, None], SIZES[None, :]
    growth = jax.scipy.stats.norm.pdf(next_year, g0 + g1 * size, jnp.exp(g_spread))
    growth = growth / (growth.sum(axis=0, keepdims=True) * WIDTH)
    seeds = jax.nn.sigmoid(f0 + f1 * size) * jnp.exp(n0 + n1 * size)
    newborn = jnp.exp(recruits) * jax.scipy.stats.norm.pdf(next_year, r_mean, jnp.exp(r_spread))
    return WIDTH * (jax.nn.sigmoid(s0 + s1 * size) * growth + seeds * newborn)


def value(params, first, counts):
    counts = counts.reshape(YEARS, MESH)
    k = kernel(params)

    def year(n, _):
        n = k @ n
        return n, n

    _, n = jax.lax.scan(year, first, length=YEARS)
    shares = n / n.sum(axis=1, keepdims=True)
    sizes = -jnp.mean(jnp.sum(counts * jnp.log(shares + 1e-9), axis=1))
    growth = jnp.log(n.sum(axis=1)) - jnp.log(counts.sum(axis=1))
    return sizes + 50 * jnp.mean(growth**2)

from __future__ import annotations

import jax
import jax.numpy as jnp

from . import job


def primal(x, n):
    t = -1 + jnp.arange(n) * 2 / (n - 1)
    powers = jnp.cumprod(jnp.concatenate([jnp.ones((n, 1)), jnp.tile(t[:, None], len(x) - 1)], axis=1), axis=1)
    return jnp.sum((jnp.sign(t) - powers @ x) ** 2) / 2


gradient = jax.grad(primal)
functions = {
    "primal": lambda i: job(primal, i["x"], n=i["n"]),
    "gradient": lambda i: job(gradient, i["x"], n=i["n"]),
}

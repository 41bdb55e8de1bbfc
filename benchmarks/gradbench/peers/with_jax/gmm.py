from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logsumexp, multigammaln

from . import job, plain

NAMES = ("alpha", "mu", "q", "l")


def objective(alpha, mu, q, l, x, m, gamma):
    (n, d), k = x.shape, len(alpha)
    columns, rows = np.triu_indices(d, 1)
    lower = jnp.zeros((k, d, d)).at[:, rows, columns].set(l.reshape(k, len(rows)))
    away = x[None] - mu[:, None]
    scaled = jnp.exp(q)[:, None] * away + jnp.einsum("kij,knj->kni", lower, away)
    terms = (alpha + q.sum(1))[:, None] - (scaled**2).sum(2) / 2
    degrees = d + m + 1
    constant = degrees * d * (jnp.log(gamma) - jnp.log(2) / 2) - multigammaln(degrees / 2, d)
    prior = gamma**2 / 2 * (jnp.exp(2 * q).sum() + (l**2).sum()) - m * q.sum() - k * constant
    return logsumexp(terms, axis=0).sum() - n * (d / 2 * jnp.log(2 * jnp.pi) + logsumexp(alpha)) - prior


jacobian = jax.grad(objective, argnums=(0, 1, 2, 3))


def prepared(f, given, shown):
    return job(f, *[given[name] for name in (*NAMES, "x")], shown=shown, m=given["m"], gamma=float(given["gamma"]))


functions = {
    "objective": lambda i: prepared(objective, i, plain),
    "jacobian": lambda i: prepared(jacobian, i, lambda g: dict(zip(NAMES, plain(g), strict=True))),
}

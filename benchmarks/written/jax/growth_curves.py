"""The likelihood of a mixed model of growth curves."""

import jax
import jax.numpy as jnp
from jax.scipy.linalg import solve_triangular
from program import SUBJECTS, VISITS


def deviance(params, times, sizes, treated):
    root = jnp.array([[jnp.exp(params[3]), 0.0], [params[5], jnp.exp(params[4])]])
    zr = jnp.stack([jnp.ones(VISITS), times], axis=1) @ root
    covariance = zr @ zr.T + jnp.exp(2 * params[6]) * jnp.eye(VISITS)
    residual = sizes - (params[0] + (params[1] + params[2] * treated) * times)
    factor = jnp.linalg.cholesky(covariance)
    white = solve_triangular(factor, residual, lower=True)
    return 2 * jnp.sum(jnp.log(jnp.diagonal(factor))) + white @ white


def value(params, times, sizes, treated):
    each = jax.vmap(deviance, in_axes=(None, 0, 0, 0))
    return 0.5 * jnp.sum(each(params, times.reshape(SUBJECTS, VISITS), sizes.reshape(SUBJECTS, VISITS), treated))

"""The simulated likelihood of a mixed logit of panels of choices."""

import jax.numpy as jnp
from jax.scipy.special import logsumexp
from program import ATTRIBUTES, CHOICES, DRAWS, OPTIONS, PEOPLE


def value(params, x, draws):
    mean, log_deviation = params.reshape(2, ATTRIBUTES)
    beta = mean + jnp.exp(log_deviation) * draws.reshape(PEOPLE, DRAWS, ATTRIBUTES)
    utility = jnp.einsum("ptjk,prk->prtj", x.reshape(PEOPLE, CHOICES, OPTIONS, ATTRIBUTES), beta)
    log_choice = utility[..., 0] - logsumexp(utility, axis=-1)
    log_panel = jnp.sum(log_choice, axis=-1)
    return -jnp.mean(logsumexp(log_panel, axis=1) - jnp.log(DRAWS))

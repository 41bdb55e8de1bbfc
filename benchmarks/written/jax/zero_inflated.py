"""The likelihood of a zero-inflated Poisson regression."""

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln
from program import CASES, COVARIATES, INFLATING


def value(params, x, counts):
    beta, gamma = params[:COVARIATES], params[COVARIATES:]
    x = x.reshape(CASES, COVARIATES)
    log_rate = x @ beta
    rate = jnp.exp(log_rate)
    logit = x[:, :INFLATING] @ gamma
    log_extra, log_counted = jax.nn.log_sigmoid(logit), jax.nn.log_sigmoid(-logit)
    zero = jnp.logaddexp(log_extra, log_counted - rate)
    positive = log_counted + counts * log_rate - rate - gammaln(counts + 1)
    return -jnp.mean(jnp.where(counts == 0, zero, positive)) + 0.01 * jnp.sum(beta**2)

"""The reproduction number of each week, by the renewal equation and late reports."""

import jax
import jax.numpy as jnp
from jax.scipy.special import gammaln
from program import DELAY, SERIAL, WEEKS

DAYS = 7 * WEEKS


def value(params, serial, delay, reports):
    log_r, log_seed, weekday, log_size = params[:WEEKS], params[WEEKS], params[WEEKS + 1 : WEEKS + 8], params[-1]
    size, r = jnp.exp(log_size), jnp.repeat(jnp.exp(log_r), 7)

    def day(window, r_today):  # the newest first
        new = r_today * (serial @ window)
        return jnp.concatenate([new[None], window[:-1]]), new

    seed = jnp.full(SERIAL, jnp.exp(log_seed))
    _, new = jax.lax.scan(day, seed, r)
    infected = jnp.concatenate([seed, new])
    due = sum(delay[d] * infected[SERIAL - d : SERIAL - d + DAYS] for d in range(DELAY))
    mean = due * jnp.tile(jnp.exp(weekday), WEEKS)
    nll = gammaln(size) - gammaln(reports + size) + (reports + size) * jnp.log(size + mean)
    nll = nll - size * log_size - reports * jnp.log(mean)
    walk = 0.5 * jnp.sum((jnp.diff(log_r) / 0.2) ** 2)
    return nll.sum() + walk + 0.5 * jnp.sum((weekday / 0.5) ** 2)

"""The concentrations of a drug in a group of people, a mixed-effects model of two compartments."""

import jax
import jax.numpy as jnp
from program import PEOPLE, SAMPLES, SUBSTEPS

H = 24.0 / (SAMPLES * SUBSTEPS)


def rate(p, a):
    ka, vmax, km, v, q, v2 = p
    absorbed = ka * a[0]
    c = a[1] / v
    cleared = vmax * c / (km + c)
    flow = q * (c - a[2] / v2)
    return jnp.stack([-absorbed, absorbed - cleared - flow, flow])


def step(p, a):
    k1 = rate(p, a)
    k2 = rate(p, a + H / 2 * k1)
    k3 = rate(p, a + H / 2 * k2)
    k4 = rate(p, a + H * k3)
    return a + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def predicted(typical, effects, doses):
    ka, vmax, v = effects
    zero = jnp.zeros(())
    p = jnp.exp(typical + jnp.stack([ka, vmax, zero, v, zero, zero]))

    def until_sample(a, dose):
        a = a.at[0].add(dose)
        a, _ = jax.lax.scan(lambda a, _: (step(p, a), None), a, length=SUBSTEPS)
        return a, a[1] / p[3]

    return jax.lax.scan(until_sample, jnp.zeros(3), doses)[1]


def value(params, doses, seen):
    doses, seen = doses.reshape(PEOPLE, SAMPLES), seen.reshape(PEOPLE, SAMPLES)
    typical, effects = params[:6], params[6 : 6 + 3 * PEOPLE].reshape(PEOPLE, 3)
    spread, error = params[-4:-1], params[-1]
    c = jax.vmap(predicted, in_axes=(None, 0, 0))(typical, effects, doses)
    off = (jnp.log(seen) - jnp.log(c)) / jnp.exp(error)
    return jnp.sum(0.5 * off**2 + error) + jnp.sum(0.5 * (effects / jnp.exp(spread)) ** 2 + spread)

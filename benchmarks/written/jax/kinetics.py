"""Rate constants of a mechanism, by Arrhenius's law."""

import jax
import jax.numpy as jnp
from program import RUNS, SAMPLES, STEPS, dt, inverse, starts

DT = dt[0]


def change(k, y):
    a, b, c, d, e = y
    bind, free, react = k[0] * a * b - k[1] * c, k[2] * c, k[3] * d * b - k[4] * e
    return jnp.array([-bind, -bind - react, bind - free, free - react, react])


def step(k, y):
    k1 = change(k, y)
    k2 = change(k, y + DT / 2 * k1)
    k3 = change(k, y + DT / 2 * k2)
    k4 = change(k, y + DT * k3)
    return y + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def run(k, start):
    def sample(y, _):
        y = jax.lax.scan(lambda y, _: (step(k, y), None), y, length=STEPS)[0]
        return y, y

    return jax.lax.scan(sample, start, length=SAMPLES)[1]


def value(params, measured):
    log_rate, energy = params.reshape(2, 5)
    k = jnp.exp(log_rate - energy * inverse[:, None])
    found = jax.vmap(run)(k, starts.reshape(RUNS, 5))
    return jnp.sum((found - measured.reshape(RUNS, SAMPLES, 5)) ** 2)

"""The conductances of a nerve cell, from the voltage while a current flows in."""

import jax
import jax.numpy as jnp

DT = 0.02


def gate(x, opens, closes):
    rate = opens + closes
    rest = opens / rate
    return rest + (x - rest) * jnp.exp(-rate * DT)


def value(params, current, seen):
    g_na, g_k, g_leak, e_na, e_k, e_leak, capacity = params

    def step(s, i):
        v, m, h, n = s
        after_m = gate(m, 0.1 * (v + 40) / (1 - jnp.exp(-(v + 40) / 10)), 4 * jnp.exp(-(v + 65) / 18))
        after_h = gate(h, 0.07 * jnp.exp(-(v + 65) / 20), 1 / (1 + jnp.exp(-(v + 35) / 10)))
        after_n = gate(n, 0.01 * (v + 55) / (1 - jnp.exp(-(v + 55) / 10)), 0.125 * jnp.exp(-(v + 65) / 80))
        flows = g_na * m**3 * h * (v - e_na) + g_k * n**4 * (v - e_k) + g_leak * (v - e_leak)
        v = v + DT / capacity * (i - flows)
        return (v, after_m, after_h, after_n), v

    rest = tuple(jnp.asarray(x) for x in (-65.0, 0.053, 0.596, 0.318))
    _, v = jax.lax.scan(step, rest, current)
    return jnp.mean((v - seen) ** 2)

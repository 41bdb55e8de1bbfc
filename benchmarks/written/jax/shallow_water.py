"""The bump of water that made the waves of a later time, by the shallow-water equations."""

import jax
import jax.numpy as jnp
from program import CELLS, STEPS

GRAVITY, RATIO = 9.81, 0.15


def around(q):
    return 0.25 * (jnp.roll(q, 1, axis=0) + jnp.roll(q, -1, axis=0) + jnp.roll(q, 1, axis=1) + jnp.roll(q, -1, axis=1))


def central(f, axis):
    return jnp.roll(f, -1, axis=axis) - jnp.roll(f, 1, axis=axis)


def step(state, _):
    h, hu, hv = state
    u, v = hu / h, hv / h
    pressure = 0.5 * GRAVITY * h**2
    h_after = around(h) - 0.5 * RATIO * (central(hu, 0) + central(hv, 1))
    hu_after = around(hu) - 0.5 * RATIO * (central(hu * u + pressure, 0) + central(hu * v, 1))
    hv_after = around(hv) - 0.5 * RATIO * (central(hv * u, 0) + central(hv * v + pressure, 1))
    return (h_after, hu_after, hv_after), None


def value(params, seen):
    bump, seen = params.reshape(CELLS, CELLS), seen.reshape(CELLS, CELLS)
    still = jnp.zeros((CELLS, CELLS))
    (h, _, _), _ = jax.lax.scan(step, (1.0 + bump, still, still), length=STEPS)
    rough = jnp.mean(central(bump, 0) ** 2 + central(bump, 1) ** 2)
    return jnp.mean((h - seen) ** 2) + 0.01 * rough

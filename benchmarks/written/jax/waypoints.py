"""The path of a robot between obstacles, short, smooth and clear of them."""

import jax.numpy as jnp
from program import OBSTACLES, WAYPOINTS, goal, margin, start

MARGIN = margin[0]


def value(params, centres, radii):
    waypoints = params.reshape(WAYPOINTS, 2)
    path = jnp.concatenate([start[None], waypoints, goal[None]])
    velocity = path[1:] - path[:-1]
    acceleration = velocity[1:] - velocity[:-1]
    smooth = 20.0 * jnp.sum(velocity**2) + 400.0 * jnp.sum(acceleration**2)
    away = waypoints[:, None, :] - centres.reshape(OBSTACLES, 2)
    clearance = jnp.min(jnp.sqrt(jnp.sum(away**2, axis=-1)) - radii, axis=1)
    inside = MARGIN / 2 - clearance
    near = (clearance - MARGIN) ** 2 / (2 * MARGIN)
    danger = jnp.where(clearance < 0, inside, jnp.where(clearance < MARGIN, near, 0.0))
    speed = jnp.sqrt(jnp.sum((path[2:] - path[:-2]) ** 2, axis=1))
    return smooth + 5.0 * jnp.sum(danger * speed)

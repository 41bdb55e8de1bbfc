"""A graph of poses in the plane: odometry, and places seen again by Huber's loss."""

import jax.numpy as jnp
from program import EDGES, POSES, first, second


def wrapped(angle):
    return jnp.arctan2(jnp.sin(angle), jnp.cos(angle))


def huber(square):
    large = square > 1.0
    return jnp.where(large, 2 * jnp.sqrt(jnp.where(large, square, 1.0)) - 1, square)


def value(params, seen):
    poses, seen = params.reshape(POSES, 3), seen.reshape(EDGES, 3)
    a, b = poses[first], poses[second]
    c, s = jnp.cos(a[:, 2]), jnp.sin(a[:, 2])
    dx, dy = b[:, 0] - a[:, 0], b[:, 1] - a[:, 1]
    ex, ey = c * dx + s * dy - seen[:, 0], c * dy - s * dx - seen[:, 1]
    turn = wrapped(b[:, 2] - a[:, 2] - seen[:, 2])
    square = 50.0 * (ex * ex + ey * ey) + 200.0 * turn * turn
    odometry = POSES - 1
    total = jnp.sum(square[:odometry]) + jnp.sum(huber(square[odometry:]))
    return 0.5 * total + 500.0 * jnp.sum(poses[0] ** 2)

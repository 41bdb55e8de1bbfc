"""The shape of an aerofoil that has the pressures that are wanted, by panels."""

import jax.numpy as jnp
import numpy as np
from program import BASIS, BUMPS, PANELS, X, Y

X, Y, BASIS = np.array(X), np.array(Y), np.array(BASIS).reshape(PANELS + 1, BUMPS)


def value(params, wanted):
    y, attack = Y + BASIS @ params[:BUMPS], params[BUMPS]
    angle = jnp.arctan2(y[1:] - y[:-1], X[1:] - X[:-1])
    rx = 0.5 * (X[1:] + X[:-1])[:, None] - X
    ry = 0.5 * (y[1:] + y[:-1])[:, None] - y
    log_r = 0.5 * jnp.log(rx**2 + ry**2)
    ratio = log_r[:, 1:] - log_r[:, :-1]
    cross = rx[:, :-1] * ry[:, 1:] - ry[:, :-1] * rx[:, 1:]
    dot = rx[:, :-1] * rx[:, 1:] + ry[:, :-1] * ry[:, 1:]
    seen = jnp.where(jnp.eye(PANELS) > 0, jnp.pi, jnp.arctan2(cross, dot))
    turn = angle[:, None] - angle
    sin, cos = jnp.sin(turn), jnp.cos(turn)
    normal = (sin * ratio + cos * seen) / (2 * jnp.pi)
    along = (sin * seen - cos * ratio) / (2 * jnp.pi)
    corner = normal[0].sum() + normal[-1].sum()
    matrix = jnp.block([[normal, -along.sum(axis=1)[:, None]], [(along[0] + along[-1])[None, :], corner]])
    wind = angle - attack
    kutta = -(jnp.cos(wind[0]) + jnp.cos(wind[-1]))
    strengths = jnp.linalg.solve(matrix, jnp.append(jnp.sin(wind), kutta))
    speed = jnp.cos(wind) + along @ strengths[:-1] + normal.sum(axis=1) * strengths[-1]
    return jnp.mean((1 - speed**2 - wanted) ** 2) + 10 * jnp.sum(params[:BUMPS] ** 2)

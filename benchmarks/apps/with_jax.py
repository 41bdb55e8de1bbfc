"""JAX, jitted, on the CPU, in numbers of 64 bits; the steps are `lax.scan`, and the balls and springs arrays."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import settings as given
from settings import BILLIARDS, ROBOT

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def billiards_step(state, _):
    x, v = state
    c = BILLIARDS
    ahead = x + c.dt * v
    apart = ahead[:, None] - ahead[None]
    squares = jnp.sum(apart**2, axis=2)
    other = squares > 0  # not the ball itself
    distance = jnp.sqrt(jnp.where(other, squares, 1.0))
    normal = apart / (distance + 1e-6)[..., None]
    speed = jnp.sum(normal * (v[:, None] - v[None]), axis=2)
    hits = other & (distance < 2 * c.radius) & (speed < 0)
    push = jnp.where(hits, -(1 + c.elasticity) * 0.5 * speed, 0.0)[..., None] * normal
    touched = (distance - 2 * c.radius) / jnp.minimum(-1e-3, speed)
    back = jnp.where(hits, jnp.minimum(touched - c.dt, 0.0), 0.0)[..., None] * push
    v = v + jnp.sum(push, axis=1)
    return (x + c.dt * v + jnp.sum(back, axis=1), v), None


def billiards_loss(shot, steps):
    rack = jnp.array(given.rack())
    x = jnp.concatenate([shot[None, :2], rack])
    v = jnp.concatenate([shot[None, 2:], jnp.zeros_like(rack)])
    (x, _), _ = jax.lax.scan(billiards_step, (x, v), None, length=steps)
    return jnp.sum((x[-1] - jnp.array(BILLIARDS.goal)) ** 2)


def robot_step(weights, springs, state, k):
    x, v = state
    w1, b1, w2, b2 = weights
    a, b, length, stiffness, muscle = springs
    c = ROBOT
    centre = jnp.mean(x, axis=0)
    waves = jnp.sin(10 * k * c.dt + 2 * np.pi / c.waves * np.arange(c.waves))
    body = 0.05 * jnp.concatenate([x - centre, v], axis=1)
    told = jnp.concatenate([waves, body.ravel(), jnp.array(c.goal) - centre])
    said = jnp.tanh(w2 @ jnp.tanh(w1 @ told + b1) + b2)
    along = x[a] - x[b]
    far = jnp.sqrt(jnp.sum(along**2, axis=1)) + 1e-4
    force = c.dt * (far - length * (1 + muscle * said)) * stiffness / far
    pull = force[:, None] * along
    ov = np.exp(-c.dt * c.damping) * v + jnp.array([0.0, c.dt * c.gravity])
    ov = ov.at[a].add(-pull).at[b].add(pull)
    lands = (x[:, 1] + c.dt * ov[:, 1] < c.ground) & (ov[:, 1] < -1e-4)
    falls = jnp.where(lands, -(x[:, 1] - c.ground) / jnp.where(lands, ov[:, 1], 1.0), 0.0)[:, None]
    nv = jnp.where(lands[:, None], 0.0, ov)
    return (x + falls * ov + (c.dt - falls) * nv, nv), None


def robot_loss(weights, masses, springs, steps):
    start = jnp.array(masses), jnp.zeros((len(masses), 2))
    columns = [np.array(column) for column in zip(*springs, strict=True)]
    (x, _), _ = jax.lax.scan(partial(robot_step, weights, columns), start, jnp.arange(steps))
    return -x[0, 0]


def waited(f):
    """The function compiled, and its results waited for."""
    f = jax.jit(f)
    return lambda *args: jax.block_until_ready(f(*args))


def billiards(setting):
    both = waited(jax.value_and_grad(partial(billiards_loss, steps=setting["steps"])))

    def optimised(iterations):
        shot, losses = np.array(BILLIARDS.shot), []
        for _ in range(iterations):
            value, slope = both(shot)
            losses.append(float(value))
            shot = shot - BILLIARDS.rate * np.asarray(slope)
        return losses

    return lambda: both(np.array(BILLIARDS.shot)), optimised


def robot(setting):
    masses, springs, weights = setting["masses"], setting["springs"], [np.array(w) for w in setting["weights"]]
    f = partial(robot_loss, masses=masses, springs=springs, steps=setting["steps"])

    @waited
    def better(weights):
        value, slope = jax.value_and_grad(f)(weights)
        rate = ROBOT.rate / (jnp.sqrt(sum([jnp.sum(g**2) for g in slope])) + 1e-6)
        return value, [w - rate * g for w, g in zip(weights, slope, strict=True)]

    def optimised(iterations):
        now, losses = weights, []
        for _ in range(iterations):
            value, now = better(now)
            losses.append(float(value))
        return losses

    both = waited(jax.value_and_grad(f))
    return lambda: both(weights), optimised


APPS = {"billiards": billiards, "robot": robot}

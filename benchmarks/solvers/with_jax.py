"""JAX, jitted, on the CPU, in numbers of 64 bits. Data lie where JAX has them before anything is timed.

A sparse Jacobian is what a user of JAX makes by hand: a small dense one for each observation, put where it belongs.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import problems
from scipy.sparse import csr_array

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def valley(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def loss(data):
    x, y, ridge = map(jnp.asarray, data)

    def f(w):
        z = x @ w
        return ridge / 2 * w @ w + jnp.sum(jax.nn.softplus(z) - y * z)

    return f


def smooth(f):
    fun, jac, both = jax.jit(f), jax.jit(jax.grad(f)), jax.jit(jax.value_and_grad(f))
    hessp = jax.jit(lambda x, p: jax.jvp(jax.grad(f), (x,), (p,))[1])

    def value_and_grad(x):
        value, g = both(x)
        return float(value), np.asarray(g)

    return {
        "fun": lambda x: float(fun(x)), "jac": lambda x: np.asarray(jac(x)), "both": value_and_grad,
        "hessp": lambda x, p: np.asarray(hessp(x, p)), "args": (),
    }  # fmt: skip


def picture(camera, p):
    turn, away, focal = camera[:3], camera[3:6], camera[6]
    square = turn @ turn
    angle = jnp.sqrt(square)
    ahead = (turn @ p) * (1 - jnp.cos(angle)) / square
    q = jnp.cos(angle) * p + jnp.sin(angle) / angle * jnp.cross(turn, p) + ahead * turn + away
    return focal * q[:2] / q[2]


def squares():
    _, camera, point, there = problems.bundle()
    n, k = 7 * problems.CAMERAS, len(camera)

    def parts(x):
        return x[:n].reshape(-1, 7)[camera], x[n:].reshape(-1, 3)[point]

    fun = jax.jit(lambda x: (jax.vmap(picture)(*parts(x)) - there).ravel())
    blocks = jax.jit(
        lambda x: jnp.concatenate(jax.vmap(jax.jacfwd(picture, argnums=(0, 1)))(*parts(x)), axis=2).ravel()
    )
    columns = np.concatenate([7 * camera[:, None] + np.arange(7), n + 3 * point[:, None] + np.arange(3)], axis=1)
    columns, starts = np.repeat(columns, 2, axis=0).ravel().astype("i4"), np.arange(0, 20 * k + 1, 10, dtype="i4")
    shape = 2 * k, n + 3 * problems.POINTS
    return {
        "fun": lambda x: np.asarray(fun(x)),
        "jac": lambda x: csr_array((np.asarray(blocks(x)), columns, starts), shape=shape),
        "args": (),
    }


TOOLS = {"rosenbrock": lambda: smooth(valley), "logistic": lambda: smooth(loss(problems.logistic())), "bundle": squares}

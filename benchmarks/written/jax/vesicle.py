"""The energy of a closed membrane of triangles: areas that are kept, a volume, and bending at the edges."""

import jax.numpy as jnp
from program import F, H, N, faces, hinges

FACES, HINGES = faces.reshape(F, 3), hinges.reshape(H, 2)


def value(params, rest):
    x = params.reshape(N, 3)
    a, b, c = x[FACES[:, 0]], x[FACES[:, 1]], x[FACES[:, 2]]
    normals = jnp.cross(b - a, c - a)
    lengths = jnp.linalg.norm(normals, axis=1)
    stretch = jnp.sum((0.5 * lengths - rest) ** 2 / rest)
    volume = jnp.sum(a * jnp.cross(b, c)) / 6
    s, t = HINGES.T
    bend = jnp.sum(1 - jnp.sum(normals[s] * normals[t], axis=1) / (lengths[s] * lengths[t]))
    return 10.0 * stretch + 20.0 * (volume - 2.5) ** 2 + 0.5 * bend

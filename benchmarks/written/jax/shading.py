"""A relief, its albedo and its gloss from photographs under three lights."""

import jax.numpy as jnp
from program import SIZE, half, lights

LIGHTS, HALF = lights.reshape(3, 3), half.reshape(3, 3)


def value(params, photos):
    maps, (specular, log_gloss) = params[:-2].reshape(2, SIZE, SIZE), params[-2:]
    z, albedo = maps
    left, right = jnp.roll(z, 1, axis=1), jnp.roll(z, -1, axis=1)
    up, down = jnp.roll(z, 1, axis=0), jnp.roll(z, -1, axis=0)
    dx, dy = 0.5 * (right - left), 0.5 * (down - up)
    normal = jnp.stack([-dx, -dy, jnp.ones((SIZE, SIZE))], axis=-1) / jnp.sqrt(1 + dx**2 + dy**2)[..., None]
    diffuse = jnp.maximum(normal @ LIGHTS.T, 0.0)
    highlight = jnp.maximum(normal @ HALF.T, 1e-4) ** jnp.exp(log_gloss)
    image = albedo[..., None] * diffuse + specular * highlight
    rough = left + right + up + down - 4 * z
    return jnp.mean((image - photos.reshape(SIZE, SIZE, 3)) ** 2) + 0.01 * jnp.mean(rough**2)

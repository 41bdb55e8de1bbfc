"""An image of Gaussian splats in the plane, painted from front to back and compared with another."""

import jax
import jax.numpy as jnp
from program import SIZE, SPLATS

SIDE = (jnp.arange(SIZE) + 0.5) / SIZE


def value(params, target):
    splats = params.reshape(SPLATS, 9)
    centre, scale, angle, opacity, colour = jnp.split(splats, [2, 4, 5, 6], axis=1)
    (u, v), c, d = jnp.exp(-2 * scale.T), jnp.cos(angle[:, 0]), jnp.sin(angle[:, 0])
    conic = (u * c * c + v * d * d, (u - v) * c * d, u * d * d + v * c * c, jax.nn.sigmoid(opacity[:, 0]))
    y, x = jnp.meshgrid(SIDE, SIDE, indexing="ij")

    def over(state, splat):
        light, image = state
        at, colour, (a, b, c, opacity) = splat
        dx, dy = x - at[0], y - at[1]
        alpha = opacity * jnp.exp(-0.5 * (a * dx * dx + 2 * b * dx * dy + c * dy * dy))
        return (light * (1 - alpha), image + (light * alpha)[..., None] * colour), None

    start = (jnp.ones((SIZE, SIZE)), jnp.zeros((SIZE, SIZE, 3)))
    (_, image), _ = jax.lax.scan(over, start, (centre, colour, conic))
    return jnp.mean((image - target.reshape(SIZE, SIZE, 3)) ** 2)

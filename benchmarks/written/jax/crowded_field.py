"""Stars of a crowded field, each a point spread as Moffat's, above a sloping sky, fitted to an image."""

import jax.numpy as jnp
from program import SIZE, STARS

ROWS, COLUMNS = jnp.mgrid[:SIZE, :SIZE].astype(float)


def value(params, image, weight):
    x, y, log_flux = params[: 3 * STARS].reshape(3, STARS)
    log_width, beta, *sky = params[3 * STARS :]
    dx = COLUMNS - x[:, None, None]
    dy = ROWS - y[:, None, None]
    square = jnp.exp(2 * log_width)
    spread = (1 + (dx**2 + dy**2) / square) ** -beta
    flux = jnp.exp(log_flux) * (beta - 1) / (jnp.pi * square)
    model = jnp.einsum("s,sij->ij", flux, spread) + sky[0] + sky[1] * ROWS + sky[2] * COLUMNS
    return 0.5 * jnp.sum(weight.reshape(SIZE, SIZE) * (image.reshape(SIZE, SIZE) - model) ** 2)

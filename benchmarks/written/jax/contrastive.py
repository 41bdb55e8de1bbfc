"""The symmetric contrastive loss of pairs of two views, each with a linear encoder."""

import jax.numpy as jnp
from jax.scipy.special import logsumexp
from program import BATCH, IMAGE, SHARED, TEXT


def encoded(x, weights):
    z = x @ weights
    return z / jnp.sqrt(jnp.sum(z**2, axis=1, keepdims=True) + 1e-8)


def value(params, images, texts):
    image, text, log_scale = jnp.split(params, [IMAGE * SHARED, (IMAGE + TEXT) * SHARED])
    a = encoded(images.reshape(BATCH, IMAGE), image.reshape(IMAGE, SHARED))
    b = encoded(texts.reshape(BATCH, TEXT), text.reshape(TEXT, SHARED))
    logits = jnp.exp(log_scale) * a @ b.T
    matched = jnp.diagonal(logits)
    by_image = jnp.mean(logsumexp(logits, axis=1) - matched)
    by_text = jnp.mean(logsumexp(logits, axis=0) - matched)
    return 0.5 * (by_image + by_text)

"""The symmetric contrastive loss of pairs of two views with linear encoders, as CLIP has it: machine learning."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

BATCH, IMAGE, TEXT, SHARED = 32, 24, 20, 16


@rose.struct
class Encoders:
    image: Vec[IMAGE, SHARED]
    text: Vec[TEXT, SHARED]
    log_scale: Real


def encoded(x, weights):
    z = x @ weights
    return z / np.sqrt(np.sum(z**2, axis=1, keepdims=True) + 1e-8)


@fn
def loss(e: Encoders, images: Vec[BATCH, IMAGE], texts: Vec[BATCH, TEXT]) -> Real:
    logits = np.exp(e.log_scale) * encoded(images, e.image) @ encoded(texts, e.text).T
    matched = np.diagonal(logits)
    by_image = np.mean(rose.logsumexp(logits, axis=1) - matched)
    by_text = np.mean(rose.logsumexp(logits, axis=0) - matched)
    return 0.5 * (by_image + by_text)


def written() -> Written:
    r = np.random.default_rng(105)
    params = [*r.normal(0, 0.25, (IMAGE + TEXT) * SHARED).tolist(), 1.5]
    data = (r.standard_normal(BATCH * IMAGE).tolist(), r.standard_normal(BATCH * TEXT).tolist())
    sizes = {"BATCH": BATCH, "IMAGE": IMAGE, "TEXT": TEXT, "SHARED": SHARED}
    program = Program("contrastive", source("contrastive"), sizes, params, {"text": loss}, data)
    return Written("contrastive", "machine learning", "arrays", program)

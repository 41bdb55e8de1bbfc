"""A relief, its albedo and its gloss from photographs under three lights, with Blinn's highlights: graphics."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

SIZE = 24
LIGHTS = np.array([[0.5, 0.1, 0.8], [-0.4, 0.4, 0.7], [0.0, -0.6, 0.9]])
LIGHTS /= np.linalg.norm(LIGHTS, axis=1, keepdims=True)
HALF = LIGHTS + np.array([0.0, 0.0, 1.0])  # between a light and the camera above
HALF /= np.linalg.norm(HALF, axis=1, keepdims=True)


@rose.struct
class Relief:
    height: Vec[SIZE, SIZE]
    albedo: Vec[SIZE, SIZE]
    specular: Real
    log_gloss: Real


@fn
def loss(m: Relief, photos: Vec[SIZE, SIZE, 3]) -> Real:
    z = m.height
    left, right = np.roll(z, 1, axis=1), np.roll(z, -1, axis=1)
    up, down = np.roll(z, 1, axis=0), np.roll(z, -1, axis=0)
    dx, dy = 0.5 * (right - left), 0.5 * (down - up)
    normal = rose.stack([-dx, -dy, rose.ones((SIZE, SIZE))], axis=-1) / np.sqrt(1 + dx**2 + dy**2)[..., None]
    diffuse = np.maximum(normal @ LIGHTS.T, 0.0)
    highlight = np.maximum(normal @ HALF.T, 1e-4) ** np.exp(m.log_gloss)
    image = m.albedo[..., None] * diffuse + m.specular * highlight
    rough = left + right + up + down - 4 * z
    return np.mean((image - photos) ** 2) + 0.01 * np.mean(rough**2)


def written() -> Written:
    r = np.random.default_rng(107)
    height = r.normal(0, 0.25, (SIZE, SIZE))
    albedo = r.uniform(0.3, 0.9, (SIZE, SIZE))
    params = [*height.ravel().tolist(), *albedo.ravel().tolist(), 0.3, 2.0]
    data = (r.uniform(0, 1, SIZE * SIZE * 3).tolist(),)
    tables = {"lights": LIGHTS.ravel().tolist(), "half": HALF.ravel().tolist()}
    program = Program("shading", source("shading"), {"SIZE": SIZE}, params, {"text": loss}, data, tables)
    return Written("shading", "graphics", "arrays", program)

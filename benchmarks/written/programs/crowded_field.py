"""Stars of a crowded field, each a point spread as Moffat's, above a sloping sky, fitted to an image: astronomy."""

import math

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

STARS, SIZE = 8, 28
ROWS, COLUMNS = np.mgrid[:SIZE, :SIZE].astype(float)


@rose.struct
class Field:
    x: Vec[STARS]
    y: Vec[STARS]
    log_flux: Vec[STARS]
    log_width: Real
    beta: Real
    sky: Vec[3]


def modelled(f):
    dx = COLUMNS - f.x[:, None, None]
    dy = ROWS - f.y[:, None, None]
    square = np.exp(2 * f.log_width)
    spread = (1 + (dx**2 + dy**2) / square) ** -f.beta
    flux = np.exp(f.log_flux) * (f.beta - 1) / (math.pi * square)
    return np.einsum("s,sij->ij", flux, spread) + f.sky[0] + f.sky[1] * ROWS + f.sky[2] * COLUMNS


@fn
def loss(f: Field, image: Vec[SIZE, SIZE], weight: Vec[SIZE, SIZE]) -> Real:
    return 0.5 * np.sum(weight * (image - modelled(f)) ** 2)


def written() -> Written:
    r = np.random.default_rng(115)
    x, y = r.uniform(4, SIZE - 4, (2, STARS))
    log_flux = r.uniform(5, 7, STARS)
    image = modelled(Field(x, y, log_flux, 0.7, 2.8, np.array([10.0, 0.05, -0.02])))
    weight = 1 / (image + 4)
    image = image + r.normal(0, 1, image.shape) / np.sqrt(weight)
    near = (x + r.normal(0, 0.3, STARS), y + r.normal(0, 0.3, STARS), log_flux + r.normal(0, 0.1, STARS))
    params = [*np.concatenate(near).tolist(), 0.8, 2.5, 9.0, 0.0, 0.0]
    data = (image.ravel().tolist(), weight.ravel().tolist())
    sizes = {"STARS": STARS, "SIZE": SIZE}
    program = Program("crowded_field", source("crowded_field"), sizes, params, {"text": loss}, data)
    return Written("crowded_field", "astronomy", "arrays", program)

"""The stiffnesses of storeys from the frequencies and shapes in which a building swings: structural mechanics.

Model updating of a shear frame, by its lowest modes, with the modal assurance criterion (MAC).
"""

import numpy as np

from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

STOREYS, MODES = 12, 4
MASS = np.array([1.2, *[1.0] * (STOREYS - 2), 0.8])
SCALE = 1 / np.sqrt(MASS)


def modes(stiffness):
    above = np.append(stiffness[1:], 0.0)
    k = np.diag(stiffness + above) - np.diag(stiffness[1:], 1) - np.diag(stiffness[1:], -1)
    squares, vectors = np.linalg.eigh(SCALE[:, None] * k * SCALE)
    return np.sqrt(squares[:MODES]) / (2 * np.pi), SCALE[:, None] * vectors[:, :MODES]


@fn
def misfit(damage: Vec[STOREYS], frequencies: Vec[MODES], shapes: Vec[STOREYS, MODES]) -> Real:
    """Of frequencies and shapes, for the parts of the stiffnesses that are lost."""
    found, vectors = modes(900.0 * (1 - damage))
    off = np.mean((found / frequencies - 1) ** 2)
    alike = np.sum(vectors * shapes, axis=0) ** 2
    mac = alike / (np.sum(vectors**2, axis=0) * np.sum(shapes**2, axis=0))
    return 100 * off + np.mean(1 - mac) + 0.001 * np.sum(np.sqrt(damage**2 + 1e-4))


def written() -> Written:
    r = np.random.default_rng(208)
    lost = np.zeros(STOREYS)
    lost[[2, 7]] = 0.3, 0.15
    frequencies, shapes = modes(900.0 * (1 - lost))
    frequencies, shapes = frequencies * r.normal(1, 0.003, MODES), shapes + r.normal(0, 0.01, shapes.shape)
    params = r.uniform(0.0, 0.1, STOREYS).tolist()
    sizes, tables = {"STOREYS": STOREYS, "MODES": MODES}, {"MASS": MASS.tolist()}
    data = (frequencies.tolist(), shapes.ravel().tolist())
    program = Program("modal", source("modal"), sizes, params, {"text": misfit}, data, tables)
    return Written("modal", "structural mechanics", "linalg", program)

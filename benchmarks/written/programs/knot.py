"""The Moebius energy of a knot that is a polygon, after O'Hara, with distances along it: geometry."""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

POINTS = 60


@fn
def energy(x: Vec[POINTS, 3]) -> Real:
    edges = np.roll(x, -1, axis=0) - x
    lengths = np.sqrt(np.sum(edges**2, axis=1))
    weights = 0.5 * (lengths + np.roll(lengths, 1))
    whole = np.sum(lengths)
    at = np.cumsum(lengths) - lengths
    along = np.abs(at[:, None] - at[None, :])
    along = np.minimum(along, whole - along)
    apart = np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    same = np.eye(POINTS)
    density = 1 / (apart + same) - 1 / (along**2 + same)
    spread = np.mean((lengths / np.mean(lengths) - 1) ** 2)
    return rose.einsum("i,ij,j->", weights, density, weights) + 10.0 * spread


def written() -> Written:
    r = np.random.default_rng(120)
    t = 2 * np.pi * np.arange(POINTS) / POINTS
    trefoil = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.cos(t) - 2 * np.cos(2 * t), -np.sin(3 * t)], axis=1)
    params = (trefoil + r.normal(0, 0.03, trefoil.shape)).ravel().tolist()
    program = Program("knot", source("knot"), {"POINTS": POINTS}, params, {"text": energy})
    return Written("knot", "geometry", "arrays", program)

"""What is solved, and how: numbers, and calls of SciPy; the same for each tool, also in the environments of others.

A tool gives, for a problem, what SciPy calls: `fun`, `jac`, `both` and `hessp` of one vector, and `args` after it.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares, minimize

ROSENBROCK, ROWS, COLUMNS, CAMERAS, POINTS = 100, 1000, 20, 20, 300


def logistic():
    """Rows of data, what happened, and a weight of the penalty."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(ROWS, COLUMNS))
    chance = 1 / (1 + np.exp(-x @ rng.normal(size=COLUMNS)))
    return x, (rng.random(ROWS) < chance).astype(float), 0.1


def rotated(turn, p):
    """Points, each turned by the angle that is the length of its vector, and around it: Rodrigues' formula."""
    angle = np.linalg.norm(turn, axis=1, keepdims=True)
    k = turn / angle
    along = (k * p).sum(axis=1, keepdims=True)
    return np.cos(angle) * p + np.sin(angle) * np.cross(k, p) + (1 - np.cos(angle)) * along * k


def bundle():
    """A start, which camera sees which point, and where: of cameras all around a heap of points."""
    rng = np.random.default_rng(1)
    camera, point = np.nonzero(rng.random((CAMERAS, POINTS)) < 0.35)
    cameras = np.zeros((CAMERAS, 7))  # the axis times the angle, the way, and the focal length
    cameras[:, :3] = rng.normal(0, 0.02, (CAMERAS, 3))
    cameras[:, 1] += 0.3 * np.arange(CAMERAS) - 2.95
    cameras[:, 5:] = 5, 500
    points = rng.normal(0, 0.7, (POINTS, 3))
    seen = rotated(cameras[camera, :3], points[point]) + cameras[camera, 3:6]
    there = cameras[camera, 6:] * seen[:, :2] / seen[:, 2:] + rng.normal(0, 0.5, (len(camera), 2))
    start = np.concatenate([cameras.ravel(), points.ravel()])
    return start + rng.normal(0, 0.02, start.shape), camera, point, there


# problem -> the calls of SciPy, of what a tool gives and a start


def with_both(method, gives, x, **options):
    return minimize(gives["both"], x, gives["args"], method, jac=True, options=options)


def with_products(method, gives, x, **options):
    return minimize(gives["fun"], x, gives["args"], method, gives["jac"], hessp=gives["hessp"], options=options)


def with_squares(_method, gives, x, **options):
    options |= {"jac_sparsity": gives["sparsity"]} if "sparsity" in gives else {}
    return least_squares(gives["fun"], x, gives["jac"], x_scale="jac", args=gives["args"], **options)


def differences(method, gives, x, **options):
    return minimize(gives["fun"], x, gives["args"], method, "2-point", options=options)


VALLEY = np.tile([1.3, 0.7, 0.8, 1.9, 1.2], ROSENBROCK // 5)
PROBLEMS = {
    "Rosenbrock 100, L-BFGS-B": ("rosenbrock", VALLEY, with_both, {"maxfun": 10**6}),
    "Rosenbrock 100, trust-ncg": ("rosenbrock", VALLEY, with_products, {}),
    "logistic regression 1000 x 20, L-BFGS-B": ("logistic", np.zeros(COLUMNS), with_both, {"maxfun": 10**6}),
    "logistic regression 1000 x 20, Newton-CG": ("logistic", np.zeros(COLUMNS), with_products, {}),
    "bundle of 20 cameras, least_squares": ("bundle", bundle()[0], with_squares, {}),
}

"""The shape of an aerofoil that has the pressures that are wanted, by panels: fluid mechanics.

Hess and Smith's method: a source of its own on each panel and one vortex strength on all, so that nothing flows
through the middles of the panels, and the flow leaves the trailing edge smoothly (Kutta). The shape is NACA 2412 with
bumps of Hicks and Henne.
"""

import numpy as np

import rose
from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

PANELS, BUMPS = 40, 8


def naca2412():
    """The corners of the panels, from the trailing edge below to the nose and above back."""
    angle = np.linspace(0, 2 * np.pi, PANELS + 1)
    x = 0.5 * (1 + np.cos(angle))
    t = 0.6 * (0.2969 * np.sqrt(x) - 0.126 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
    camber = np.where(x < 0.4, 0.02 / 0.16 * (0.8 * x - x**2), 0.02 / 0.36 * (0.2 + 0.8 * x - x**2))
    return x, camber + np.where(angle < np.pi, -t, t)


X, Y = naca2412()
UPPER = np.arange(PANELS + 1) > PANELS // 2
PEAKS = np.log(0.5) / np.log(np.linspace(0.15, 0.85, BUMPS // 2))
SHAPES = np.sin(np.pi * np.clip(X[:, None], 0, 1) ** PEAKS) ** 3
BASIS = np.concatenate([SHAPES * UPPER[:, None], SHAPES * ~UPPER[:, None]], axis=1)


def pressures(p):
    y, attack = Y + BASIS @ p[:BUMPS], p[BUMPS]
    dx, dy = X[1:] - X[:-1], y[1:] - y[:-1]
    angle = np.arctan2(dy, dx)
    middle_x, middle_y = 0.5 * (X[1:] + X[:-1]), 0.5 * (y[1:] + y[:-1])
    rx, ry = middle_x[:, None] - X, middle_y[:, None] - y  # from each corner to each middle
    log_r = 0.5 * np.log(rx**2 + ry**2)
    ratio = log_r[:, 1:] - log_r[:, :-1]
    cross = rx[:, :-1] * ry[:, 1:] - ry[:, :-1] * rx[:, 1:]
    dot = rx[:, :-1] * rx[:, 1:] + ry[:, :-1] * ry[:, 1:]
    seen = np.where(np.eye(PANELS) > 0, np.pi, np.arctan2(cross, dot))
    turn = angle[:, None] - angle
    sin, cos = np.sin(turn), np.cos(turn)
    normal = (sin * ratio + cos * seen) / (2 * np.pi)  # what a source gives; a vortex gives it along the panel
    along = (sin * seen - cos * ratio) / (2 * np.pi)
    last_column, last_row = -along.sum(axis=1), along[0] + along[-1]
    corner = normal[0].sum() + normal[-1].sum()
    matrix = rose.block([[normal, last_column[:, None]], [last_row[None, :], rose.array([[corner]])]])
    wind = angle - attack
    kutta = -(np.cos(wind[0]) + np.cos(wind[-1]))
    strengths = np.linalg.solve(matrix, rose.append(np.sin(wind), kutta))
    speed = np.cos(wind) + along @ strengths[:-1] + normal.sum(axis=1) * strengths[-1]
    return 1 - speed**2


@fn
def loss(p: Vec[BUMPS + 1], wanted: Vec[PANELS]) -> Real:
    return np.mean((pressures(p) - wanted) ** 2) + 10 * np.sum(p[:BUMPS] ** 2)


def written() -> Written:
    r = np.random.default_rng(206)
    middle = 0.5 * (X[1:] + X[:-1])
    wanted = np.where(UPPER[1:], -0.8 * (1 - middle) ** 0.7, 0.3 * (1 - middle) ** 3)
    params = [*r.normal(0, 0.004, BUMPS).tolist(), 0.06]
    sizes = {"PANELS": PANELS, "BUMPS": BUMPS}
    tables = {"X": X.tolist(), "Y": Y.tolist(), "BASIS": BASIS.ravel().tolist()}
    program = Program("panels", source("panels"), sizes, params, {"text": loss}, (wanted.tolist(),), tables)
    return Written("panels", "fluid mechanics", "linalg", program)

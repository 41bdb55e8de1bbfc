"""The path of a robot between obstacles, short, smooth and clear of them, as CHOMP has its costs: robotics.

The costs of obstacles are weighted by speed, as in Ratliff and others (2009).
"""

import numpy as np

from benchmarks.compare.programs import Program
from benchmarks.written.model import Written, source
from rose import Real, Vec, fn

WAYPOINTS, OBSTACLES = 50, 8
START, GOAL, MARGIN = np.array([[0.0, 0.0]]), np.array([[5.0, 4.0]]), 0.3


@fn
def cost(waypoints: Vec[WAYPOINTS, 2], centres: Vec[OBSTACLES, 2], radii: Vec[OBSTACLES]) -> Real:
    path = np.concatenate([START, waypoints, GOAL])
    velocity = path[1:] - path[:-1]
    acceleration = velocity[1:] - velocity[:-1]
    smooth = 20.0 * np.sum(velocity**2) + 400.0 * np.sum(acceleration**2)
    away = waypoints[:, None, :] - centres
    clearance = np.min(np.sqrt(np.sum(away**2, axis=-1)) - radii, axis=1)
    inside = MARGIN / 2 - clearance
    near = (clearance - MARGIN) ** 2 / (2 * MARGIN)
    danger = np.where(clearance < 0, inside, np.where(clearance < MARGIN, near, 0.0))
    speed = np.sqrt(np.sum((path[2:] - path[:-2]) ** 2, axis=1))
    return smooth + 5.0 * np.sum(danger * speed)


def written() -> Written:
    r = np.random.default_rng(118)
    t = np.linspace(0, 1, WAYPOINTS + 2)[1:-1, None]
    params = ((1 - t) * START + t * GOAL + r.normal(0, 0.05, (WAYPOINTS, 2))).ravel().tolist()
    centres = r.uniform(0.5, 4.0, (OBSTACLES, 2))
    data = (centres.ravel().tolist(), r.uniform(0.3, 0.6, OBSTACLES).tolist())
    sizes = {"WAYPOINTS": WAYPOINTS, "OBSTACLES": OBSTACLES}
    tables = {"start": START.ravel().tolist(), "goal": GOAL.ravel().tolist(), "margin": [MARGIN]}
    program = Program("waypoints", source("waypoints"), sizes, params, {"text": cost}, data, tables)
    return Written("waypoints", "robotics", "arrays", program)

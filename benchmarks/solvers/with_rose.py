"""Ours: `rose.scipy`. Data go along with each call."""

from __future__ import annotations

import problems

import rose
from rose import Fin, Real, Vec, fn

ROWS, COLUMNS = problems.ROWS, problems.COLUMNS
START, CAMERA, POINT, THERE = problems.bundle()
K = len(CAMERA)


def valley(n):
    term = lambda x, i: 100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return fn([Vec[n]], Real)(lambda x: rose.sum(term(x, i) for i in rose.range(n - 1)))


@fn
def loss(w: Vec[COLUMNS], x: Vec[ROWS, Vec[COLUMNS]], y: Vec[ROWS], ridge: Real) -> Real:
    def one(i):
        z = rose.dot(x[i], w)
        return rose.softplus(z) - y[i] * z

    return ridge / 2 * rose.dot(w, w) + rose.sum(one(i) for i in rose.range(ROWS))


@rose.struct
class Camera:
    turn: Vec[3]
    away: Vec[3]
    focal: Real

    def picture(self, p):
        square = rose.dot(self.turn, self.turn)
        angle = rose.sqrt(square)
        cos, sin = rose.cos(angle), rose.sin(angle) / angle
        ahead = rose.dot(self.turn, p) * (1 - cos) / square
        aside = rose.cross(self.turn, p)
        x, y, z = [cos * p[k] + sin * aside[k] + ahead * self.turn[k] + self.away[k] for k in range(3)]
        return [self.focal * x / z, self.focal * y / z]


@rose.struct
class Scene:
    cameras: Vec[problems.CAMERAS, Camera]
    points: Vec[problems.POINTS, Vec[3]]


@fn
def misses(scene: Scene, there: Vec[K, Vec[2]]) -> Vec[K, Vec[2]]:
    camera = rose.constant(Vec[K, Fin[problems.CAMERAS]], CAMERA.tolist())
    point = rose.constant(Vec[K, Fin[problems.POINTS]], POINT.tolist())

    def miss(k):
        here = scene.cameras[camera[k]].picture(scene.points[point[k]])
        return [here[0] - there[k][0], here[1] - there[k][1]]

    return rose.vec(miss(k) for k in rose.range(K))


def smooth(f, *args):
    s = rose.scipy(f)
    return {"fun": s.fun, "jac": s.jac, "both": s.fun_and_jac, "hessp": s.hessp, "args": args}


def squares():
    s = rose.scipy(misses)
    return {"fun": s.fun, "jac": s.jac, "args": (THERE,)}


TOOLS = {
    "rosenbrock": lambda: smooth(valley(problems.ROSENBROCK)),
    "logistic": lambda: smooth(loss, *problems.logistic()),
    "bundle": squares,
}

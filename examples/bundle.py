"""Bundle adjustment: where cameras stood and points lie, from where the points are in the pictures.

Each number of a picture depends on one camera and one point: of the Jacobian, one entry in a hundred can be other than
zero. SciPy gets just these.
"""

from random import Random
from typing import TypeAlias

from scipy.optimize import least_squares

import rose
from rose import Fin, Real, Vec, fn

CAMERAS, POINTS = 20, 300
rng = Random(1)
SEEN = [(c, p) for c in range(CAMERAS) for p in range(POINTS) if rng.random() < 0.35]


@rose.struct
class Camera:
    turn: Vec[3]  # the axis that it is turned around; its length is the angle
    away: Vec[3]
    focal: Real

    def turned(self, p):
        """Rodrigues' formula, and where there is no angle to divide by, what it tends to."""
        square = rose.dot(self.turn, self.turn)
        angle = rose.sqrt(square)
        cos, sin = rose.cos(angle), rose.sin(angle) / angle
        ahead = rose.dot(self.turn, p) * (1 - cos) / square
        aside = rose.cross(self.turn, p)
        exact = [cos * p[k] + sin * aside[k] + ahead * self.turn[k] for k in range(3)]
        return rose.select(square > 0.0, exact, [p[k] + aside[k] for k in range(3)])

    def picture(self, p):
        """Where a point is in its picture."""
        there = self.turned(p)
        x, y, z = [there[k] + self.away[k] for k in range(3)]
        return [self.focal * x / z, self.focal * y / z]


@rose.struct
class Scene:
    cameras: Vec[CAMERAS, Camera]
    points: Vec[POINTS, Vec[3]]


K = len(SEEN)
Pictures: TypeAlias = Vec[K, Vec[2]]


@fn
def pictures(scene: Scene) -> Pictures:
    """Where each camera has the points that it sees."""
    seen = rose.constant(Vec[K, tuple[Fin[CAMERAS], Fin[POINTS]]], SEEN)
    return rose.vec(scene.cameras[seen[k][0]].picture(scene.points[seen[k][1]]) for k in rose.range(K))


@fn
def misses(scene: Scene, there: Pictures) -> Pictures:
    """How far that is from where they are, in pixels."""
    here = pictures(scene)
    return rose.vec([here[k][0] - there[k][0], here[k][1] - there[k][1]] for k in rose.range(K))


def near(x, by):
    """These numbers, each a bit off."""
    return [q + rng.gauss(0, by) for q in x]


def scene(off: float) -> Scene:
    """Cameras in a circle, and a heap of points in it, but for errors."""
    turns = [[0, 0.3 * c - 0.15 * CAMERAS, 0] for c in range(CAMERAS)]
    cameras = [Camera(near(turn, off), near([0, 0, 5], off), 500 * (1 + off)) for turn in turns]
    return Scene(cameras, [near(x, off) for x in HEAP])


HEAP = [near([0, 0, 0], 0.7) for _ in range(POINTS)]
there = [near(x, 0.5) for x in pictures(scene(0.0))]  # measured to half a pixel
start = scene(0.02)
s = rose.scipy(misses)

if __name__ == "__main__":
    x = s.flatten(start)
    end = least_squares(s.fun, x, s.jac, x_scale="jac", args=(there,))
    found = s.unflatten(end.x)
    print(f"{len(end.x)} unknowns, {len(end.fun)} numbers in the pictures, {end.jac.nnz} entries in the Jacobian")
    print(f"pictures are off by {s.fun(x, there).std():.2f} pixels, and after {end.njev} steps by {end.fun.std():.2f}")
    print(f"the first camera has the focal length {found.cameras[0].focal:.1f}")

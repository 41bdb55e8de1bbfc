"""`ba`: bundle adjustment. The errors of an observation depend on 15 numbers: the Jacobian has a block for each.

Its CSR comes in the parts that it is made of, which lie one after the other in the memory of the module.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

import rose
from rose import Fin, Real, Vec, fn

from ..placed import call
from . import Functions, Job

n, m, p = rose.dim("n"), rose.dim("m"), rose.dim("p")  # cameras, points, observations


@fn
def turned(r: Vec[3], x: Vec[3]) -> Vec[3]:
    """`x`, turned about the axis `r` by an angle of its length."""
    theta2 = rose.dot(r, r)
    still = theta2 == 0.0  # what the other arms hold then is not taken, nor is its derivative
    theta = rose.sqrt(rose.select(still, 1.0, theta2))
    over, cosine = 1 / theta, rose.cos(theta)
    c, s = rose.select(still, 1.0, cosine), rose.select(still, 1.0, rose.sin(theta) * over)
    t = rose.select(still, 0.0, (1 - cosine) * over * over)
    rx, along = rose.cross(r, x), rose.dot(r, x) * t
    return rose.vec(x[k] * c + rx[k] * s + r[k] * along for k in rose.range(3))


@fn
def error(unknown: Vec[15], feature: Vec[2]) -> Vec[2]:
    """How far from its feature a camera sees a point. Unknown are 11 numbers of the camera, the point, and a weight."""
    rotation, centre, point = unknown[:3], unknown[3:6], unknown[11:14]
    focal, *principal, k1, k2 = [unknown[k] for k in range(6, 11)]
    x = turned(rotation, rose.vec(point[k] - centre[k] for k in rose.range(3)))
    over = 1 / x[2]
    u, v = x[0] * over, x[1] * over
    s = u * u + v * v
    bent = 1 + k1 * s + k2 * s * s
    return [unknown[14] * (y * bent * focal + principal[k] - feature[k]) for k, y in enumerate((u, v))]


@fn
def weight_error(w: Real) -> Real:
    return 1 - w * w


@rose.struct
class Problem:
    """What is sought, and what was seen."""

    cameras: Vec[n, Vec[11]]
    points: Vec[m, Vec[3]]
    weights: Vec[p]
    features: Vec[p, Vec[2]]
    camera: Vec[p, Fin[n]]  # that made an observation,
    point: Vec[p, Fin[m]]  # and what it saw

    def unknown(self, i: Any) -> list[Any]:
        """What the errors of an observation depend on."""
        camera, point = self.cameras[self.camera[i]], self.points[self.point[i]]
        return [*[camera[k] for k in range(11)], *[point[k] for k in range(3)], self.weights[i]]

    def columns(self, i: Any) -> list[Any]:
        """Where these are among all unknowns."""
        camera, point = 11 * self.camera[i], 11 * n + 3 * self.point[i]
        return [*[camera + k for k in range(11)], *[point + k for k in range(3)], 11 * n + 3 * m + i]


Column, Entry = Fin[11 * n + 3 * m + p], Fin[31 * p + 1]


@rose.struct
class Sparse:
    """A matrix in CSR: two rows for each observation, and then one for each weight."""

    values: tuple[Vec[p, Vec[2, Vec[15]]], Vec[p]]
    columns: tuple[Vec[p, Vec[2, Vec[15, Column]]], Vec[p, Column]]
    rows: tuple[Vec[p, Vec[2, Entry]], Vec[p + 1, Entry]]  # where they begin, and where the last one ends


@fn
def objective(given: Problem) -> tuple[Vec[p, Vec[2]], Vec[p]]:
    errors = rose.vec(error(given.unknown(i), given.features[i]) for i in rose.range(p))
    return errors, rose.vec(weight_error(given.weights[i]) for i in rose.range(p))


@fn
def jacobian(given: Problem) -> Sparse:
    @fn
    def rows(i: Fin[p]) -> Vec[2, Entry]:
        return [30 * i, 30 * i + 15]

    blocks = rose.vec(rose.jacobian(error)(given.unknown(i), given.features[i]) for i in rose.range(p))
    slopes = rose.vec(rose.grad(weight_error)(given.weights[i]) for i in rose.range(p))
    places = rose.vec([given.columns(i)] * 2 for i in rose.range(p))
    return Sparse(
        (blocks, slopes),
        (places, rose.vec(11 * n + 3 * m + i for i in rose.range(p))),
        (rose.vec(rows(i) for i in rose.range(p)), rose.vec(30 * p + i for i in rose.range(p + 1))),
    )


@functools.lru_cache(maxsize=2)
def compiled(n: int, m: int, p: int) -> rose.Compiled:
    return rose.compile({"objective": objective, "jacobian": jacobian}, simd=True, n=n, m=m, p=p)


def problem(given: Mapping[str, Any]) -> tuple[rose.Compiled, Problem]:
    """The module for the sizes of an input, and the problem: all cameras are equal, and all points."""
    n, m, p = (int(given[k]) for k in "nmp")
    repeated = lambda x, times: np.tile(np.array(x, float), (times, 1))
    seen = np.arange(p, dtype=np.uint32)
    weights = np.full(p, float(given["w"]))
    features = repeated(given["feat"], p)
    whole = Problem(repeated(given["cam"], n), repeated(given["x"], m), weights, features, seen % n, seen % m)
    return compiled(n, m, p), whole


def errors(given: Mapping[str, Any]) -> Job:
    module, whole = problem(given)

    def shown(result: Any) -> Any:
        first, of_weights = result
        return {
            "reproj_error": {"elements": first[0].tolist(), "repeated": len(first)},
            "w_err": {"element": float(of_weights[0]), "repeated": len(of_weights)},
        }

    return call(module.objective, whole, shown=shown)


def joined(parts: tuple[Any, Any]) -> Any:
    return np.concatenate([x.ravel() for x in parts])


def matrix(given: Mapping[str, Any]) -> Job:
    module, whole = problem(given)

    def shown(result: Sparse) -> Any:
        parts = {"rows": result.rows, "cols": result.columns, "vals": result.values}
        return {k: [*joined(x)[:30].tolist(), joined(x)[-1].item()] for k, x in parts.items()}

    return call(module.jacobian, whole, shown=shown)


functions: Functions = {"objective": errors, "jacobian": matrix}

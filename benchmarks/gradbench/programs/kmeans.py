"""`kmeans`: the sum of the squared distances from points to the nearest of some centroids, and a step of Newton's."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import rose
from rose import Fin, Real, Vec, fn

from .. import placed
from . import Functions, Job


@functools.cache
def compiled(k: int, n: int, d: int):
    """For `k` centroids, and `n` points in `d` dimensions."""

    @rose.struct
    class Nearest:
        which: Fin[k]
        distance: Real

    @fn
    def nearest(p: Vec[d], columns: Vec[d, Vec[k]]) -> Fin[k]:
        distance = rose.vec(rose.sum((p[j] - columns[j][c]) ** 2 for j in rose.range(d)) for c in rose.range(k))
        closer = lambda c, best: rose.select(distance[c] < best.distance, Nearest(c, distance[c]), best)
        return rose.scan(closer, Nearest(0, math.inf), k).which

    @fn
    def cost(points: Vec[n, Vec[d]], centroids: Vec[k, Vec[d]]) -> Real:
        total, columns = rose.accum(0.0), rose.transpose(centroids)
        for i in rose.range(n):
            c = centroids[nearest(points[i], columns)]
            total += rose.sum((c[j] - points[i][j]) ** 2 for j in rose.range(d))
        return total.value

    @fn
    def step(points: Vec[n, Vec[d]], centroids: Vec[k, Vec[d]]) -> Vec[k, Vec[d]]:
        """The Hessian is diagonal: the derivative of the gradient along the vector of ones is that diagonal."""
        at = rose.fn([Vec[k, Vec[d]]], Real)(lambda c: cost(points, c))
        gradient, hessian = rose.linearize(rose.grad(at))(centroids)
        diagonal = hessian(rose.vec(rose.vec(1.0 for _ in rose.range(d)) for _ in rose.range(k)))
        return rose.vec(rose.vec(gradient[c][j] / diagonal[c][j] for j in rose.range(d)) for c in rose.range(k))

    return rose.compile({"cost": cost, "dir": step}, simd=True)


def prepared(function: str, given: Any, shown: Any) -> Job:
    points, centroids = [np.array(given[name], float) for name in ("points", "centroids")]
    module = compiled(len(centroids), *points.shape)
    return placed.call(getattr(module, function), points, centroids, shown=shown)


functions: Functions = {
    "cost": lambda i: prepared("cost", i, float),
    "dir": lambda i: prepared("dir", i, lambda v: v.tolist()),
}

"""`gmm`: how likely points are under a mixture of Gaussians with a Wishart prior.

A component has a lower triangular factor of the inverse of its covariance: `q` are the logarithms of its diagonal, and
`l` is what lies below that, column by column.
"""

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
def compiled(d: int, k: int, n: int, m: int, gamma: float):
    """For `k` components in `d` dimensions, and `n` points."""
    below, degrees = d * (d - 1) // 2, d + m + 1

    @rose.struct
    class Mixture:
        alpha: Vec[k]
        mu: Vec[k, Vec[d]]
        q: Vec[k, Vec[d]]
        l: Vec[k, Vec[below]]

    Where = Vec[d, Vec[d, Fin[max(below, 1)]]]

    @fn
    def lower(l: Vec[below], where: Where) -> Vec[d, Vec[d]]:
        element = lambda i, j: rose.select(j < i, l[where[i][j]], 0.0) if below else 0.0
        return rose.vec(rose.vec(element(i, j) for j in rose.range(d)) for i in rose.range(d))

    @fn
    def distance(diagonal: Vec[d], lower: Vec[d, Vec[d]], mu: Vec[d], x: Vec[d]) -> Real:
        away = rose.vec(x[j] - mu[j] for j in rose.range(d))
        return rose.sum((diagonal[i] * away[i] + rose.dot(lower[i], away)) ** 2 for i in rose.range(d))

    @fn
    def objective(g: Mixture, x: Vec[n, Vec[d]], where: Where) -> Real:
        def terms(c):
            diagonal, factor = rose.vec(rose.exp(g.q[c][j]) for j in rose.range(d)), lower(g.l[c], where)
            size = g.alpha[c] + rose.sum(g.q[c])
            return rose.vec(size - distance(diagonal, factor, g.mu[c], x[i]) / 2 for i in rose.range(n))

        def prior(c):
            squares = rose.sum(rose.exp(g.q[c][j]) ** 2 for j in rose.range(d)) + rose.dot(g.l[c], g.l[c])
            return gamma**2 / 2 * squares - m * rose.sum(g.q[c])

        each = rose.vec(terms(c) for c in rose.range(k))
        likely = rose.sum(rose.logsumexp(each[c][i] for c in rose.range(k)) for i in rose.range(n))
        constant = k * degrees * d * math.log(gamma / math.sqrt(2)) - n * d / 2 * math.log(2 * math.pi)
        constant -= k * d * (d - 1) / 4 * math.log(math.pi) + k * sum(
            [math.lgamma((degrees - j) / 2) for j in range(d)]
        )
        return likely - n * rose.logsumexp(g.alpha) - rose.sum(prior(c) for c in rose.range(k)) + constant

    return rose.compile({"objective": objective, "jacobian": rose.grad(objective)}, simd=True), Mixture


def prepared(function: str, given: Any) -> Job:
    d, k, n, m = [given[name] for name in ("d", "k", "n", "m")]
    module, mixture = compiled(d, k, n, m, given["gamma"])
    shapes = {"alpha": (k,), "mu": (k, d), "q": (k, d), "l": (k, d * (d - 1) // 2)}
    g = mixture(*[np.array(given[name], float).reshape(shape) for name, shape in shapes.items()])
    where = np.zeros((d, d), int)
    where.T[np.triu_indices(d, 1)] = range(d * (d - 1) // 2)  # of each element below the diagonal, in a column of `l`
    shown = lambda y: y if function == "objective" else {name: getattr(y, name).tolist() for name in shapes}
    return placed.call(getattr(module, function), g, np.array(given["x"], float).reshape(n, d), where, shown=shown)


functions: Functions = {name: functools.partial(prepared, name) for name in ("objective", "jacobian")}

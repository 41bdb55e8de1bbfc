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

STRIPES = 4  # of rows, at most: each is as long as its last row, so that most of the zeros are left out


@functools.cache
def compiled(d: int, k: int, n: int, m: int, gamma: float):
    """For `k` components in `d` dimensions, and `n` points."""
    below, degrees, width = d * (d - 1) // 2, d + m + 1, max(16, -(-d // STRIPES))
    stripes = [range(start, min(start + width, d)) for start in range(0, d, width)]
    Factor = tuple[tuple([Vec[len(s), Vec[s.stop]] for s in stripes])]
    Where = Vec[d, Vec[d, Fin[max(below, 1)]]]

    @rose.struct
    class Mixture:
        alpha: Vec[k]
        mu: Vec[k, Vec[d]]
        q: Vec[k, Vec[d]]
        l: Vec[k, Vec[below]]

    @fn
    def factor(q: Vec[d], l: Vec[below], where: Where) -> Factor:
        lower = lambda i, j: rose.select(j < i, l[where[i][j]], 0.0) if below else 0.0
        row = lambda i, size: rose.vec(rose.select(i == j, rose.exp(q[i]), lower(i, j)) for j in rose.range(size))
        return tuple([rose.vec(row(i + s.start, s.stop) for i in rose.range(len(s))) for s in stripes])

    @fn
    def distance(factor: Factor, mu: Vec[d], x: Vec[d]) -> Real:
        away, total = rose.vec(x[j] - mu[j] for j in rose.range(d)), rose.accum(0.0)
        for s, rows in zip(stripes, factor, strict=True):
            for i in rose.range(len(s)):
                total += rose.sum(rows[i][j] * away[j] for j in rose.range(s.stop)) ** 2
        return total.value

    @fn
    def objective(g: Mixture, x: Vec[n, Vec[d]], where: Where) -> Real:
        def terms(c):
            rows, size = factor(g.q[c], g.l[c], where), g.alpha[c] + rose.sum(g.q[c])
            return rose.vec(size - distance(rows, g.mu[c], x[i]) / 2 for i in rose.range(n))

        def prior(c):
            squares = rose.sum(rose.exp(g.q[c][j]) ** 2 for j in rose.range(d)) + rose.dot(g.l[c], g.l[c])
            return gamma**2 / 2 * squares - m * rose.sum(g.q[c])

        each = rose.vec(terms(c) for c in rose.range(k))
        likely = rose.sum(rose.logsumexp(each[c][i] for c in rose.range(k)) for i in rose.range(n))
        gammas = d * (d - 1) / 4 * math.log(math.pi) + sum([math.lgamma((degrees - j) / 2) for j in range(d)])
        constant = k * (degrees * d * math.log(gamma / math.sqrt(2)) - gammas) - n * d / 2 * math.log(2 * math.pi)
        return likely - n * rose.logsumexp(g.alpha) - rose.sum(prior(c) for c in rose.range(k)) + constant

    return rose.compile({"objective": objective, "jacobian": rose.grad(objective)}, simd=True), Mixture


def prepared(function: str, given: Any) -> Job:
    d, k, n, m = [given[name] for name in ("d", "k", "n", "m")]
    module, mixture = compiled(d, k, n, m, given["gamma"])
    shapes = {"alpha": (k,), "mu": (k, d), "q": (k, d), "l": (k, d * (d - 1) // 2)}
    g = mixture(*[np.array(given[name], float).reshape(shape) for name, shape in shapes.items()])
    where = np.zeros((d, d), int)
    where.T[np.triu_indices(d, 1)] = range(d * (d - 1) // 2)  # of each element below the diagonal, in `l`
    shown = lambda y: y if function == "objective" else {name: getattr(y, name).tolist() for name in shapes}
    return placed.call(getattr(module, function), g, np.array(given["x"], float).reshape(n, d), where, shown=shown)


functions: Functions = {name: functools.partial(prepared, name) for name in ("objective", "jacobian")}

"""Factorisations and solvers as their users write them: each carries a matrix or a vector through a loop.

Each is a function of a matrix and its size. Nothing pivots.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import rose
from rose import Real, Vec, fn

AnyFn = rose.Fn[..., Any]


def zeros(n: int) -> Any:
    return rose.vec(0.0 for _ in rose.range(n))


def square(n: int) -> Any:
    return rose.vec(zeros(n) for _ in rose.range(n))


def of_diagonal(m: Any) -> Any:
    return rose.sum(rose.log(abs(m[k, k])) for k in rose.range(m.shape[0]))


def of_all(m: Any) -> Any:
    n = m.shape[0]
    return rose.sum((i + 1.0) * rose.sin(m[i, j]) for i in rose.range(n) for j in rose.range(n))


def elimination_of_elements(a: Any, n: int) -> Any:
    def step(k: Any, m: Any) -> Any:
        below = lambda i, j: m[i, j] - m[i, k] / m[k, k] * m[k, j]
        return rose.vec(
            rose.vec(rose.select(i > k, below(i, j), m[i, j]) for j in rose.range(n)) for i in rose.range(n)
        )

    return of_diagonal(rose.scan(step, a, n))


def elimination_in_place(a: Any, n: int) -> Any:
    def step(k: Any, m: Any) -> Any:
        after = rose.accum(m)
        for i in rose.range(k + 1, n):
            for j in rose.range(k + 1, n):
                after[i][j] -= m[i, k] / m[k, k] * m[k, j]
        return after.value

    return of_diagonal(rose.scan(step, a, n))


def elimination_of_rows(a: Any, n: int) -> Any:
    def step(k: Any, m: Any) -> Any:
        factor = rose.vec(rose.select(i > k, m[i, k] / m[k, k], 0.0) for i in rose.range(n))
        return rose.vec(m[i] - factor[i] * m[k] for i in rose.range(n))

    return of_diagonal(rose.scan(step, a, n))


def symmetric_elimination(a: Any, n: int) -> Any:
    """Of `l @ d @ l.T`: both factors of a product are elements of one column."""

    def step(k: Any, m: Any) -> Any:
        after = rose.accum(m)
        for i in rose.range(k + 1, n):
            for j in rose.range(k + 1, i + 1):
                after[i][j] -= m[i, k] * m[j, k] / m[k, k]
        return after.value

    return of_diagonal(rose.scan(step, a, n))


def reflections(a: Any, n: int) -> Any:
    """Householder's triangulation."""

    def step(k: Any, m: Any) -> Any:
        length = rose.sqrt(rose.sum(m[i, k] ** 2 for i in rose.range(k, n)))
        first = m[k, k] + length
        scale = 2.0 / (first * first + rose.sum(m[i, k] ** 2 for i in rose.range(k + 1, n)))
        after = rose.accum(m)
        for j in rose.range(n):
            s = scale * (first * m[k, j] + rose.sum(m[i, k] * m[i, j] for i in rose.range(k + 1, n)))
            after[k][j] -= s * first
            for i in rose.range(k + 1, n):
                after[i][j] -= s * m[i, k]
        return after.value

    return of_diagonal(rose.scan(step, a, n))


def orthogonal_rows(a: Any, n: int) -> Any:
    """Gram-Schmidt, by the rows that are there."""

    def step(k: Any, q: Any) -> Any:
        w = rose.scan(lambda i, w: w - rose.dot(q[i], w) * q[i], a[k], rose.range(k))
        return q.at[k].set(w / rose.norm(w))

    return of_all(rose.scan(step, square(n), n))


def cholesky_by_rows(a: Any, n: int) -> Any:
    def row(i: Any, l: Any) -> Any:
        def column(j: Any, r: Any) -> Any:
            return r.at[j].set((a[i, j] - rose.sum(r[k] * l[j, k] for k in rose.range(j))) / l[j, j])

        r = rose.scan(column, zeros(n), rose.range(i))
        return l.at[i].set(r.at[i].set(rose.sqrt(a[i, i] - rose.sum(r[k] ** 2 for k in rose.range(i)))))

    return of_all(rose.scan(row, square(n), n))


def back_substitution(a: Any, n: int) -> Any:
    def step(k: Any, x: Any) -> Any:
        return x.at[k].set((a[0, k] - rose.sum(a[k, j] * x[j] for j in rose.range(k + 1, n))) / a[k, k])

    x = rose.scan(step, zeros(n), rose.range(n - 1, -1, -1))
    return rose.dot(x, x)


def tridiagonal(a: Any, n: int) -> Any:
    def forward(k: Any, s: Any) -> Any:
        m = a[k, k] - a[0, k] * s[0]
        now = (a[1, k] / m, (a[2, k] - a[0, k] * s[1]) / m)
        return now, now

    _, rows = rose.scan(forward, (0.0, 0.0), n)
    twice = lambda k, x: (rows[k][1] - rows[k][0] * x,) * 2
    _, xs = rose.scan(twice, 0.0, rose.range(n - 1, -1, -1))
    return rose.dot(xs, xs)


def recursion_of_levinson(a: Any, n: int) -> Any:
    """The coefficients of a prediction: each iteration has one more, and changes all before."""

    def step(k: Any, s: Any) -> Any:
        c, error = s
        r = lambda i: a[0, i]
        other = lambda j: (k + n - j) % n
        factor = -(r(k) + rose.sum(c[j] * r(other(j)) for j in rose.range(1, k))) / error
        new = rose.vec(rose.select((j > 0) & (j < k), c[j] + factor * c[other(j)], c[j]) for j in rose.range(n))
        return new.at[k].set(factor), error * (1.0 - factor * factor)

    c, error = rose.scan(step, (zeros(n), a[0, 0]), rose.range(1, n))
    return rose.dot(c, c) + error


def sweeps(a: Any, n: int) -> Any:
    """Gauss-Seidel: each element is replaced again in each sweep."""

    def one(k: Any, x: Any) -> Any:
        others = rose.sum(rose.select(j == k, 0.0, a[k, j] * x[j]) for j in rose.range(n))
        return x.at[k].set((a[0, k] - others) / a[k, k])

    x = rose.scan(lambda _, x: rose.scan(one, x, n), zeros(n), 3)
    return rose.dot(x, x)


FACTORISATIONS: dict[str, Callable[[Any, int], Any]] = {
    f.__name__.replace("_", " "): f
    for f in (
        elimination_of_elements, elimination_in_place, elimination_of_rows, symmetric_elimination, reflections,
        orthogonal_rows, cholesky_by_rows, back_substitution, tridiagonal, recursion_of_levinson, sweeps,
    )
}  # fmt: skip


def factorisation(name: str, n: int) -> AnyFn:
    """One of them, of a matrix that is near the identity wherever it is evaluated."""
    near = lambda a: rose.vec(
        rose.vec(rose.select(i == j, 4.0, 0.0) + 0.1 * rose.sin(a[i, j]) for j in rose.range(n)) for i in rose.range(n)
    )
    return fn([Vec[n, n]], Real)(lambda a: FACTORISATIONS[name](near(a), n))

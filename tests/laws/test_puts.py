"""Programs that put elements into vectors, in the order of their loops: what each costs, whatever the size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from costs import cost

import rose
from rose import Real, Vec
from rose.frontend.function import Fn
from rose.optimise.pipeline import optimised
from rose.testing import examine

from .test_cost import hold, point

AnyFn = Fn[..., Any]
MOST, FLAT = 9.0, 1.3  # as in test_cost.py, before the optimiser
N = 12
SIZES, LONG = (12, 24), (30, 60)  # the optimiser writes short loops out


def sum_of(m: Any) -> Any:
    n = m.shape[0]
    return rose.sum((i + 1.0) * rose.sin(m[i, j]) for i in rose.range(n) for j in rose.range(n))


def of_row(x: Any) -> Any:
    return rose.sum((i + 1.0) * rose.sin(x[i]) for i in rose.range(x.shape[0]))


def definite(a: Any, n: int) -> Any:
    return lambda i, j: rose.sin(a[i, j]) + rose.sin(a[j, i]) + rose.select(i == j, 3.0 * n, 0.0)


def cholesky(a: Any, n: int) -> Any:
    of = definite(a, n)

    def column(j: Any, l: Any) -> Any:
        l = l.at[j, j].set(rose.sqrt(of(j, j) - rose.sum(l[j, k] ** 2 for k in rose.range(j))))
        below = lambda i, l: l.at[i, j].set((of(i, j) - rose.sum(l[i, k] * l[j, k] for k in rose.range(j))) / l[j, j])
        return rose.scan(below, l, rose.range(j + 1, n))

    return sum_of(rose.scan(column, rose.zeros((n, n)), n))


def elimination(a: Any, n: int) -> Any:
    def eliminate(k: Any, m: Any) -> Any:
        def row(i: Any, m: Any) -> Any:
            m = m.at[i, k].set(m[i, k] / m[k, k])
            return rose.scan(lambda j, m: m.at[i, j].add(-m[i, k] * m[k, j]), m, rose.range(k + 1, n))

        return rose.scan(row, m, rose.range(k + 1, n))

    of = definite(a, n)
    return sum_of(rose.scan(eliminate, rose.vec(rose.vec(of(i, j) for j in rose.range(n)) for i in rose.range(n)), n))


def elimination_by_rows(a: Any, n: int) -> Any:
    def eliminate(k: Any, m: Any) -> Any:
        return rose.scan(lambda i, m: m.at[i].set(m[i] - m[i, k] / m[k, k] * m[k]), m, rose.range(k + 1, n))

    of = definite(a, n)
    return sum_of(rose.scan(eliminate, rose.vec(rose.vec(of(i, j) for j in rose.range(n)) for i in rose.range(n)), n))


def distances(a: Any, n: int) -> Any:
    """A table, each entry of which is made of three before."""

    def entry(i: Any, j: Any, d: Any) -> Any:
        w = rose.sin(a[i, j])
        ways = rose.min(d[i, j + 1] * 0.5 + w, rose.min(d[i + 1, j] * 0.5 + w, d[i, j] + w * w))
        return d.at[i + 1, j + 1].set(ways)

    d = rose.scan(lambda i, d: rose.scan(lambda j, d: entry(i, j, d), d, n), rose.zeros((n + 1, n + 1)), n)
    return sum_of(d)


def gauss_seidel(a: Any, n: int) -> Any:
    def sweep(_: Any, x: Any) -> Any:
        return rose.scan(
            lambda i, x: x.at[i].set(0.3 * rose.sin(x[i - 1] * x[i + 1]) + a[0, i]), x, rose.range(1, n - 1)
        )

    return of_row(rose.scan(sweep, a[1], 4))


def exchanges(a: Any, n: int) -> Any:
    def exchange(i: Any, x: Any) -> Any:
        j = (i * 5 + 2) % n
        return x.at[i].set(x[j]).at[j].set(x[i] * 1.5)

    return of_row(rose.scan(exchange, a[0], n))


def sieve(a: Any, n: int) -> Any:
    def strike(k: Any, x: Any) -> Any:
        return rose.scan(lambda j, x: x.at[j].mul(rose.cos(x[k])), x, rose.range(k + 1, n))

    return of_row(rose.scan(strike, a[0], n))


def histogram(a: Any, n: int) -> Any:
    return of_row(rose.scan(lambda i, h: h.at[(i * i) % n].set(h[(i * i) % n] + a[0, i] * h[i]), a[1], n))


def maxima(a: Any, n: int) -> Any:
    """A table of running maxima, under a guard."""
    step = lambda i, x: rose.select(x[i] > x[i - 1], x, x.at[i].set(0.5 * x[i - 1] + a[0, i]))
    return of_row(rose.scan(step, a[1], rose.range(1, n)))


def two_tables(a: Any, n: int) -> Any:
    def step(i: Any, s: Any) -> Any:
        p, q = s
        return p.at[i].set(q[i - 1] * rose.sin(a[0, i])), q.at[i].set(p[i - 1] + p[i] * q[i])

    p, q = rose.scan(step, (a[0], a[1]), rose.range(1, n))
    return of_row(p) + of_row(q)


PROGRAMS: dict[str, Callable[[Any, int], Any]] = {
    "cholesky": cholesky, "elimination": elimination, "elimination by rows": elimination_by_rows,
    "distances": distances, "gauss seidel": gauss_seidel, "exchanges": exchanges, "sieve": sieve,
    "histogram": histogram, "maxima": maxima, "two tables": two_tables,
}  # fmt: skip


def program(name: str, n: int) -> AnyFn:
    return rose.fn([Vec[n, Vec[n]]], Real)(lambda a: PROGRAMS[name](a, n))


@pytest.mark.parametrize("name", PROGRAMS)
def test_their_derivatives_are_right(name: str):
    report = examine(program(name, 5), points=1)
    assert report.ok and report.points, report


@pytest.mark.parametrize("name", PROGRAMS)
def test_their_gradients_cost_a_constant_times_the_value(name: str):
    hold(lambda n: program(name, n), SIZES, MOST, FLAT)


@pytest.mark.parametrize("name", ["gauss seidel", "exchanges", "histogram", "maxima", "two tables"])
def test_a_put_costs_as_much_in_a_long_vector(name: str):
    programs = {n: program(name, n) for n in LONG}
    small, large = [cost(optimised({"f": f.func})["f"], *point(f)) / n for n, f in programs.items()]
    assert large <= FLAT * small


def logarithms(a: Any) -> Any:
    return rose.vec(rose.log(a[i]) for i in rose.range(N))


OVERWRITTEN: dict[str, Callable[[Any], Any]] = {
    "at once": lambda a: logarithms(a).at[0].set(a[1]),
    "in a loop": lambda a: rose.scan(lambda i, x: x.at[i].set(a[1]), logarithms(a), 3),
    "twice": lambda a: rose.scan(lambda i, x: x.at[i].set(rose.log(a[i])).at[i].set(a[1]), a, N),
    "as a row": lambda a: rose.vec(logarithms(a) for _ in range(N)).at[0].set(a * a)[0],
}


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_what_was_overwritten_contributes_nothing_whatever_infinities_it_holds(name: str):
    f = rose.fn([Vec[N]], Real)(lambda a: rose.sum(OVERWRITTEN[name](a)[i] ** 2 for i in rose.range(N)))
    a = np.arange(N) * 1.0
    along, way = rose.hvp(f)(a, np.ones(N)), rose.grad(f)(a)
    assert np.isfinite(way).all() and way[0] == 0.0
    assert np.isfinite(along).all() and along[0] == 0.0


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_ways_of_deriving_agree(name: str):
    n, random = 9, np.random.default_rng(3)
    f, (a, v) = program(name, n), random.normal(size=(2, n, n))
    slope = rose.grad(f)
    way = (np.asarray(slope(a)) * v).sum()
    assert float(rose.linearize(f)(a)[1](v)) == pytest.approx(way)
    assert np.allclose(rose.compile(slope, dtype="f32")(a.astype("f")), slope(a), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("checkpoint", [None, "sqrt", "binomial"])
def test_what_is_made_of_a_scan_agrees(checkpoint: Any):
    step: Any = lambda i, x: x.at[i].set(rose.sin(x[i]) * x[(i + 1) % N])
    last: Any = lambda x: rose.scan(step, x, N, **({"checkpoint": checkpoint} if checkpoint else {}))
    f, x = rose.fn([Vec[N]], Vec[N])(last), np.linspace(0.1, 2.0, N)
    forward = rose.jacfwd(f)(x)
    assert np.allclose(forward, rose.jacrev(f)(x))
    assert np.allclose(forward, rose.jacobian(f, sparse=True)(x).toarray())
    assert np.array_equal(rose.vmap(f)(np.stack([x, x + 1.0]))[1], f(x + 1.0))

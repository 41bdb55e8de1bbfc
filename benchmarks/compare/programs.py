"""The programs, in our language: each gives its value and its gradient, or its Hessian.

All numbers that a program is called with lie in one row, the parameters first. `c/` has the hand-written adjoint
of each, which reads that row, and writes the value, then the gradient. Most are written in more than one form.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import rose
from rose import Fin, Real, Vec, fn

Numbers = list[float]
Forms = dict[str, rose.Fn[..., Any]]  # traced when one is first needed


@dataclass(frozen=True)
class Program:
    """A program of one size.

    `sizes` and `tables` are what is known when it is compiled; `params` is where it is evaluated, and `data` the
    other arguments. Its forms are `@fn`s of the parameters, then the data, that give the value.
    """

    name: str
    source: str  # of the adjoint by hand
    sizes: dict[str, int]
    params: Numbers
    forms: Forms
    data: tuple[Numbers, ...] = ()
    tables: dict[str, Numbers | list[int]] = field(default_factory=dict[str, Any])

    @property
    def arguments(self) -> Numbers:
        return [x for row in (self.params, *self.data) for x in row]

    @property
    def outputs(self) -> int:
        """How many numbers the derivative has."""
        return len(self.params) ** (2 if self.source == "hessian" else 1)

    def derived(self, f: rose.Fn[..., Any]) -> rose.Fn[..., Any]:
        """The pair of the value and the derivative in the parameters."""
        if self.source != "hessian":
            return rose.value_and_grad(f)
        n = len(self.params)
        return fn([Vec[n]], tuple[Real, Vec[n, Vec[n]]])(lambda x: (f(x), rose.hessian(f)(x)))


def uniform(r: random.Random, count: int, low: float = -1.0, high: float = 1.0) -> Numbers:
    return [r.uniform(low, high) for _ in range(count)]


def rows(flat: Numbers, width: int) -> list[Numbers]:
    return [flat[k : k + width] for k in range(0, len(flat), width)]


# least squares


ANSCOMBE = (
    [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0],
    [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68],
)


def least_squares(n: int, m: int, points: Numbers, heights: Numbers) -> list[Program]:
    """With the points as arguments, and with the points as constants."""

    @rose.struct
    class Plane:
        offset: Real
        slopes: Vec[m]

    @fn
    def loss(plane: Plane, x: Vec[n, Vec[m]], y: Vec[n]) -> Real:
        return rose.sum((y[i] - plane.offset - rose.dot(x[i], plane.slopes)) ** 2 for i in rose.range(n))

    @fn
    def fitted(plane: Plane) -> Real:
        return loss(plane, rows(points, m), heights)

    name, sizes = f"least squares {n}x{m}", {"N": n, "M": m}
    params = [0.1 * (k + 1) for k in range(m + 1)]
    known: dict[str, Any] = {"x": points, "y": heights}
    return [
        Program(name, "least_squares", sizes, params, {"loop": loss}, (points, heights)),
        Program(
            f"{name}, constants", "least_squares", sizes | {"CONSTANT": 1}, params,
            {"loop": fitted}, tables=known,
        ),
    ]  # fmt: skip


def total(xs: Iterable[float]) -> float:
    """The sum from left to right: `sum` rounds in another way from Python 3.12 on."""
    return functools.reduce(operator.add, xs, 0.0)


def plane(n: int, m: int) -> tuple[Numbers, Numbers]:
    """Points at random, and heights near to a plane."""
    r = random.Random(7)
    x = uniform(r, n * m)
    y = [0.5 + total(v * (j - m / 2) for j, v in enumerate(p)) + 0.05 * r.uniform(-1, 1) for p in rows(x, m)]
    return x, y


# Rosenbrock's function


def term(x: Any, y: Any) -> Any:
    return 100 * (y - x**2) ** 2 + (1 - x) ** 2


def in_a_loop(n: int) -> rose.Fn[..., Any]:
    return fn([Vec[n]], Real)(lambda x: rose.sum(term(x[i], x[i + 1]) for i in rose.range(n - 1)))


def unrolled(n: int) -> rose.Fn[..., Any]:
    return fn([Vec[n]], Real)(lambda x: sum((term(x[i], x[i + 1]) for i in range(n - 1)), 0.0))


def rosenbrock(n: int) -> Program:
    forms: Forms = {"loop": in_a_loop(n), "unrolled": unrolled(n)}
    return Program(f"Rosenbrock {n}", "rosenbrock", {"N": n}, uniform(random.Random(3), n), forms)


def hessian(n: int) -> Program:
    return dataclasses.replace(rosenbrock(n), name=f"Hessian {n}", source="hessian")


# physics


def springs(n: int) -> Program:
    @fn
    def stretched(p: Vec[2], q: Vec[2]) -> Real:
        dx, dy = q[0] - p[0], q[1] - p[1]
        return 25.0 * (rose.sqrt(dx * dx + dy * dy) - 0.1) ** 2

    @fn
    def energy(p: Vec[n + 1, Vec[2]]) -> Real:
        weight = 0.02 * 9.81
        stored = rose.sum(stretched(p[i], p[i + 1]) for i in rose.range(n))
        return stored + rose.sum(weight * p[i][1] for i in rose.range(n + 1))

    r = random.Random(11)
    params = [x + 0.015 * r.uniform(-1, 1) for i in range(n + 1) for x in (0.1 * i, 0.0)]
    return Program(f"springs {n}", "springs", {"N": n}, params, {"loop": energy})


def bodies(n: int) -> Program:
    """All pairs in two loops is the shorter text; a table of pairs does half of the work, as the adjoint by hand."""
    mass = [1 + 0.1 * (i % 3) for i in range(n)]
    firsts, seconds = [i for i in range(n) for _ in range(i)], [j for i in range(n) for j in range(i)]
    pairs = len(firsts)
    own = total(m * m for m in mass) / math.sqrt(0.01)

    @fn
    def attraction(p: Vec[3], q: Vec[3]) -> Real:
        dx, dy, dz = p[0] - q[0], p[1] - q[1], p[2] - q[2]
        return 1 / rose.sqrt(dx * dx + dy * dy + dz * dz + 0.01)

    @fn
    def over_all(p: Vec[n, Vec[3]], m: Vec[n]) -> Real:
        total = rose.accum(0.0)
        for i in rose.range(n):
            for j in rose.range(n):
                total += m[i] * m[j] * attraction(p[i], p[j])
        return 0.5 * (own - total.value)

    @fn
    def over_pairs(p: Vec[n, Vec[3]], m: Vec[n], one: Vec[pairs, Fin[n]], two: Vec[pairs, Fin[n]]) -> Real:
        def pull(i: Any, j: Any) -> Any:
            return m[i] * m[j] * attraction(p[i], p[j])

        return -rose.sum(pull(one[k], two[k]) for k in rose.range(pairs))

    every, each = fn([Vec[n, Vec[3]]], Real)(lambda p: over_all(p, mass)), over_pairs
    some = fn([Vec[n, Vec[3]]], Real)(lambda p: each(p, mass, firsts, seconds))
    forms: Forms = {"pairs": some, "all": every}
    params = uniform(random.Random(5), 3 * n)
    return Program(f"bodies {n}", "nbody", {"N": n}, params, forms, tables={"mass": mass})


def oscillator(n: int) -> Program:
    @rose.struct
    class State:
        x: Real
        y: Real
        u: Real
        v: Real

    @fn
    def step(s: State) -> State:
        drag = 0.05 * rose.sqrt(s.u * s.u + s.v * s.v + 1e-12)
        u = s.u + 0.01 * (-1.3 * s.x - drag * s.u)
        v = s.v + 0.01 * (-1.3 * s.y - drag * s.v - 1.0)
        return State(s.x + 0.01 * u, s.y + 0.01 * v, u, v)

    def missed(s: State) -> Any:
        return (s.x - 0.3) ** 2 + (s.y + 0.8) ** 2

    def called(s: State) -> Any:
        for _ in range(n):
            s = step(s)
        return missed(s)

    def scanned(s: State) -> Any:
        return missed(rose.scan(lambda _, s: step(s), s, n))

    forms: Forms = {
        "scan": fn([State], Real)(scanned),
        "calls": fn([State], Real)(called),
    }
    return Program(f"oscillator {n}", "oscillator", {"N": n}, [1.0, 0.5, -0.3, 0.8], forms)


# learning, layout


def network(n: int, h: int) -> Program:
    @rose.struct
    class Weights:
        w1: Vec[h, Vec[2]]
        b1: Vec[h]
        w2: Vec[h, Vec[h]]
        b2: Vec[h]
        w3: Vec[h]
        b3: Real

    @fn
    def predicted(w: Weights, x: Vec[2]) -> Real:
        first = rose.vec(rose.tanh(rose.dot(w.w1[i], x) + w.b1[i]) for i in rose.range(h))
        second = rose.vec(rose.tanh(rose.dot(w.w2[i], first) + w.b2[i]) for i in rose.range(h))
        return rose.dot(w.w3, second) + w.b3

    @fn
    def loss(w: Weights, x: Vec[n, Vec[2]], y: Vec[n]) -> Real:
        return rose.sum((predicted(w, x[s]) - y[s]) ** 2 for s in rose.range(n)) / n

    r = random.Random(17)
    x = uniform(r, 2 * n)
    y = [math.sin(3 * p) * q for p, q in rows(x, 2)]
    params = uniform(r, 2 * h + h + h * h + h + h + 1, -0.4, 0.4)
    forms: Forms = {"loop": loss}
    return Program(f"network 2-{h}-{h}-1", "network", {"N": n, "H": h}, params, forms, (x, y))


def terms(n: int, points: int) -> Program:
    """n terms of each of four kinds: calls of small functions, as the layout of a diagram has them."""

    def of_difference(f: Callable[[Any, Any], Any]) -> rose.Fn[..., Any]:
        return fn([Vec[2], Vec[2]], Real)(lambda p, q: f(q[0] - p[0], q[1] - p[1]))

    near = of_difference(lambda x, y: (rose.sqrt(x * x + y * y) - 1) ** 2)
    apart = of_difference(lambda x, y: 1 / (x * x + y * y + 0.1))
    above = of_difference(lambda _, y: rose.max(0.2 - y, 0.0) ** 2)
    clear = of_difference(lambda x, y: rose.exp(-(x * x + y * y)))
    r = random.Random(23)
    drawn = [r.sample(range(points), 2) for _ in range(4 * n)]
    kinds = [f for f in (near, apart, above, clear) for _ in range(n)]

    @fn
    def penalty(p: Vec[points, Vec[2]]) -> Real:
        return sum((f(p[i], p[j]) for f, (i, j) in zip(kinds, drawn, strict=True)), 0.0)

    tables: dict[str, Any] = {"one": [i for i, _ in drawn], "two": [j for _, j in drawn]}
    params, forms = uniform(r, 2 * points, -3, 3), {"calls": penalty}
    return Program(f"terms {4 * n}", "terms", {"N": n, "POINTS": points}, params, forms, tables=tables)


def programs() -> list[Program]:
    """All, in the order of the tables."""
    return [
        *least_squares(11, 1, *ANSCOMBE),
        *least_squares(1000, 10, *plane(1000, 10)),
        *[rosenbrock(n) for n in (10, 100, 1000)],
        *[springs(n) for n in (50, 500)],
        *[bodies(n) for n in (20, 100)],
        network(32, 16),
        *[oscillator(n) for n in (100, 1000, 10_000)],
        hessian(10),
        terms(250, 200),
    ]
